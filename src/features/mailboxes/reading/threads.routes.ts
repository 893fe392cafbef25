import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { FileAnswer, route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { updateThread, updateThreads } from './change-threads.ts';
import { deleteThread, deleteThreads, emptyTrash } from './delete-threads.ts';
import { exampleMessage, exampleThread } from './examples.ts';
import { attachmentAnswer, once } from './attachment-answer.ts';
import { displayMessage } from './display.ts';
import { findPeople } from './find-people.ts';
import { updateMessage } from './change-message.ts';
import { openMailboxEvents } from './live.ts';
import { getAttachment, getMessage, getRawMessage } from './messages.ts';
import {
  attachmentParams,
  displayQuery,
  eventsQuery,
  manyThreadsDeleted,
  manyThreadsDeletion,
  manyThreadsUpdate,
  manyThreadsUpdated,
  messageAnswer,
  messageDisplay,
  messageParams,
  messageUpdate,
  peopleList,
  peopleQuery,
  succeeded,
  threadDeleted,
  threadPage,
  threadParams,
  threadQuery,
  threadUpdate,
  threadWithMessages,
  trashEmptied,
} from './threads.schema.ts';
import { getThread, listThreads } from './threads.ts';

const group = 'Threads';
const common = {
  group,
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} as const;
const mailbox = { id: exampleThread.mailbox_id };
const thread = { id: exampleThread.id };
const message = { id: exampleMessage.id };

export const threadRoutes = [
  route({
    ...common,
    operationId: 'listThreads',
    method: 'GET',
    path: '/v1/mailboxes/{id}/threads',
    scope: 'mail.read',
    summary: 'List or search threads',
    readsReplica: true,
    description:
      'Newest first. Without `folder`, lists all threads except those in trash and spam. `sent`, `drafts` and `scheduled` are views: they list the threads, in any folder, that have a sent message, a draft or a waiting message.',
    params: mailboxParams,
    query: threadQuery,
    answer: threadPage,
    example: {
      params: mailbox,
      query: { folder: 'inbox', q: 'from:charles engine' },
      answer: { items: [exampleThread], next_cursor: null },
    },
    handle: ({ db, caller, params: { id }, query }) => listThreads(db, caller, id, query),
  }),
  route({
    ...common,
    operationId: 'updateThreads',
    method: 'PATCH',
    path: '/v1/mailboxes/{id}/threads',
    scope: 'mail.labels',
    storesLittle: true,
    summary: 'Update several threads',
    description:
      'Marks up to 1,000 threads of one mailbox read or unread, or moves them. Threads that do not exist, for example because they were deleted in the meantime, are returned in `not_found`; the others are still updated.',
    params: mailboxParams,
    body: manyThreadsUpdate,
    answer: manyThreadsUpdated,
    example: {
      params: mailbox,
      body: { ids: [thread.id], folder: 'archive' },
      answer: { success: true, not_found: [] },
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const result = await updateThreads(db, caller, id, body);
      facts.hintMail();
      return result;
    },
  }),
  route({
    ...common,
    operationId: 'deleteThreads',
    method: 'DELETE',
    path: '/v1/mailboxes/{id}/threads',
    scope: 'mail.delete',
    summary: 'Delete several threads permanently',
    description:
      'Deletes up to 1,000 threads from the trash of one mailbox. Threads that are not in the trash are returned in `not_found`; the others are still deleted.',
    params: mailboxParams,
    body: manyThreadsDeletion,
    answer: manyThreadsDeleted,
    example: { params: mailbox, body: { ids: [thread.id] }, answer: { success: true, not_found: [] } },
    async handle({ db, caller, facts, params: { id }, body }) {
      const result = await deleteThreads(db, caller, id, body.ids);
      facts.hintMail();
      return result;
    },
  }),
  route({
    ...common,
    operationId: 'emptyTrash',
    method: 'DELETE',
    path: '/v1/mailboxes/{id}/trash',
    scope: 'mail.delete',
    summary: 'Empty the trash',
    description:
      'Deletes the threads in the trash permanently, oldest first, at most 1,000 per request. Repeat the request while `left` is not 0. Threads that another request is changing at the same time are skipped.',
    params: mailboxParams,
    answer: trashEmptied,
    example: { params: mailbox, answer: { deleted: 37, left: 0 } },
    async handle({ db, caller, facts, params: { id } }) {
      const result = await emptyTrash(db, caller, id);
      facts.hintMail();
      return result;
    },
  }),
  route({
    ...common,
    operationId: 'findPeople',
    method: 'GET',
    path: '/v1/mailboxes/{id}/people',
    scope: 'mail.read',
    summary: 'Find recipients',
    readsReplica: true,
    description:
      'Searches recent messages of the mailbox and the contact books of the team. Returns at most 10.',
    params: mailboxParams,
    query: peopleQuery,
    answer: peopleList,
    example: {
      params: mailbox,
      query: { q: 'char' },
      answer: { items: [{ name: 'Charles Babbage', address: 'charles@example.org' }] },
    },
    handle: async ({ db, caller, params: { id }, query }) => ({
      items: await findPeople(db, caller, id, query.q),
    }),
  }),
  route({
    ...common,
    operationId: 'listenToMailbox',
    method: 'GET',
    path: '/v1/mailboxes/{id}/events',
    scope: 'mail.read',
    summary: 'Stream mailbox events',
    description:
      'A stream of server-sent events: `message.received`, `thread.changed`, `message.left`, `message.taken_back`, `folders.changed`, `presence.changed`, `access.changed`, `approvals.changed`. Send `Last-Event-ID` to continue after that event, up to three days back. A `ping` with the current ID is sent at the start and after a period without events. The server closes the stream from time to time; reconnect with the last ID.',
    params: mailboxParams,
    query: eventsQuery,
    answer: 'text/event-stream',
    example: {
      params: mailbox,
      answer: `id: 7\nevent: message.received\ndata: {"type":"message.received","thread_id":"${thread.id}"}\n\n`,
    },
    async handle({ db, caller, facts, params: { id }, query, header }) {
      const lastEventId = header('last-event-id') || query.last_event_id;
      const events = await openMailboxEvents(db, caller, facts, id, lastEventId);
      return new FileAnswer('text/event-stream', null, events);
    },
  }),
  route({
    ...common,
    operationId: 'getThread',
    method: 'GET',
    path: '/v1/threads/{id}',
    scope: 'mail.read',
    summary: 'Get a thread with its messages',
    params: threadParams,
    answer: threadWithMessages,
    example: { params: thread, answer: { ...exampleThread, messages: [exampleMessage] } },
    handle: ({ db, caller, params: { id } }) => getThread(db, caller, id),
  }),
  route({
    ...common,
    operationId: 'updateThread',
    method: 'PATCH',
    path: '/v1/threads/{id}',
    scope: 'mail.labels',
    storesLittle: true,
    summary: 'Update a thread',
    description:
      'Marks every message of the thread read or unread, or moves all of them to a folder. Send `read`, `folder` or both.',
    tooLargeAs: 'BAD_REQUEST',
    params: threadParams,
    body: threadUpdate,
    answer: succeeded,
    example: { params: thread, body: { read: true, folder: 'archive' }, answer: { success: true } },
    async handle({ db, caller, facts, params: { id }, body }) {
      await updateThread(db, caller, id, body);
      facts.hintMail();
      return { success: true };
    },
  }),
  route({
    ...common,
    operationId: 'deleteThread',
    method: 'DELETE',
    path: '/v1/threads/{id}',
    scope: 'mail.delete',
    summary: 'Delete a thread permanently',
    description: 'The thread must be in the trash.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    tooLargeAs: 'BAD_REQUEST',
    params: threadParams,
    answer: threadDeleted,
    example: { params: thread, answer: { ...thread, success: true } },
    async handle({ db, caller, facts, params: { id } }) {
      await deleteThread(db, caller, id);
      facts.hintMail();
      return { id, success: true };
    },
  }),
  route({
    ...common,
    operationId: 'getMessage',
    method: 'GET',
    path: '/v1/messages/{id}',
    scope: 'mail.read',
    summary: 'Get a message',
    params: messageParams,
    answer: messageAnswer,
    example: { params: message, answer: exampleMessage },
    handle: ({ db, caller, params: { id } }) => getMessage(db, caller, id),
  }),
  route({
    ...common,
    operationId: 'updateMessage',
    method: 'PATCH',
    path: '/v1/messages/{id}',
    scope: 'mail.labels',
    storesLittle: true,
    summary: 'Update a message',
    description:
      'Marks one message, replaces its labels, or moves it to another folder. The other messages of its thread stay as they are.',
    params: messageParams,
    body: messageUpdate,
    answer: messageAnswer,
    example: {
      params: message,
      body: { starred: true, labels: ['invoices'] },
      answer: { ...exampleMessage, starred: true },
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const updated = await updateMessage(db, caller, id, body);
      facts.hintMail();
      return updated;
    },
  }),
  route({
    ...common,
    operationId: 'displayMessage',
    method: 'GET',
    path: '/v1/messages/{id}/display',
    scope: 'mail.read',
    summary: 'Get a message for display',
    description:
      'Remote images are blocked unless you ask for them. The URL of a blocked image is in `data-held-src`.',
    params: messageParams,
    query: displayQuery,
    answer: messageDisplay,
    example: {
      params: message,
      query: { images: 'held' },
      answer: { id: exampleMessage.id, html: '<p>It turns.</p>', text: 'It turns.', held_images: 0 },
    },
    handle: ({ db, caller, params: { id }, query }) => displayMessage(db, caller, id, query.images),
  }),
  route({
    ...common,
    operationId: 'getRawMessage',
    method: 'GET',
    path: '/v1/messages/{id}/raw',
    scope: 'mail.read',
    summary: 'Get the source of a message',
    description:
      'The raw message as it was sent or received. A received message starts with the results of the sender checks.',
    params: messageParams,
    answer: 'message/rfc822',
    example: { params: message, answer: 'From: Charles Babbage <charles@example.org>\r\n…' },
    async handle({ db, caller, params: { id } }) {
      const { contentType, filename, bytes } = await getRawMessage(db, caller, id);
      return new FileAnswer(contentType, filename, once(bytes));
    },
  }),
  route({
    ...common,
    operationId: 'getAttachment',
    method: 'GET',
    path: '/v1/messages/{id}/attachments/{n}',
    scope: 'mail.read',
    summary: 'Get an attachment',
    description:
      'Attachments are numbered from 0. The response is a download, except for PNG, JPEG, GIF and WebP images.',
    params: attachmentParams,
    answer: 'application/octet-stream',
    example: { params: { ...message, n: '0' }, answer: '…' },
    async handle({ db, caller, params: { id, n } }) {
      return attachmentAnswer(await getAttachment(db, caller, id, n), n);
    },
  }),
];
