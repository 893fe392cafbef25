import { FileAnswer, route } from '../../platform/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { updateThread, updateThreads } from './change-threads.ts';
import { deleteThread, deleteThreads, emptyTrash } from './delete-threads.ts';
import { exampleMessage, exampleThread } from './examples.ts';
import { displayMessage, isImage } from './display.ts';
import { findPeople } from './find-people.ts';
import { countFolders } from './folders.ts';
import { openMailboxEvents } from './live.ts';
import { getAttachment, getMessage, getRawMessage } from './messages.ts';
import {
  attachmentParams,
  displayQuery,
  eventsQuery,
  folderList,
  manyThreadsDeleted,
  manyThreadsDeletion,
  manyThreadsUpdate,
  manyThreadsUpdated,
  messageAnswer,
  messageDisplay,
  messageParams,
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
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
  errors: ['NOT_FOUND'],
} as const;
const mailbox = { id: exampleThread.mailbox_id };
const thread = { id: exampleThread.id };
const message = { id: exampleMessage.id };

/** A script of our own origin is what our pages may run, so a stranger's goes out as mere bytes, which none does. */
function isSafeType(contentType: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+$/.test(contentType) && !/(?:java|ecma|live)script/i.test(contentType);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const threadRoutes = [
  route({
    ...common,
    operationId: 'listThreads',
    method: 'GET',
    path: '/v1/mailboxes/{id}/threads',
    summary: 'List or search the threads of a mailbox',
    description:
      'Newest first. Without a folder: everything but trash and spam. `sent`, `drafts` and `scheduled` are views: threads with something that was sent, is a draft, or waits, whatever folder they are in.',
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
    summary: 'Mark many threads read or unread, or move them',
    description:
      'As for one thread, for up to 1,000 of one mailbox in one step. What is found is changed; ids that are not, as of a thread that somebody deleted meanwhile, come back in `not_found` and stop nothing.',
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
    summary: 'Delete many threads for good',
    description:
      'Only from the trash, up to 1,000 of one mailbox in one step. What is found there is deleted; other ids come back in `not_found` and stop nothing.',
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
    summary: 'Empty the trash',
    description:
      'Deletes the threads in it for good, the oldest first and at most 1,000 in one call. Call again while some are left; those that somebody else is changing or deleting at this moment are passed over.',
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
    operationId: 'listFolders',
    method: 'GET',
    path: '/v1/mailboxes/{id}/folders',
    summary: 'Count what is in the folders of a mailbox',
    params: mailboxParams,
    answer: folderList,
    example: { params: mailbox, answer: { items: [{ folder: 'inbox', unread: 2, total: 14 }] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await countFolders(db, caller, id) }),
  }),
  route({
    ...common,
    operationId: 'findPeople',
    method: 'GET',
    path: '/v1/mailboxes/{id}/people',
    summary: 'Find people to write to',
    description: 'From recent mail of the mailbox and from the contact books of the team; at most 10.',
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
    summary: 'Hear what happens in a mailbox, as it happens',
    description:
      'Server-sent events: `message.received`, `thread.changed`, `message.left`, `message.taken_back`. With `Last-Event-ID` it goes on where it was left, up to three days back. `ping` comes at the start, with the id to go on from, and whenever nothing else has come for a while. It ends now and then; come again with the last id.',
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
    summary: 'Get a thread with all its messages',
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
    summary: 'Mark a whole thread read or unread, or move it',
    description: 'Every message of the thread. Name `read`, `folder` or both.',
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
    summary: 'Delete a thread for good',
    description: 'Only from the trash.',
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
    summary: 'Get a message',
    params: messageParams,
    answer: messageAnswer,
    example: { params: message, answer: exampleMessage },
    handle: ({ db, caller, params: { id } }) => getMessage(db, caller, id),
  }),
  route({
    ...common,
    operationId: 'displayMessage',
    method: 'GET',
    path: '/v1/messages/{id}/display',
    summary: 'Get a message as it is shown to a person',
    description:
      'Nothing of it is fetched from other servers until asked for: an image that is held back has its address in `data-held-src`.',
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
    summary: 'Get a message in one piece',
    description: 'As it came in, with what we found out about its sender on top; or as it went out.',
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
    summary: 'Get an attachment',
    description: 'Counted from 0. Sent as a file to save, but for PNG, JPEG, GIF and WebP images.',
    params: attachmentParams,
    answer: 'application/octet-stream',
    example: { params: { ...message, n: '0' }, answer: '…' },
    async handle({ db, caller, params: { id, n } }) {
      const { contentType, filename, bytes } = await getAttachment(db, caller, id, n);
      const type = isSafeType(contentType) ? contentType : 'application/octet-stream';
      // Everything else a browser only saves: what a stranger sent must not run here.
      const shownAs = isImage(type) ? 'inline' : 'attachment';
      return new FileAnswer(type, filename ?? `attachment-${n}`, once(bytes), shownAs);
    },
  }),
];
