import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { EMAIL_BODY_BYTES } from '../../content/content-limits.ts';
import { attachmentAnswer } from '../reading/attachment-answer.ts';
import { fileInput } from '../storage/file.schema.ts';
import { toFile } from '../storage/to-file.ts';
import { addReplyFile, getReplyFile, removeReplyFile } from './reply-files.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import {
  fillInput,
  fillMessageInput,
  replyFileParams,
  savedReplyAnswer,
  savedReplyDeleted,
  savedReplyFilled,
  savedReplyFilledWhole,
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
  getSavedReply,
  listSavedReplies,
  updateSavedReply,
} from './saved-replies.ts';

const path = '/v1/mailboxes/{id}/saved-replies';
const shared = {
  group: 'Saved replies',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
  tooLargeAs: 'BAD_REQUEST',
} satisfies Partial<Parameters<typeof route>[0]>;

const example: SavedReply = {
  id: 'srp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Thank you',
  html: '<p>Thank you, {{firstName,fallback=friend}}!</p>',
  updated_at: '2026-11-15T09:30:00.000Z',
  folder: 'Billing',
  actions: [{ type: 'archive' }],
  attachments: [],
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
    description: 'Only the fields you send are changed.',
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
    operationId: 'addSavedReplyAttachment',
    method: 'POST',
    path: `${path}/{replyId}/attachments`,
    scope: 'mail.draft',
    summary: 'Add a file to a saved reply',
    description: 'At most 25 MiB in total. It is sent with messages that have the `saved_reply_id`.',
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: savedReplyParams,
    body: fileInput,
    answer: savedReplyAnswer,
    example: {
      params,
      body: { filename: 'note.txt', content: 'SXQgdHVybnMu', content_type: 'text/plain' },
      answer: example,
    },
    async handle({ db, caller, params: { id, replyId }, body }) {
      await addReplyFile(db, caller, { mailboxId: id, replyId }, toFile(body));
      return getSavedReply(db, caller, id, replyId);
    },
  }),
  route({
    ...shared,
    operationId: 'getSavedReplyAttachment',
    method: 'GET',
    path: `${path}/{replyId}/attachments/{n}`,
    scope: 'mail.read',
    summary: 'Get a file of a saved reply',
    params: replyFileParams,
    answer: 'application/octet-stream',
    example: { params: { ...params, n: '0' }, answer: 'It turns.' },
    async handle({ db, caller, params: { id, replyId, n } }) {
      const { content, ...file } = await getReplyFile(db, caller, { mailboxId: id, replyId }, n);
      return attachmentAnswer({ ...file, bytes: content }, n);
    },
  }),
  route({
    ...shared,
    operationId: 'removeSavedReplyAttachment',
    method: 'DELETE',
    path: `${path}/{replyId}/attachments/{n}`,
    scope: 'mail.draft',
    summary: 'Remove a file from a saved reply',
    description: 'The files after it move up by one.',
    params: replyFileParams,
    answer: savedReplyAnswer,
    example: { params: { ...params, n: '0' }, answer: example },
    async handle({ db, caller, params: { id, replyId, n } }) {
      await removeReplyFile(db, caller, { mailboxId: id, replyId }, n);
      return getSavedReply(db, caller, id, replyId);
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
      'Returns the HTML with its merge tags filled in for one recipient. The values come from the newest contact with this address in any of your contact books. A tag without a value and without a fallback stays in the HTML and is listed in `unfilled`. It is also listed in `unknown` if it is not a field of any contact. To reject messages that still have unfilled tags, send them with `unfilled_tags: "refuse"`. Nothing is stored. Send the message with `saved_reply_id` to add the files of the reply and to do its actions.',
    params: savedReplyParams,
    body: fillInput,
    answer: savedReplyFilledWhole,
    example: {
      params,
      body: { to: 'ada@example.com' },
      answer: {
        html: '<p>Thank you, Ada!</p>',
        unfilled: [],
        unknown: [],
        actions: example.actions,
        attachments: [],
      },
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
