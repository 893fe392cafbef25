import { z } from 'zod';
import { cursorPage, cursorQuery, integerText, plainId, text, timestamp } from '../../platform/schema.ts';

/** Where a thread can be put. */
const folder = z.enum(['inbox', 'archive', 'trash', 'spam']);
/** Also the views: threads with something that was sent, is a draft, or waits. */
const folderOrView = z.enum(['inbox', 'archive', 'trash', 'spam', 'sent', 'drafts', 'scheduled']);
export type FolderOrView = z.infer<typeof folderOrView>;

const attachmentShape = z
  .object({
    n: z.int().describe('Its number in the path `/v1/messages/{id}/attachments/{n}`'),
    filename: z.string().nullable(),
    content_type: z.string(),
    size: z.int(),
    inline: z.boolean(),
    content_id: z.string().nullable().describe('What the HTML calls it in a `cid:` address'),
  })
  .meta({ id: 'MessageAttachment' });

const verdict = z.string();

const messageShape = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    direction: z.enum(['in', 'out']),
    status: z.enum(['received', 'draft', 'waiting', 'sent', 'bounced']),
    from: z.string(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    reply_to: z.array(z.string()),
    subject: z.string(),
    html: z.string().nullable().describe('Cleaned'),
    text: z.string().nullable(),
    body_omitted: z
      .boolean()
      .describe(
        'Whether `html` and `text` stayed behind, as they do in older messages of a thread or a list of drafts that is too large for one answer: `GET /messages/{id}` has them',
      ),
    read: z.boolean(),
    folder: folderOrView,
    attachments: z.array(attachmentShape),
    message_id: z.string().nullable().describe('Its `Message-ID` field'),
    authentication: z
      .object({ spf: verdict, dkim: verdict, dmarc: verdict, arc: verdict })
      .nullable()
      .describe('How the sender was checked, of a received message'),
    send_at: timestamp.nullable().describe('When it leaves, while it waits'),
    cancel_if_replied: z
      .boolean()
      .describe('Whether it is taken back when the other side writes first, while it waits'),
    created_at: timestamp,
  })
  .meta({ id: 'Message' });

const threadFields = {
  id: z.string(),
  mailbox_id: z.string(),
  subject: z.string(),
  folder: folderOrView.describe('`sent` for mail of your own that nobody answered or filed yet'),
  unread: z.boolean(),
  message_count: z.int(),
  participants: z.array(z.string()).describe('Everyone but the mailbox itself'),
  snippet: z.string(),
  last_message_at: timestamp,
};
const threadShape = z.object(threadFields).meta({ id: 'Thread' });

export const threadWithMessages = z
  .object({ ...threadFields, messages: z.array(messageShape).describe('Oldest first') })
  .meta({ id: 'ThreadWithMessages' });
export const threadPage = cursorPage(threadShape);
export const threadParams = z.object({ id: plainId });
export const threadQuery = z.object({
  ...cursorQuery,
  offset: integerText(0, 10_000_000)
    .default(0)
    .describe(
      'How many to pass over, from the start or from the cursor, as when somebody drags a scroll bar',
    ),
  folder: folderOrView.optional().describe('Without it: everything but trash and spam'),
  unread: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  q: text({ max: 1000 })
    .optional()
    .describe(
      'Words in subject, people and text, or `"words in this order"`. Also `from:ada`, `to:bob`, `is:unread`, `has:attachment`, `before:2026-11-15`, `after:2026-11-01`, and `-word` for none of it.',
    ),
});
export const MAX_AT_ONCE = 1_000;
const ids = z.array(plainId).min(1).max(MAX_AT_ONCE);
const changes = { read: z.boolean().optional(), folder: folder.optional() };
const namesSomething = ({ read, folder: place }: { read?: boolean; folder?: string }) =>
  read !== undefined || place !== undefined;
const namesNothing = { error: 'must name read, folder or both' };
export const threadUpdate = z.object(changes).refine(namesSomething, namesNothing);
export const manyThreadsUpdate = z.object({ ids, ...changes }).refine(namesSomething, namesNothing);
export const manyThreadsUpdated = z.object({
  success: z.boolean().describe('Whether all of them were found'),
  not_found: z.array(z.string()).describe('Those that are no threads of this mailbox, or no longer'),
});
export const manyThreadsDeletion = z.object({ ids });
export const manyThreadsDeleted = z.object({
  success: z.boolean().describe('Whether all of them were found'),
  not_found: z.array(z.string()).describe('Those that are not in the trash of this mailbox, or no longer'),
});
export const trashEmptied = z.object({
  deleted: z.int().describe('Threads'),
  left: z.int().describe('Threads that are still in the trash'),
});
export const succeeded = z.object({ success: z.boolean() });
export const threadDeleted = z.object({ id: z.string(), success: z.boolean() });

export const folderList = z.object({
  items: z.array(
    z
      .object({
        folder: folderOrView,
        unread: z.int().describe('Threads with something unread'),
        total: z.int().describe('Threads; of the views, messages'),
      })
      .meta({ id: 'FolderCount' }),
  ),
});

export const eventsQuery = z.object({
  last_event_id: text({ max: 20 })
    .optional()
    .describe('For a browser that begins a stream anew: it cannot send `Last-Event-ID` by itself'),
});

export const messageAnswer = messageShape;
export const draftList = z.object({ items: z.array(messageShape) });
export const messageDisplay = z
  .object({
    id: z.string(),
    html: z
      .string()
      .nullable()
      .describe('Cleaned; images of the message itself are inside, as `data:` addresses'),
    text: z.string().nullable(),
    held_images: z.int().describe('How many images of other servers are held back'),
  })
  .meta({ id: 'MessageDisplay' });
export const displayQuery = z.object({
  images: z.enum(['held', 'shown']).default('held').describe('Whether images of other servers are held back'),
});
export const messageParams = z.object({ id: plainId });
export const attachmentNumber = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a whole number' })
  .transform(Number)
  .meta({ type: 'integer', minimum: 0 });
export const attachmentParams = z.object({ id: plainId, n: attachmentNumber });
export const peopleQuery = z.object({
  q: text({ min: 1, max: 200, trim: true }).describe('The beginning of an address or of a name'),
});
export const peopleList = z.object({
  items: z.array(
    z.object({ name: z.string().nullable(), address: z.string() }).meta({ id: 'PersonToWriteTo' }),
  ),
});

export type PersonToWriteTo = z.infer<typeof peopleList>['items'][number];
export type Message = z.infer<typeof messageShape>;
export type MessageDisplay = z.infer<typeof messageDisplay>;
export type Thread = z.infer<typeof threadShape>;
export type ThreadWithMessages = z.infer<typeof threadWithMessages>;
export type ThreadQuery = z.output<typeof threadQuery>;
export type ThreadUpdate = z.output<typeof threadUpdate>;
export type ManyThreadsUpdate = z.output<typeof manyThreadsUpdate>;
export type ManyThreadsUpdated = z.infer<typeof manyThreadsUpdated>;
export type TrashEmptied = z.infer<typeof trashEmptied>;
export type FolderCount = z.infer<typeof folderList>['items'][number];
