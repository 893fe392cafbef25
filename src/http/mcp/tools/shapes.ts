/** Shapes that several tools share. */
import { z } from 'zod';
import type { Message, Thread } from '../../../features/mailboxes/reading/threads.schema.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { fencedBody, fencedText, type Fence } from './fence.ts';

export const someId = z.string().min(1).max(256);
export const mailboxId = someId.describe('From list_mailboxes');
export const threadId = someId.describe('From search_threads');
export const limit = z.int().min(1).max(25).default(10);
export const cursor = z.string().max(1000).optional().describe('`next_cursor` of the page before');
export const nextCursor = z.string().nullable();
export const idempotencyKey = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe(
    'The same key with the same input does it only once. Choose a new one for each action, and keep it when you try again',
  );
export const offset = z
  .int()
  .min(0)
  .max(10_000_000)
  .default(0)
  .describe('`next_offset` of the answer before');

export const person = z.object({
  address: z.string().nullable().describe('Null if it is no plain address'),
  name: fencedText.nullable(),
});

/** Addresses in quotes can hold sentences, so only plain ones are shown outside of the fence. */
const PLAIN_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w.-]{1,253}$/u;

export function presentPerson(text: string, fence: Fence): z.infer<typeof person> {
  const parsed = parseMailbox(text);
  const address = parsed && PLAIN_ADDRESS.test(parsed.email) ? parsed.email : null;
  return { address, name: fence.lineOrNull(address === null ? text : parsed!.name) };
}

const MAX_PEOPLE = 20;

export function presentPeople(texts: string[], fence: Fence): z.infer<typeof person>[] {
  return texts.slice(0, MAX_PEOPLE).map((text) => presentPerson(text, fence));
}

export const threadShape = z.object({
  id: z.string(),
  subject: fencedText,
  folder: z.string(),
  unread: z.boolean(),
  starred: z.boolean(),
  message_count: z.int(),
  people: z.array(person).describe(`Everyone but the mailbox itself, at most ${MAX_PEOPLE}`),
  assignee: z.object({ user_id: z.string(), name: z.string() }).nullable().describe('Who takes care of it'),
  last_message_at: z.string(),
});

export function presentThread(thread: Thread, fence: Fence): z.infer<typeof threadShape> {
  const { id, subject, folder, unread, starred, message_count, participants, last_message_at } = thread;
  const people = presentPeople(participants.slice(0, 5), fence);
  return {
    id,
    subject: fence.line(subject),
    folder,
    unread,
    starred,
    message_count,
    people,
    assignee: thread.assignee,
    last_message_at,
  };
}

export const messageShape = z.object({
  id: z.string(),
  thread_id: z.string(),
  direction: z.enum(['in', 'out']).describe('`in`: from outside. `out`: written in this mailbox'),
  status: z.string(),
  author: person.extend({
    dmarc: z
      .string()
      .nullable()
      .describe(
        'Whether the address of the author is proven: `pass`, `fail`, `none` (not known). Null for mail of this mailbox',
      ),
    first_contact: z
      .boolean()
      .nullable()
      .describe('Whether the mailbox had never had mail from or to this person'),
    warnings: z.array(z.string()).describe('Such as `look_alike`: the domain looks like one that is known'),
  }),
  to: z.array(person),
  cc: z.array(person),
  reply_to: z.array(person),
  subject: fencedText,
  created_at: z.string(),
  body: fencedBody.nullable().describe('Null: read it with get_message'),
  labels: z.array(z.string()),
  folder: z.string(),
  unread: z.boolean(),
  attachments: z.array(
    z.object({
      n: z.int().describe('For get_attachment_text'),
      filename: fencedText.nullable(),
      content_type: z.string(),
      size: z.int(),
    }),
  ),
});

const MAX_FILES = 30;

export function presentMessage(message: Message, fence: Fence, from = 0): z.infer<typeof messageShape> {
  const { id, thread_id, direction, status, created_at, folder, labels, read } = message;
  const isOwn = direction === 'out';
  return {
    id,
    thread_id,
    direction,
    status,
    author: {
      ...presentPerson(message.from, fence),
      dmarc: isOwn ? null : (message.authentication?.dmarc ?? 'none'),
      first_contact: message.first_contact,
      warnings: message.warnings.map(({ kind }) => kind),
    },
    to: presentPeople(message.to, fence),
    cc: presentPeople(message.cc, fence),
    reply_to: presentPeople(message.reply_to, fence),
    subject: fence.line(message.subject),
    created_at,
    body: message.body_omitted ? null : fence.body(message, from),
    labels,
    folder,
    unread: !read,
    attachments: message.attachments.slice(0, MAX_FILES).map(({ n, filename, content_type, size }) => ({
      n,
      filename: fence.lineOrNull(filename),
      content_type: /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(content_type)
        ? content_type
        : 'application/octet-stream',
      size,
    })),
  };
}
