/** Example threads and messages for the API documentation. */
import type { Folder, Message, Thread } from './threads.schema.ts';

export const exampleMessage: Message = {
  id: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h',
  thread_id: 'thr_01kbd8x4zvf7m8rk2q3w5t6y7h',
  direction: 'in',
  status: 'received',
  from: 'Charles Babbage <charles@example.org>',
  to: ['ada@example.com'],
  cc: [],
  bcc: [],
  reply_to: [],
  delivered_to: 'ada@example.com',
  subject: 'The engine',
  html: '<p>It turns.</p>',
  display_html: null,
  text: 'It turns.',
  body_omitted: false,
  read: false,
  starred: false,
  answered: false,
  labels: ['invoices'],
  folder: 'inbox',
  attachments: [
    {
      n: 0,
      filename: 'drawing.png',
      content_type: 'image/png',
      size: 48213,
      inline: false,
      content_id: null,
    },
  ],
  message_id: '<2026111509@example.org>',
  authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none' },
  unsubscribe: null,
  invitation: null,
  first_contact: false,
  warnings: [],
  send_at: null,
  cancel_if_replied: false,
  created_at: '2026-11-15T09:30:00.000Z',
};

export const exampleFolder: Folder = {
  id: 'fld_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Clients/Analytical Society',
  role: null,
  messages: 12,
  unread_messages: 1,
  size: 482133,
};

export const exampleThread: Thread = {
  id: exampleMessage.thread_id,
  mailbox_id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
  subject: 'The engine',
  folder: 'inbox',
  unread: true,
  starred: false,
  message_count: 1,
  participants: ['Charles Babbage <charles@example.org>'],
  snippet: 'It turns.',
  last_message_at: '2026-11-15T09:30:00.000Z',
};

export const exampleDraft: Message = {
  ...exampleMessage,
  direction: 'out',
  status: 'draft',
  from: 'Ada Lovelace <ada@example.com>',
  to: ['charles@example.org'],
  read: true,
  folder: 'drafts',
  attachments: [],
  message_id: null,
  first_contact: null,
  delivered_to: null,
  authentication: null,
};
