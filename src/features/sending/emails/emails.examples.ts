/** The example email of the API documentation. */
import type { EmailListItem } from './emails.schema.ts';

export const exampleEmail: EmailListItem = {
  id: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
  teamId: 1,
  domainId: 1,
  from: 'Harbour Books <news@example.com>',
  to: ['ada@example.org'],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: 'Your order',
  messageId: '<eml_01kbd8x4zvf7m8rk2q3w5t6y7h@example.com>',
  tags: [{ name: 'kind', value: 'order' }],
  metadata: { orderId: '4711' },
  status: 'DELIVERED',
  campaignId: null,
  scheduledAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:01.000Z',
};
