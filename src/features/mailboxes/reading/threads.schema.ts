import { actorShape } from '../activity/present-actor.ts';
import { z } from 'zod';
import { KEYWORD } from '../../../mail/imap/keyword-form.ts';
import { invitation } from '../invitations/invitations.schema.ts';
import { isSystemFolder, MAX_FOLDER_NAME, SYSTEM_FOLDERS } from '../storage/folder-names.ts';
import { teamworkFields } from './thread-teamwork.schema.ts';
import { cursorPage, cursorQuery, integerText, plainId, text, timestamp } from '../../../platform/schema.ts';

const OWN_FOLDER = /^fld_[0-9a-z]{26}$/;
/** The folders to which a thread can be moved. */
const folder = z
  .string()
  .refine((value) => ['inbox', 'archive', 'trash', 'spam'].includes(value) || OWN_FOLDER.test(value), {
    error: 'must be inbox, archive, trash, spam or the ID of a folder',
  })
  .meta({ examples: ['archive'], pattern: '^(inbox|archive|trash|spam|fld_[0-9a-z]{26})$' });
/** Single messages can also be in sent and drafts. */
const messageFolder = z
  .string()
  .refine((value) => isSystemFolder(value) || OWN_FOLDER.test(value), {
    error: 'must be inbox, archive, sent, drafts, spam, trash or the ID of a folder',
  })
  .meta({ pattern: '^(inbox|archive|sent|drafts|spam|trash|fld_[0-9a-z]{26})$' });
/** These list threads with a sent message, a draft or a waiting message, in any folder but trash and spam. */
export const VIEWS = ['sent', 'drafts', 'scheduled'];
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const label = z.string().regex(KEYWORD, {
  error: 'must have 1 to 100 ASCII characters without spaces, quotes, backslashes, brackets, %, * and {',
});

const attachmentShape = z
  .object({
    n: z.int().describe('The number in the path `/v1/messages/{id}/attachments/{n}`'),
    filename: z.string().nullable(),
    content_type: z.string(),
    size: z.int(),
    inline: z.boolean(),
    content_id: z.string().nullable().describe('The ID that the HTML uses in a `cid:` URL'),
  })
  .meta({ id: 'MessageAttachment' });

const verdict = z.string();
const unsubscribe = z
  .object({
    one_click: z.boolean().describe('Whether `POST /messages/{id}/unsubscribe` is enough (RFC 8058)'),
    url: z.string().nullable(),
    mailto: z.string().nullable(),
  })
  .meta({ id: 'Unsubscribe' });
const warning = z
  .object({
    kind: z
      .enum(['unverified', 'look_alike', 'reply_to', 'new_in_thread'])
      .describe(
        '`unverified`: the checks of the sender failed. `look_alike`: the domain looks like the one in `value`. `reply_to`: a reply goes to the stranger in `value`. `new_in_thread`: a stranger has joined the conversation',
      ),
    value: z.string().nullable(),
  })
  .meta({ id: 'MessageWarning' });

const messageShape = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    direction: z.enum(['in', 'out']),
    status: z.enum(['received', 'draft', 'waiting', 'sent', 'bounced']),
    from: z.string().describe('The author. Empty if a received message does not name one'),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    reply_to: z.array(z.string()),
    delivered_to: z
      .string()
      .nullable()
      .describe('The address that the envelope of a received message named. Replies come from it'),
    author: actorShape
      .nullable()
      .describe('The person who wrote the draft or sent the message here. A draft belongs to that person'),
    subject: z.string(),
    html: z.string().nullable().describe('Cleaned'),
    display_html: z
      .string()
      .nullable()
      .describe(
        'The HTML with its own style sheet, classes and background images, cleaned. Show it only in a sandboxed frame without scripts. Null if `html` alone looks the same',
      ),
    text: z.string().nullable(),
    body_omitted: z
      .boolean()
      .describe(
        'Whether `html` and `text` were left out because the response would be too large. Use `GET /messages/{id}` to get them',
      ),
    read: z.boolean(),
    starred: z.boolean(),
    answered: z.boolean().describe('Whether someone has replied to it'),
    labels: z.array(z.string()).describe('Sorted. IMAP shows them as keywords'),
    folder: z
      .string()
      .describe('`inbox`, `archive`, `sent`, `drafts`, `spam`, `trash`, or the ID of another folder'),
    attachments: z.array(attachmentShape),
    message_id: z.string().nullable().describe('The `Message-ID` header'),
    authentication: z
      .object({ spf: verdict, dkim: verdict, dmarc: verdict, arc: verdict })
      .nullable()
      .describe('The results of the sender checks of a received message'),
    spam: z
      .object({
        score: z.number(),
        reasons: z.array(z.string()).describe('Sentences, the weightiest first'),
        symbols: z
          .array(z.object({ name: z.string(), score: z.number() }))
          .describe('The findings of rspamd. Empty for the built-in filter'),
      })
      .nullable()
      .describe('What the spam filter said when the message arrived. Null if it was not checked'),
    unsubscribe: unsubscribe
      .nullable()
      .describe(
        'How to leave the mailing list. Null unless a passing DKIM signature covers the fields that say so',
      ),
    invitation: invitation.nullable().describe('The invitation in the message'),
    first_contact: z
      .boolean()
      .nullable()
      .describe(
        'Whether the mailbox had never had mail from or to the author before. Null where it is not looked up, such as in lists',
      ),
    warnings: z.array(warning).max(10).describe('Reasons to be careful. Empty for most messages'),
    send_at: timestamp.nullable().describe('The send time of a waiting message'),
    cancel_if_replied: z
      .boolean()
      .describe('Whether sending is cancelled if a recipient replies first, for a waiting message'),
    created_at: timestamp,
  })
  .meta({ id: 'Message' });

const threadFields = {
  id: z.string(),
  mailbox_id: z.string(),
  subject: z.string(),
  folder: z
    .string()
    .describe(
      '`inbox` if a message is there, otherwise the folder of the newest message outside of sent, drafts, spam and trash. `sent` if the thread has only sent messages that nobody has replied to or moved, `drafts` if it has only drafts',
    ),
  unread: z.boolean().describe('Whether a received message is unread'),
  starred: z.boolean().describe('Whether a message is starred'),
  muted: z.boolean().describe('Whether new messages of the thread skip the inbox'),
  message_count: z.int(),
  participants: z.array(z.string()).describe('Everyone except the mailbox itself'),
  snippet: z.string(),
  last_message_at: timestamp,
  ...teamworkFields,
};
const threadShape = z.object(threadFields).meta({ id: 'Thread' });

export const threadWithMessages = z
  .object({ ...threadFields, messages: z.array(messageShape).describe('Oldest first') })
  .meta({ id: 'ThreadWithMessages' });
export const threadAnswer = threadShape;
export const threadPage = cursorPage(threadShape);
export const threadParams = z.object({ id: plainId });
export const threadQuery = z.object({
  ...cursorQuery,
  offset: integerText(0, 10_000_000)
    .default(0)
    .describe('How many threads to skip, from the start or from the cursor'),
  folder: text({ min: 1, max: MAX_FOLDER_NAME })
    .optional()
    .describe(
      'The name or ID of a folder, or one of the views `sent`, `drafts`, `scheduled` and `snoozed`. By default all folders except trash and spam',
    ),
  unread: flag.optional(),
  starred: flag.optional().describe('Threads with or without a starred message'),
  assignee: plainId
    .optional()
    .describe('Threads that are assigned to `me`, to `none`, or to the person with this ID'),
  mentions: z.enum(['me']).optional().describe('Threads with a note that mentions you'),
  label: label.optional().describe('Threads with a message that has this label, by its ID or keyword'),
  q: text({ max: 1000 })
    .optional()
    .describe(
      'Words in the subject, people and text, or `"an exact phrase"`. Also `from:ada`, `to:bob`, `subject:invoice`, `in:archive` (a folder, or `anywhere`; instead of `folder`), `is:unread`, `is:starred`, `is:muted`, `has:attachment`, `label:work`, `before:2026-11-15`, `after:2026-11-01`, `larger:5MB`, `smaller:200k`, and `-word` to exclude a word. Unknown operators are rejected; to search for such a text, put it in quotes.',
    ),
});
export const MAX_AT_ONCE = 1_000;
const ids = z.array(plainId).min(1).max(MAX_AT_ONCE);
const changes = {
  read: z.boolean().optional(),
  folder: folder.optional(),
  starred: z
    .boolean()
    .optional()
    .describe('Stars the newest message, or removes the stars from all messages'),
};
const namesSomething = (update: { read?: boolean; folder?: string; starred?: boolean }) =>
  update.read !== undefined || update.folder !== undefined || update.starred !== undefined;
const namesNothing = { error: 'must have read, folder or starred' };
export const threadUpdate = z.object(changes).refine(namesSomething, namesNothing);
export const manyThreadsUpdate = z.object({ ids, ...changes }).refine(namesSomething, namesNothing);
export const manyThreadsUpdated = z.object({
  success: z.boolean().describe('Whether all threads were found'),
  not_found: z.array(z.string()).describe('IDs that are not threads of this mailbox'),
});
export const manyThreadsDeletion = z.object({ ids });
export const manyThreadsDeleted = z.object({
  success: z.boolean().describe('Whether all threads were found'),
  not_found: z.array(z.string()).describe('IDs that are not in the trash of this mailbox'),
});
export const trashEmptied = z.object({
  deleted: z.int().describe('Threads'),
  left: z.int().describe('Threads that are still in the trash'),
});
export const succeeded = z.object({ success: z.boolean() });
export const threadDeleted = z.object({ id: z.string(), success: z.boolean() });

const folderFields = {
  id: z.string(),
  name: z.string().describe('With a slash between the levels'),
  role: z
    .enum([...SYSTEM_FOLDERS, 'scheduled'])
    .nullable()
    .describe('What the folder is for. Null for a folder of your own'),
};
export const folderShape = z
  .object({
    ...folderFields,
    messages: z.int(),
    unread_messages: z.int(),
    size: z.int().describe('Of all messages, in bytes'),
  })
  .meta({ id: 'Folder' });
export const folderInput = z.object({
  name: text({ min: 1, max: MAX_FOLDER_NAME, trim: true }).describe(
    'With a slash between the levels. Missing levels are created as well',
  ),
});
export const folderParams = z.object({ id: plainId, folderId: plainId });
export const folderDeleted = z.object({ id: z.string(), success: z.boolean() });
export const messageUpdate = z
  .object({
    read: z.boolean().optional(),
    starred: z.boolean().optional(),
    answered: z.boolean().optional(),
    folder: messageFolder.optional(),
    labels: z.array(label).max(100).optional().describe('Replaces all labels'),
  })
  .refine((update) => Object.values(update).some((value) => value !== undefined), {
    error: 'must have read, starred, answered, folder or labels',
  });

export const folderList = z.object({
  items: z.array(
    z
      .object({
        folder: z.string().describe('The same as `id`'),
        unread: z.int().describe('Threads with unread messages, or messages in a folder of your own'),
        total: z.int().describe('Threads, or messages for the views and in a folder of your own'),
        ...folderFields,
      })
      .meta({ id: 'FolderCount' }),
  ),
});

export const eventsQuery = z.object({
  last_event_id: text({ max: 20 })
    .optional()
    .describe('Use this instead of the `Last-Event-ID` header when a browser opens a new stream'),
});

export const messageAnswer = messageShape;
export const draftPage = cursorPage(messageShape);
export const draftQuery = z.object(cursorQuery);
export const messageDisplay = z
  .object({
    id: z.string(),
    html: z
      .string()
      .nullable()
      .describe(
        'Sanitized, with the style sheet of the message. Images in the message itself are included as `data:` URLs. Show it only in a sandboxed frame without scripts',
      ),
    text: z.string().nullable(),
    held_images: z.int().describe('The number of blocked remote images'),
  })
  .meta({ id: 'MessageDisplay' });
export const displayQuery = z.object({
  images: z.enum(['held', 'shown']).default('held').describe('Whether remote images are blocked'),
});
export const messageParams = z.object({ id: plainId });
export const attachmentNumber = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a whole number' })
  .transform(Number)
  .meta({ type: 'integer', minimum: 0 });
export const attachmentParams = z.object({ id: plainId, n: attachmentNumber });
export const peopleQuery = z.object({
  q: text({ min: 1, max: 200, trim: true }).describe('The start of an address or name'),
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
export type Folder = z.infer<typeof folderShape>;
export type MessageUpdate = z.output<typeof messageUpdate>;
export type FolderCount = z.infer<typeof folderList>['items'][number];
