import { route } from '../../platform/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import {
  fillInput,
  fillMessageInput,
  savedReplyAnswer,
  savedReplyDeleted,
  savedReplyFilled,
  savedReplyInput,
  savedReplyList,
  savedReplyParams,
  savedReplyUpdate,
  type SavedReply,
} from './saved-replies.schema.ts';
import {
  createSavedReply,
  deleteSavedReply,
  fillMessage,
  fillSavedReply,
  listSavedReplies,
  updateSavedReply,
} from './saved-replies.ts';

const path = '/v1/mailboxes/{id}/saved-replies';
const shared = {
  group: 'Saved replies',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
  errors: ['NOT_FOUND'],
  tooLargeAs: 'BAD_REQUEST',
} satisfies Partial<Parameters<typeof route>[0]>;

const example: SavedReply = {
  id: 'srp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Thank you',
  html: '<p>Thank you, {{firstName,fallback=friend}}!</p>',
  updated_at: '2026-11-15T09:30:00.000Z',
};
const box = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const params = { ...box, replyId: example.id };

export const savedReplyRoutes = [
  route({
    ...shared,
    operationId: 'listSavedReplies',
    method: 'GET',
    path,
    summary: 'List saved replies',
    description: 'All of the mailbox, by name without regard to case.',
    params: mailboxParams,
    answer: savedReplyList,
    example: { params: box, answer: { items: [example] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listSavedReplies(db, caller, id) }),
  }),
  route({
    ...shared,
    operationId: 'createSavedReply',
    method: 'POST',
    path,
    summary: 'Save a reply',
    description:
      'At most 100 per mailbox. The html is cleaned as webmail cleans it, and the cleaned form is stored and returned. The merge tags of campaigns (`{{firstName}}`, `{{lastName}}`, `{{email}}` and the variables of your contact books, each also as `{{contact.firstName}}`), `{{mailbox.name}}` and `{{mailbox.address}}` are filled in when it is inserted.',
    params: mailboxParams,
    body: savedReplyInput,
    answer: savedReplyAnswer,
    example: { params: box, body: { name: example.name, html: example.html }, answer: example },
    handle: ({ db, caller, params: { id }, body }) => createSavedReply(db, caller, id, body),
  }),
  route({
    ...shared,
    operationId: 'updateSavedReply',
    method: 'PATCH',
    path: `${path}/{replyId}`,
    summary: 'Change a saved reply',
    description: 'Its name, its html or both.',
    params: savedReplyParams,
    body: savedReplyUpdate,
    answer: savedReplyAnswer,
    example: { params, body: { name: example.name }, answer: example },
    handle: ({ db, caller, params: { id, replyId }, body }) =>
      updateSavedReply(db, caller, id, replyId, body),
  }),
  route({
    ...shared,
    operationId: 'deleteSavedReply',
    method: 'DELETE',
    path: `${path}/{replyId}`,
    summary: 'Delete a saved reply',
    params: savedReplyParams,
    answer: savedReplyDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, params: { id, replyId } }) {
      await deleteSavedReply(db, caller, id, replyId);
      return { id: replyId, success: true };
    },
  }),
  route({
    ...shared,
    operationId: 'fillSavedReply',
    method: 'POST',
    path: `${path}/{replyId}/fill`,
    summary: 'Fill in a saved reply',
    description:
      'The html with its merge tags filled in for one recipient: from the newest contact that has this address in any of your books. A tag that has neither a value nor a fallback stays in the html and is named in `unfilled`, and in `unknown` when no contact can have it; send the message with `unfilled_tags: "refuse"` to have it refused while one is left. Nothing is stored.',
    params: savedReplyParams,
    body: fillInput,
    answer: savedReplyFilled,
    example: {
      params,
      body: { to: 'ada@example.com' },
      answer: { html: '<p>Thank you, Ada!</p>', unfilled: [], unknown: [] },
    },
    handle: ({ db, caller, params: { id, replyId }, body }) =>
      fillSavedReply(db, caller, id, replyId, body.to),
  }),
  route({
    ...shared,
    operationId: 'fillMessage',
    method: 'POST',
    path: '/v1/mailboxes/{id}/fill',
    summary: 'Fill in a message',
    description:
      'The same for html that is being written: a saved reply may be inserted before the recipient is known. Nothing is stored.',
    params: mailboxParams,
    body: fillMessageInput,
    answer: savedReplyFilled,
    example: {
      params: box,
      body: { to: 'ada@example.com', html: '<p>Dear {{firstName}}, your plan is {{plan}}.</p>' },
      answer: { html: '<p>Dear Ada, your plan is {{plan}}.</p>', unfilled: ['plan'], unknown: [] },
    },
    handle: ({ db, caller, params: { id }, body }) => fillMessage(db, caller, id, body),
  }),
];
