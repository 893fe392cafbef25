/** Tools that put conversations in order. */
import { z } from 'zod';
import type { Thread, ThreadWithMessages } from '../../../features/mailboxes/reading/threads.schema.ts';
import { escapeText } from '../../../mail/html/entities.ts';
import { badRequest } from '../../../platform/errors.ts';
import { idempotencyKey, mailboxId, someId, threadId } from './shapes.ts';
import { ADDS, CHANGES, tool, type Calls } from './tool.ts';

const threadIds = z.array(threadId).min(1).max(50);

const MOST_LABELLED = 10;
const labels = z.array(z.string().min(1).max(100)).max(20);
const person = z.object({ user_id: z.string(), name: z.string() }).nullable();

export const organisingTools = [
  tool({
    name: 'label_threads',
    title: 'Label conversations',
    description: 'Adds labels to conversations and removes labels from them. Labels have no spaces.',
    hints: CHANGES,
    operations: ['getThread', 'updateMessage'],
    input: z.object({
      thread_ids: z.array(threadId).min(1).max(MOST_LABELLED),
      add: labels.default([]),
      remove: labels.default([]),
    }),
    output: z.object({
      threads: z.array(z.object({ id: z.string(), labels: z.array(z.string()) })),
    }),
    async run({ thread_ids, add, remove }, { call }) {
      const threads: { id: string; labels: string[] }[] = [];
      for (const id of new Set(thread_ids)) {
        const thread = await call<ThreadWithMessages>('getThread', { params: { id } });
        threads.push({ id, labels: await labelThread(call, thread, { add, remove }) });
      }
      return threads;
    },
    present: (threads) => ({ threads }),
  }),
  tool({
    name: 'assign_thread',
    title: 'Assign a conversation',
    description: 'Gives a conversation to a person who has access to the mailbox, or to nobody.',
    hints: CHANGES,
    operations: ['assignThread'],
    input: z.object({
      thread_id: threadId,
      user_id: someId.nullable().describe('The person, as in `assignee` of conversations, or null'),
      if_assignee: someId
        .nullable()
        .optional()
        .describe('Who it was assigned to when you read it. If that has changed, nothing happens'),
    }),
    output: z.object({ thread_id: z.string(), assignee: person }),
    run: ({ thread_id: id, ...body }, { call }) => call<Thread>('assignThread', { params: { id }, body }),
    present: ({ id, assignee }) => ({
      thread_id: id,
      assignee,
    }),
  }),
  tool({
    name: 'snooze_thread',
    title: 'Put a conversation away until later',
    description:
      'The conversation leaves its folder and comes back to the inbox, unread, at a time or with a reply.',
    hints: CHANGES,
    operations: ['snoozeThread'],
    input: z.object({
      thread_id: threadId,
      until: z.string().max(64).describe('RFC 3339 with an offset, one minute to one year from now'),
      wake: z.enum(['time_or_reply', 'time_only', 'reply_only']).default('time_or_reply'),
    }),
    output: z.object({ thread_id: z.string(), snoozed_until: z.string().nullable() }),
    run: ({ thread_id: id, ...body }, { call }) => call<Thread>('snoozeThread', { params: { id }, body }),
    present: ({ id, snoozed_until }) => ({ thread_id: id, snoozed_until }),
  }),
  tool({
    name: 'add_note',
    title: 'Write a note',
    description:
      'Writes a note at a conversation for the people who share the mailbox. Notes are never sent to anyone outside.',
    hints: ADDS,
    operations: ['createNote'],
    input: z.object({
      thread_id: threadId,
      text: z.string().min(1).max(10_000),
      mentions: z.array(someId).max(50).optional().describe('The `user_id` of people to notify'),
      idempotency_key: idempotencyKey,
    }),
    output: z.object({ note_id: z.string() }),
    run: ({ thread_id: id, text, mentions, idempotency_key }, { call }) =>
      call<{ id: string }>('createNote', {
        params: { id },
        body: { html: toHtml(text), mentions },
        idempotencyKey: idempotency_key,
      }),
    present: ({ id }) => ({ note_id: id }),
  }),
  tool({
    name: 'move_threads',
    title: 'Move conversations, mark them read, star them',
    description:
      'Moves conversations to `inbox`, `archive`, `spam` or a folder of the mailbox, and marks them as read or starred. There is no tool that deletes.',
    hints: CHANGES,
    operations: ['updateThreads'],
    input: z.object({
      mailbox_id: mailboxId,
      thread_ids: threadIds,
      folder: z
        .string()
        .regex(/^(?:inbox|archive|spam|fld_[0-9a-z]{26})$/, {
          error: 'must be inbox, archive, spam or the ID of a folder',
        })
        .optional(),
      read: z.boolean().optional(),
      starred: z.boolean().optional(),
    }),
    output: z.object({ success: z.boolean(), not_found: z.array(z.string()) }),
    run: ({ mailbox_id: id, thread_ids: ids, ...changes }, { call }) => {
      if (Object.values(changes).every((change) => change === undefined))
        throw badRequest('folder, read or starred is required.');
      return call<{ success: boolean; not_found: string[] }>('updateThreads', {
        params: { id },
        body: { ids, ...changes },
      });
    },
    present: ({ success, not_found }) => ({ success, not_found }),
  }),
];

/** A conversation has the labels of all its messages. A new one goes to the newest message. */
async function labelThread(
  call: Calls['call'],
  { messages }: ThreadWithMessages,
  { add, remove }: { add: string[]; remove: string[] },
): Promise<string[]> {
  const newest = messages.at(-1);
  const all = new Set<string>();
  for (const message of messages) {
    const wanted = new Set(message.labels.filter((label) => !remove.includes(label)));
    if (message === newest) for (const label of add) wanted.add(label);
    for (const label of wanted) all.add(label);
    if (wanted.size === message.labels.length && message.labels.every((label) => wanted.has(label))) continue;
    await call('updateMessage', { params: { id: message.id }, body: { labels: [...wanted] } });
  }
  return [...all].toSorted();
}

function toHtml(text: string): string {
  return `<p>${escapeText(text).replaceAll('\n', '<br>')}</p>`;
}
