import { route } from '../../platform/route.ts';
import { sandboxPage, sandboxQuery } from './sandbox.schema.ts';
import { listSandboxMessages } from './sandbox.ts';

export const sandboxRoutes = [
  route({
    operationId: 'listSandboxMessages',
    method: 'GET',
    path: '/v1/sandbox/messages',
    group: 'Sandbox',
    summary: 'List what the sandbox caught',
    description:
      'With the transport `sandbox` no mail leaves the machine; here is what would have. Newest first; a page of large messages has fewer of them.',
    permission: 'full',
    role: 'member',
    query: sandboxQuery,
    answer: sandboxPage,
    example: {
      answer: {
        items: [
          {
            id: 'sbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
            emailId: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
            mailFrom: 'b-0…@bounce.shop.test',
            recipient: 'ada@example.org',
            raw: 'DKIM-Signature: …\r\nFrom: …',
            createdAt: '2026-11-15T09:30:00.000Z',
          },
        ],
        next_cursor: null,
      },
    },
    handle: ({ db, teamId, query }) => listSandboxMessages(db, teamId, query),
  }),
];
