import { route } from '../../api/route.ts';
import {
  sandboxMessage,
  sandboxPage,
  sandboxParams,
  sandboxQuery,
  type SandboxMessage,
} from './sandbox.schema.ts';
import { getSandboxMessage, listSandboxMessages } from './sandbox.ts';

const example: SandboxMessage = {
  id: 'sbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
  emailId: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
  mailFrom: 'b-0…@bounce.shop.test',
  recipient: 'ada@example.org',
  subject: 'Welcome',
  raw: 'DKIM-Signature: …\r\nFrom: …',
  createdAt: '2026-11-15T09:30:00.000Z',
};

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
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listSandboxMessages(db, teamId, query),
  }),
  route({
    operationId: 'getSandboxMessage',
    method: 'GET',
    path: '/v1/sandbox/messages/{sandboxMessageId}',
    scope: 'mail.read',
    group: 'Sandbox',
    summary: 'Show a captured email with its source',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: sandboxParams,
    answer: sandboxMessage,
    example: { params: { sandboxMessageId: example.id }, answer: example },
    handle: ({ db, teamId, params }) => getSandboxMessage(db, teamId, params.sandboxMessageId),
  }),
];
