import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import {
  blockAnswer,
  blockDeleted,
  blockInput,
  blockList,
  blockParams,
  type BlockedSender,
} from './blocks.schema.ts';
import { blockSender, listBlocks, unblockSender } from './blocks.ts';

const path = '/v1/mailboxes/{id}/blocks';
const shared = {
  group: 'Mailboxes',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} satisfies Partial<Parameters<typeof route>[0]>;
const box = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const example: BlockedSender = {
  id: 'blk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  entry: 'mallory@example.org',
  action: 'spam',
  created_at: '2026-11-15T09:30:00.000Z',
};
const params = { ...box, blockId: example.id };

export const blockRoutes = [
  route({
    ...shared,
    operationId: 'listBlocks',
    method: 'GET',
    path,
    scope: 'mail.read',
    summary: 'List blocked senders',
    params: mailboxParams,
    answer: blockList,
    example: { params: box, answer: { items: [example] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listBlocks(db, caller, id) }),
  }),
  route({
    ...shared,
    operationId: 'blockSender',
    method: 'POST',
    path,
    scope: 'none',
    summary: 'Block a sender',
    description: 'Blocking a sender again changes the action.',
    params: mailboxParams,
    body: blockInput,
    answer: blockAnswer,
    example: { params: box, body: { entry: example.entry, action: example.action }, answer: example },
    handle: ({ db, caller, params: { id }, body }) => blockSender(db, caller, id, body),
  }),
  route({
    ...shared,
    operationId: 'unblockSender',
    method: 'DELETE',
    path: `${path}/{blockId}`,
    scope: 'none',
    summary: 'Unblock a sender',
    params: blockParams,
    answer: blockDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, params: { id, blockId } }) {
      await unblockSender(db, caller, id, blockId);
      return { id: blockId, success: true };
    },
  }),
];
