import { route } from '../../api/route.ts';
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
  mailboxKeys: 'kept-to-mailboxes',
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
    scope: 'mail.read',
    summary: 'List saved replies',
    description: 'All saved replies of the mailbox, ordered by name, ignoring case.',
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
    scope: 'mail.draft',
    summary: 'Create a saved reply',
    description:
      'At most 100 per mailbox. The HTML is sanitized exactly as in webmail, and the sanitized form is stored and returned. When the reply is inserted, these merge tags are filled in: `{{firstName}}`, `{{lastName}}`, `{{email}}` and the variables of your contact books (also written as `{{contact.firstName}}`), `{{mailbox.name}}` and `{{mailbox.address}}`.',
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
    scope: 'mail.draft',
    summary: 'Update a saved reply',
    description: 'Send `name`, `html` or both.',
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
    scope: 'mail.draft',
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
    scope: 'mail.read',
    storesLittle: true,
    summary: 'Fill in a saved reply',
    description:
      'Returns the HTML with its merge tags filled in for one recipient. The values come from the newest contact with this address in any of your contact books. A tag without a value and without a fallback stays in the HTML and is listed in `unfilled`. It is also listed in `unknown` if it is not a field of any contact. To reject messages that still have unfilled tags, send them with `unfilled_tags: "refuse"`. Nothing is stored.',
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
    scope: 'mail.read',
    storesLittle: true,
    summary: 'Fill in a message',
    description:
      'The same as filling in a saved reply, for HTML that is still being written. Use it when the recipient was not known when the reply was inserted. Nothing is stored.',
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
