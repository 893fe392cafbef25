import { takeOverDraft } from './draft-owner.ts';
import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import {
  addDraftFile,
  createDraft,
  deleteDraft,
  getDraft,
  listDrafts,
  removeDraftFile,
  sendDraft,
  updateDraft,
} from './drafts.ts';
import { exampleDraft, exampleThread } from '../reading/examples.ts';
import { listWaiting, reschedule, sendNow, cancelScheduled } from './scheduled.ts';
import { sendMessage } from './send.ts';
import {
  draftFile,
  draftFileParams,
  draftInput,
  draftParams,
  draftSend,
  draftUpdate,
  messageSubmitted,
  messageInput,
  waitingList,
  waitingMoved,
  waitingParams,
  waitingTakenBack,
  waitingUpdate,
  type MessageAccepted,
} from './sending.schema.ts';
import { draftPage, draftQuery, messageAnswer, threadDeleted } from '../reading/threads.schema.ts';
import { EMAIL_BODY_BYTES } from '../../content/content-limits.ts';

const common = {
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} as const;
const threads = { ...common, group: 'Threads' } as const;
const waiting = { ...common, group: 'Waiting messages', tooLargeAs: 'BAD_REQUEST' } as const;

const mailbox = { id: exampleThread.mailbox_id };
const draft = { ...mailbox, draftId: exampleDraft.id };
const accepted: MessageAccepted = {
  id: exampleDraft.id,
  thread_id: exampleThread.id,
  status: 'waiting',
  subject: 'Re: The engine',
  to: ['charles@example.org'],
  send_at: '2026-11-15T09:30:10.000Z',
  created_at: '2026-11-15T09:30:00.000Z',
};
const { status: _, ...waitingExample } = accepted;
const message = { id: accepted.id };
const movedTo = '2026-12-01T09:00:00.000Z';

export const sendingRoutes = [
  route({
    ...threads,
    operationId: 'sendMessage',
    method: 'POST',
    path: '/v1/mailboxes/{id}/messages',
    scope: 'mail.reply',
    errors: ['NOT_FOUND', 'CONFLICT', 'THREAD_CHANGED'],
    summary: 'Send a message',
    description:
      'At most 50 recipients and 25 MiB in total. The message waits until `send_at`, or for `undo_seconds`. Until then it can be rescheduled or cancelled. It appears right away in the thread it replies to, or in a new thread, for which a key with scopes needs `mail.send`.',
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: mailboxParams,
    body: messageInput,
    answer: messageSubmitted,
    example: {
      params: mailbox,
      body: { to: ['charles@example.org'], thread_id: exampleThread.id, html: '<p>Splendid.</p>' },
      answer: accepted,
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const sent = await sendMessage(db, caller, id, body);
      facts.wakeDeliveryWorkers();
      facts.hintMail();
      return sent;
    },
  }),
  route({
    ...waiting,
    operationId: 'listWaitingMessages',
    method: 'GET',
    path: '/v1/mailboxes/{id}/scheduled',
    scope: 'mail.read',
    summary: 'List waiting messages',
    description: 'Messages that are scheduled for later or held for undo. Soonest first, at most 100.',
    params: mailboxParams,
    answer: waitingList,
    example: { params: mailbox, answer: { items: [waitingExample] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listWaiting(db, caller, id) }),
  }),
  route({
    ...waiting,
    operationId: 'rescheduleMessage',
    method: 'PATCH',
    path: '/v1/scheduled/{id}',
    scope: 'mail.reply',
    summary: 'Reschedule a waiting message',
    description:
      'The new time must be at least one minute from now and within one year. To send the message right away, use `POST /v1/scheduled/{id}/send-now`.',
    errors: ['NOT_FOUND', 'already_sent'],
    params: waitingParams,
    body: waitingUpdate,
    answer: waitingMoved,
    example: { params: message, body: { send_at: movedTo }, answer: { ...message, send_at: movedTo } },
    async handle({ db, caller, facts, params: { id }, body }) {
      const sendAt = await reschedule(db, caller, id, body.send_at);
      facts.wakeDeliveryWorkers();
      return { id, send_at: sendAt.toISOString() };
    },
  }),
  route({
    ...waiting,
    operationId: 'sendWaitingMessageNow',
    method: 'POST',
    path: '/v1/scheduled/{id}/send-now',
    scope: 'mail.reply',
    summary: 'Send a waiting message now',
    errors: ['NOT_FOUND', 'already_sent'],
    params: waitingParams,
    answer: waitingMoved,
    example: { params: message, answer: { ...message, send_at: accepted.created_at } },
    async handle({ db, caller, facts, params: { id } }) {
      const sendAt = await sendNow(db, caller, id);
      facts.wakeDeliveryWorkers();
      return { id, send_at: sendAt.toISOString() };
    },
  }),
  route({
    ...waiting,
    operationId: 'takeBackMessage',
    method: 'DELETE',
    path: '/v1/scheduled/{id}',
    scope: 'mail.reply',
    summary: 'Cancel a waiting message',
    description: 'The message becomes a draft with the same ID.',
    errors: ['NOT_FOUND', 'already_sent'],
    params: waitingParams,
    answer: waitingTakenBack,
    example: { params: message, answer: { ...message, success: true } },
    async handle({ db, caller, params: { id } }) {
      await cancelScheduled(db, caller, id);
      return { id, success: true };
    },
  }),
  route({
    ...threads,
    operationId: 'createDraft',
    method: 'POST',
    creates: 'drafts',
    path: '/v1/mailboxes/{id}/drafts',
    scope: 'mail.draft',
    summary: 'Create a draft',
    description: 'All fields are optional.',
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: mailboxParams,
    body: draftInput,
    answer: messageAnswer,
    example: {
      params: mailbox,
      body: { subject: 'The engine', html: '<p>It turns.</p>' },
      answer: exampleDraft,
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const saved = await createDraft(db, caller, id, body);
      facts.hintMail();
      return saved;
    },
  }),
  route({
    ...threads,
    operationId: 'listDrafts',
    method: 'GET',
    path: '/v1/mailboxes/{id}/drafts',
    scope: 'mail.read',
    summary: 'List drafts',
    description: 'Newest first.',
    params: mailboxParams,
    query: draftQuery,
    answer: draftPage,
    example: { params: mailbox, answer: { items: [exampleDraft], next_cursor: null } },
    handle: ({ db, caller, params: { id }, query }) => listDrafts(db, caller, id, query),
  }),
  route({
    ...threads,
    operationId: 'getDraft',
    method: 'GET',
    path: '/v1/mailboxes/{id}/drafts/{draftId}',
    scope: 'mail.read',
    summary: 'Get a draft',
    params: draftParams,
    answer: messageAnswer,
    example: { params: draft, answer: exampleDraft },
    handle: ({ db, caller, params: { id, draftId } }) => getDraft(db, caller, id, draftId),
  }),
  route({
    ...threads,
    operationId: 'updateDraft',
    method: 'PATCH',
    path: '/v1/mailboxes/{id}/drafts/{draftId}',
    scope: 'mail.draft',
    summary: 'Update a draft',
    description: 'Only the fields you send are changed. Every save updates `created_at`.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: draftParams,
    body: draftUpdate,
    answer: messageAnswer,
    example: { params: draft, body: { to: ['charles@example.org'] }, answer: exampleDraft },
    async handle({ db, caller, facts, params: { id, draftId }, body }) {
      const saved = await updateDraft(db, caller, id, draftId, body);
      facts.hintMail();
      return saved;
    },
  }),
  route({
    ...threads,
    operationId: 'deleteDraft',
    method: 'DELETE',
    path: '/v1/mailboxes/{id}/drafts/{draftId}',
    scope: 'mail.draft',
    errors: ['NOT_FOUND', 'CONFLICT'],
    summary: 'Delete a draft',
    params: draftParams,
    answer: threadDeleted,
    example: { params: draft, answer: { id: exampleDraft.id, success: true } },
    async handle({ db, caller, facts, params: { id, draftId } }) {
      await deleteDraft(db, caller, id, draftId);
      facts.hintMail();
      return { id: draftId, success: true };
    },
  }),
  route({
    ...threads,
    operationId: 'takeOverDraft',
    method: 'POST',
    path: '/v1/mailboxes/{id}/drafts/{draftId}/take-over',
    scope: 'mail.draft',
    summary: 'Take over a draft',
    description:
      'A draft belongs to the person who wrote it (`author`). For others, changing, sending and deleting it is 409 with the `owner`, until they take it over. The activity of the thread keeps the text as it was.',
    params: draftParams,
    answer: messageAnswer,
    example: { params: draft, answer: exampleDraft },
    async handle({ db, caller, facts, params: { id, draftId } }) {
      const taken = await takeOverDraft(db, caller, id, draftId);
      facts.hintMail();
      return taken;
    },
  }),
  route({
    ...threads,
    operationId: 'addDraftAttachment',
    method: 'POST',
    path: '/v1/mailboxes/{id}/drafts/{draftId}/attachments',
    scope: 'mail.draft',
    errors: ['NOT_FOUND', 'CONFLICT'],
    summary: 'Add a file to a draft',
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: draftParams,
    body: draftFile,
    answer: messageAnswer,
    example: {
      params: draft,
      body: { filename: 'note.txt', content: 'SXQgdHVybnMu', content_type: 'text/plain' },
      answer: exampleDraft,
    },
    async handle({ db, caller, facts, params: { id, draftId }, body }) {
      const saved = await addDraftFile(db, caller, id, draftId, body);
      facts.hintMail();
      return saved;
    },
  }),
  route({
    ...threads,
    operationId: 'removeDraftAttachment',
    method: 'DELETE',
    path: '/v1/mailboxes/{id}/drafts/{draftId}/attachments/{n}',
    scope: 'mail.draft',
    errors: ['NOT_FOUND', 'CONFLICT'],
    summary: 'Remove a file from a draft',
    description: 'The files after it move up by one.',
    params: draftFileParams,
    answer: messageAnswer,
    example: { params: { ...draft, n: '0' }, answer: exampleDraft },
    async handle({ db, caller, facts, params: { id, draftId, n } }) {
      const saved = await removeDraftFile(db, caller, id, draftId, n);
      facts.hintMail();
      return saved;
    },
  }),
  route({
    ...threads,
    operationId: 'sendDraft',
    method: 'POST',
    path: '/v1/mailboxes/{id}/drafts/{draftId}/send',
    scope: 'mail.reply',
    errors: ['NOT_FOUND', 'CONFLICT', 'THREAD_CHANGED'],
    summary: 'Send a draft',
    description: 'Sends the draft as it is. The message keeps the ID of the draft.',
    heavy: 'messages',
    params: draftParams,
    body: draftSend,
    answer: messageSubmitted,
    example: { params: draft, body: { undo_seconds: 30 }, answer: accepted },
    async handle({ db, caller, facts, params: { id, draftId }, body }) {
      const sent = await sendDraft(db, caller, id, draftId, body);
      facts.wakeDeliveryWorkers();
      facts.hintMail();
      return sent;
    },
  }),
];
