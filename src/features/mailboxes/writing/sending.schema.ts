import { z } from 'zod';
import { tagNames } from '../../../mail/html/merge-tags.ts';
import { dateTime, plainId, text, timestamp } from '../../../platform/schema.ts';
import {
  emailHtml,
  emailText,
  mailbox,
  MAX_ATTACHMENTS,
  MAX_CONTENT_BYTES,
  MAX_RECIPIENTS,
  sizeOf,
} from '../../sending/emails/emails.schema.ts';
import { fileInput } from '../storage/file.schema.ts';
import { attachmentNumber } from '../reading/threads.schema.ts';
import { policyReason } from '../../sending/policies/policies.schema.ts';
import { MAX_UNDO_SECONDS } from '../mailboxes/mailboxes.schema.ts';

const MOST_TAGS_NAMED = 20;
const MOST_TAGS_READ = 1_000;

const files = z.array(fileInput).max(MAX_ATTACHMENTS).nullish();
const subject = text({ max: 998 }).nullish();
const people = z.array(mailbox).max(MAX_RECIPIENTS);

const timing = {
  send_at: dateTime.nullish().describe('The send time, from one minute to one year from now'),
  undo_seconds: z
    .int()
    .min(0)
    .max(MAX_UNDO_SECONDS)
    .nullish()
    .describe(
      'How long the message is held for undo if there is no send_at. By default the setting of the mailbox',
    ),
  remind_at: dateTime
    .nullish()
    .describe(
      'When the thread comes back to the inbox if nobody has answered by then, from one minute to one year from now',
    ),
  seen_message_id: plainId
    .nullish()
    .describe(
      'The newest message of the thread that the writer saw. If the thread has a newer one, the response is 409 THREAD_CHANGED with the IDs in `newMessages`',
    ),
  cancel_if_replied: z
    .boolean()
    .nullish()
    .describe('Whether sending is cancelled if someone replies in the thread first'),
};

const savedReplyId = plainId
  .nullish()
  .describe('A saved reply of the mailbox. Its files are sent with the message, and its actions are done');

/** Any name in it is ignored: addresses of a mailbox have names of their own. */
const from = mailbox
  .nullish()
  .describe(
    'An address of the mailbox. By default a reply comes from the address that the message was sent to, and other messages from the first address',
  );

export const messageInput = z
  .object({
    from,
    to: people,
    cc: people.nullish(),
    bcc: people.nullish(),
    subject: subject.describe('Required without a thread_id'),
    html: emailHtml.nullish().describe('Sanitized before it is stored and sent. At most 5000 links'),
    text: emailText.nullish(),
    attachments: files,
    thread_id: plainId.nullish().describe('The thread to reply to'),
    draft_id: plainId.nullish().describe('The draft to send. The message keeps its ID and files'),
    unfilled_tags: z
      .enum(['keep', 'refuse'])
      .nullish()
      .describe(
        'For messages created from saved replies. `refuse` returns 400 if subject, html or text still contains a merge tag such as `{{firstName}}`. By default such tags are sent as written.',
      ),
    saved_reply_id: savedReplyId,
    signature: z.boolean().nullish().describe('Whether the default signature is put below the text'),
    ...timing,
  })
  .superRefine((message, context) => {
    const issue = (path: string, words: string) =>
      context.addIssue({ code: 'custom', path: [path], message: words });
    const count = message.to.length + (message.cc?.length ?? 0) + (message.bcc?.length ?? 0);
    if (message.to.length === 0) issue('to', 'must have at least one address');
    if (count > MAX_RECIPIENTS)
      issue('to', `must have at most ${MAX_RECIPIENTS} addresses together with cc and bcc`);
    if (!message.thread_id && typeof message.subject !== 'string') issue('subject', 'is required');
    if (!message.html && !message.text) issue('html', 'or text is required');
    if (message.unfilled_tags === 'refuse') {
      for (const part of ['subject', 'html', 'text'] as const) {
        const names = tagNames(message[part] ?? '', MOST_TAGS_READ);
        const named = names.slice(0, MOST_TAGS_NAMED).map((name) => `{{${name}}}`);
        if (named.length > 0) issue(part, `contains merge tags without a value: ${named.join(', ')}`);
      }
    }
    if (sizeOf(message) > MAX_CONTENT_BYTES)
      issue('attachments', 'must not make the message larger than 25 MiB in total');
  });

const messageAccepted = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    status: z.literal('waiting'),
    subject: z.string(),
    to: z.array(z.string()),
    send_at: timestamp,
    created_at: timestamp,
  })
  .meta({ id: 'AcceptedMessage' });

const messageHeld = messageAccepted
  .extend({
    status: z.literal('held').describe('It waits for the approval of a person'),
    send_at: z.null(),
    approval_id: z.string(),
    policy: policyReason,
  })
  .meta({ id: 'HeldMessage' });
const messageBlocked = messageAccepted
  .extend({
    id: z.string().describe('The draft, which stays as it is. Otherwise nothing is stored under this ID'),
    status: z.literal('blocked').describe('It is neither stored nor sent'),
    send_at: z.null(),
    policy: policyReason,
  })
  .meta({ id: 'BlockedMessage' });
/** Only keys with a send policy get the second and third. */
export const messageSubmitted = z.union([messageAccepted, messageHeld, messageBlocked]);

/** Recipients of a draft, whose addresses may still be incomplete. */
const unfinished = z
  .array(text({ max: 1000 }))
  .max(MAX_RECIPIENTS)
  .nullish();
const draftFields = {
  to: unfinished,
  cc: unfinished,
  bcc: unfinished,
  subject,
  html: emailHtml.nullish(),
  text: emailText.nullish(),
  attachments: files,
};
const fitting = (draft: Parameters<typeof sizeOf>[0]) => sizeOf(draft) <= MAX_CONTENT_BYTES;
const tooLarge = { error: 'must not be larger than 25 MiB in total' };
export const draftInput = z
  .object({ ...draftFields, thread_id: plainId.nullish() })
  .refine(fitting, tooLarge);
export const draftUpdate = z
  .object({
    ...draftFields,
    if_unchanged_since: dateTime
      .nullish()
      .describe(
        'The created_at of the draft that you loaded. If the draft was saved since then, the response is 409 and nothing changes',
      ),
  })
  .refine(fitting, tooLarge);
export const draftFile = fileInput;
export const draftFileParams = z.object({ id: plainId, draftId: plainId, n: attachmentNumber });
export const draftParams = z.object({ id: plainId, draftId: plainId });
export const draftSend = z.object({ saved_reply_id: savedReplyId, ...timing }).optional();

export const waitingList = z.object({
  items: z.array(
    z
      .object({
        id: z.string(),
        thread_id: z.string(),
        subject: z.string(),
        to: z.array(z.string()),
        send_at: timestamp,
        created_at: timestamp,
      })
      .meta({ id: 'WaitingMessage' }),
  ),
});
export const waitingParams = z.object({ id: plainId });
export const waitingUpdate = z.object({ send_at: dateTime.describe('From one minute to one year from now') });
export const waitingMoved = z.object({ id: z.string(), send_at: timestamp });
export const waitingTakenBack = z.object({ id: z.string(), success: z.boolean() });

export type MessageInput = z.output<typeof messageInput>;
export type MessageSubmitted = z.infer<typeof messageSubmitted>;
export type MessageAccepted = z.infer<typeof messageAccepted>;
export type DraftInput = z.output<typeof draftInput>;
export type DraftUpdate = z.output<typeof draftUpdate>;
export type DraftSend = z.output<typeof draftSend>;
export type WaitingMessage = z.infer<typeof waitingList>['items'][number];
