import { route } from '../../api/route.ts';
import { exampleMessage, exampleThread } from '../reading/examples.ts';
import { messageParams, threadParams, threadWithMessages } from '../reading/threads.schema.ts';
import { mergeIntoThread } from './merge-threads.ts';
import { mergeInput, mergeUndone } from './merging.schema.ts';
import { splitThread, undoSplit } from './split-thread.ts';
import { undoMerge } from './undo-merge.ts';

const common = {
  group: 'Threads',
  permission: 'full',
  role: 'member',
  scope: 'mail.labels',
  boundKeys: 'kept-to-domain',
  mailboxKeys: 'kept-to-mailboxes',
  storesLittle: true,
  tooLargeAs: 'BAD_REQUEST',
} as const;
const thread = { id: exampleThread.id };
const message = { id: exampleMessage.id };
const other = 'thr_01kbd8x4zvf7m8rk2q3w5t6y7j';
const answer = { ...exampleThread, messages: [exampleMessage] };

export const mergingRoutes = [
  route({
    ...common,
    operationId: 'mergeThreads',
    method: 'POST',
    path: '/v1/threads/{id}/merge',
    summary: 'Merge threads into one',
    description:
      'The messages of the threads in `from` join this thread, and later answers follow them. The IDs of those threads keep working. Notes, activity and reminders go along. The assignee of this thread stays; without one, it gets that of the others. This thread decides whether the conversation is snoozed. All threads must be in one mailbox.',
    errors: ['NOT_FOUND'],
    params: threadParams,
    body: mergeInput,
    answer: threadWithMessages,
    example: { params: thread, body: { from: [other] }, answer },
    async handle({ db, caller, facts, params: { id }, body }) {
      const merged = await mergeIntoThread(db, caller, id, body.from);
      facts.hintMail();
      return merged;
    },
  }),
  route({
    ...common,
    operationId: 'undoMerge',
    method: 'DELETE',
    path: '/v1/threads/{id}/merge',
    summary: 'Undo a merge',
    description:
      'Undoes the latest merge into this thread, up to 30 days later. With the ID of a thread that was merged, only that one leaves. The threads have their IDs, messages, notes and assignees again, and the answers to their messages that have arrived since. They are not snoozed again.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: threadParams,
    answer: mergeUndone,
    example: { params: thread, answer: { success: true, thread_ids: [thread.id, other] } },
    async handle({ db, caller, facts, params: { id } }) {
      const undone = await undoMerge(db, caller, id);
      facts.hintMail();
      return undone;
    },
  }),
  route({
    ...common,
    operationId: 'splitThread',
    method: 'POST',
    path: '/v1/messages/{id}/split',
    summary: 'Split a thread at a message',
    description:
      'The message and all later ones become a thread of their own, which is returned. Later answers follow the message that they answer. The new thread gets the same assignee and is snoozed as long; notes stay with the first part.',
    errors: ['NOT_FOUND'],
    params: messageParams,
    answer: threadWithMessages,
    example: { params: message, answer },
    async handle({ db, caller, facts, params: { id } }) {
      const split = await splitThread(db, caller, id);
      facts.hintMail();
      return split;
    },
  }),
  route({
    ...common,
    operationId: 'undoSplit',
    method: 'DELETE',
    path: '/v1/messages/{id}/split',
    summary: 'Undo a split',
    description:
      'The thread that was split at this message joins the one it came from again, with what has arrived since. Possible for 30 days. The thread is returned.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: messageParams,
    answer: threadWithMessages,
    example: { params: message, answer },
    async handle({ db, caller, facts, params: { id } }) {
      const undone = await undoSplit(db, caller, id);
      facts.hintMail();
      return undone;
    },
  }),
];
