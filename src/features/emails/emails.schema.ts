import { z } from 'zod';
import { parseMailbox, type Mailbox } from '../../mail/address.ts';
import { isSafeHeader } from '../../mail/header-rules.ts';
import {
  cursorPage,
  cursorQuery,
  dateTime,
  html,
  integerText,
  pathId,
  record,
  text,
  timestamp,
} from '../../platform/schema.ts';

export const MAX_RECIPIENTS = 50;
export const MAX_SUBJECT = 998;
export const MAX_CONTENT_BYTES = 25 * 1024 * 1024;
const MAX_HEADERS = 100;
const MAX_VARIABLES = 1_000;
export const MAX_ATTACHMENTS = 100;
const MAX_UNDO_SECONDS = 120;
const MAX_BATCH = 100;

const emailStatus = z.enum([
  'SCHEDULED',
  'QUEUED',
  'SENT',
  'DELIVERED',
  'DELIVERY_DELAYED',
  'BOUNCED',
  'REJECTED',
  'RENDERING_FAILURE',
  'COMPLAINED',
  'OPENED',
  'CLICKED',
  'SUPPRESSED',
  'CANCELLED',
  'FAILED',
]);
export type EmailStatus = z.infer<typeof emailStatus>;

const emailEventSchema = z
  .object({
    emailId: z.string(),
    status: emailStatus,
    recipient: z.string().nullable(),
    createdAt: timestamp,
    data: z.unknown().describe('What the other server said, or whom it is about'),
  })
  .meta({ id: 'EmailEvent' });

const emailFields = {
  id: z.string(),
  teamId: z.int(),
  domainId: z.int(),
  from: z.string(),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  replyTo: z.array(z.string()),
  subject: z.string(),
  status: emailStatus.describe('The latest; with several recipients the worst one decides'),
  scheduledAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const emailListItem = z.object(emailFields).meta({ id: 'EmailListItem' });
export const emailSchema = z
  .object({
    ...emailFields,
    html: z.string().nullable(),
    text: z.string().nullable(),
    tracking: z
      .object({ opens: z.int(), humanOpens: z.int(), clicks: z.int(), humanClicks: z.int() })
      .describe('All visits, and those of people as far as machines can be told apart'),
    emailEvents: z.array(emailEventSchema).describe('Oldest first'),
  })
  .meta({ id: 'Email' });

/** An address with or without a name. */
export const mailbox = text({ min: 1, max: 1000 })
  .refine((value) => parseMailbox(value) !== null, {
    error: 'must be an address, as ada@example.com or Ada <ada@example.com>',
  })
  .transform((value): Mailbox & { given: string } => ({ ...parseMailbox(value)!, given: value }));

/** Mailboxes as somebody wrote them. */
export function asGiven(mailboxes: { given: string }[] | null | undefined): string[] {
  return (mailboxes ?? []).map(({ given }) => given);
}

/** One address or several. */
export const mailboxes = z
  .union([z.string(), z.array(z.string()).max(MAX_RECIPIENTS)], {
    error: 'must be an address or an array of addresses',
  })
  .transform((value) => (typeof value === 'string' ? [value] : value))
  .pipe(z.array(mailbox).max(MAX_RECIPIENTS));

const headers = record(z.string(), z.string(), { max: MAX_HEADERS }).refine(
  (value) => Object.entries(value).every(([name, content]) => isSafeHeader(name, content)),
  {
    error: 'must hold only headers that are not set by other fields, without line breaks',
  },
);

// With parameters, as an invitation needs them: text/calendar; method=REQUEST.
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+( *; *[\w.+-]+=([\w.+-]+|"[ !#-[\]-~]*"))*$/;

export const attachment = z.object({
  filename: text({ min: 1, max: 255 }),
  content: z
    .string()
    // Many programs break base64 into lines.
    .transform((value) => (/\s/.test(value) ? value.replaceAll(/\s+/g, '') : value))
    .pipe(z.base64({ error: 'must be base64' }))
    .transform((value): Buffer => Buffer.from(value, 'base64'))
    .describe('Base64'),
  contentType: z
    .string()
    .max(500)
    .regex(MEDIA_TYPE, { error: 'must be a media type, as application/pdf' })
    .nullish(),
  contentId: z
    .string()
    .regex(/^[\w.@+-]{1,200}$/, { error: 'must have 1 to 200 characters of A-Z a-z 0-9 . _ @ + -' })
    .nullish()
    .describe('For an image that the HTML shows by cid:'),
});

/** Far more than any reader shows, and little enough to be composed in a moment. */
export const MAX_LETTER_LENGTH = 5_000_000;
export const letterHtml = html({ max: MAX_LETTER_LENGTH });
export const letterText = text({ max: MAX_LETTER_LENGTH });

const variable = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'must be a string, a number, a boolean or null',
});

export const emailInput = z
  .object({
    from: mailbox,
    to: mailboxes,
    cc: mailboxes.nullish(),
    bcc: mailboxes.nullish(),
    replyTo: mailboxes.nullish(),
    subject: text({ min: 1, max: MAX_SUBJECT }).nullish().describe('Required without a templateId'),
    html: letterHtml.nullish(),
    text: letterText.nullish(),
    templateId: text({ min: 1, max: 256 })
      .nullish()
      .describe('The template that the content comes from, in place of html and text'),
    variables: record(z.string(), variable, { max: MAX_VARIABLES })
      .nullish()
      .describe('What stands in the merge tags of the template'),
    headers: headers.nullish(),
    attachments: z.array(attachment).max(MAX_ATTACHMENTS).nullish(),
    scheduledAt: dateTime.nullish().describe('When it leaves; up to a minute past counts as now'),
    inReplyToId: text({ min: 1, max: 256 }).nullish().describe('The email that this one answers'),
    undoSeconds: z
      .int()
      .min(0)
      .max(MAX_UNDO_SECONDS)
      .nullish()
      .describe('How long it can still be cancelled'),
    tracking: z
      .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
      .nullish()
      .describe('Whether its opens and clicks are counted; without it the domain decides'),
  })
  .superRefine((email, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const count = email.to.length + (email.cc?.length ?? 0) + (email.bcc?.length ?? 0);
    if (email.to.length === 0) issue('to', 'must name at least one address');
    if (count > MAX_RECIPIENTS)
      issue('to', `must make at most ${MAX_RECIPIENTS} recipients together with cc and bcc`);
    if (!email.templateId && typeof email.subject !== 'string') issue('subject', 'is required');
    if (!email.templateId && !email.html && !email.text) issue('html', 'or text is required');
    if (email.templateId && (email.html || email.text))
      issue(email.html ? 'html' : 'text', 'must be left out with a templateId');
    if (sizeOf(email) > MAX_CONTENT_BYTES)
      issue('attachments', 'must not make the email larger than 25 MiB in all');
  });

export function sizeOf(email: {
  html?: string | null;
  text?: string | null;
  attachments?: { content: Buffer }[] | null;
}): number {
  const files = (email.attachments ?? []).reduce((sum, { content }) => sum + content.length, 0);
  return files + Buffer.byteLength(email.html ?? '') + Buffer.byteLength(email.text ?? '');
}

export const emailSource = z
  .object({
    emailId: z.string(),
    raw: z
      .string()
      .nullable()
      .describe(
        'The whole message as it was composed, before DKIM; null for mail of a campaign, which is made when it is sent, and for mail to a person about their account',
      ),
  })
  .meta({ id: 'EmailSource' });

export const emailBatch = z.array(emailInput).min(1).max(MAX_BATCH);
export const emailParams = z.object({ emailId: pathId(3) });
export const emailReschedule = z.object({ scheduledAt: dateTime });
export const emailQuery = z.object({
  ...cursorQuery,
  status: emailStatus.optional(),
  domainId: integerText(1, 2 ** 31 - 1).optional(),
  search: text({ max: 200 })
    .optional()
    .describe(
      'A whole address finds what went to that recipient, however long ago. Of anything else each word must be part of the subject or of an address or name in to, cc or bcc, in any case.',
    ),
});
export const emailPage = cursorPage(emailListItem);
export const emailAccepted = z.object({ emailId: z.string() });
export const emailsAccepted = z.object({ data: z.array(emailAccepted) });

export type Email = z.infer<typeof emailSchema>;
export type EmailListItem = z.infer<typeof emailListItem>;
export type EmailInput = z.output<typeof emailInput>;
export type EmailQuery = z.output<typeof emailQuery>;
