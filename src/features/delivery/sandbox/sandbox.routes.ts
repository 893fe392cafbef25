import { route } from '../../api/route.ts';
import { sandboxPage, sandboxQuery } from './sandbox.schema.ts';
import { listSandboxMessages } from './sandbox.ts';

export const sandboxRoutes = [
  route({
    operationId: 'listSandboxMessages',
    method: 'GET',
    path: '/v1/sandbox/messages',
    scope: 'mail.read',
    group: 'Sandbox',
    summary: 'List captured emails',
    description:
      'With the transport `sandbox`, no email leaves the server. This list has the emails that would have been sent, newest first. A page with large messages has fewer items.\n\nIn the sandbox, the addresses `bounce`, `complaint`, `delay`, `open` and `click` at `simulator.test` simulate these outcomes, also with a suffix such as `bounce+42`. `open` and `click` need tracking. These addresses are never suppressed.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
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
