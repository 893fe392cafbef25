import { z } from 'zod';
import type { IssueReason } from '../../../platform/errors.ts';
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { MAX_RENDERED_LENGTH } from '../../../mail/html/slotted-text.ts';
import { isSafeHeader } from '../../../mail/mime/header-rules.ts';
import {
  cursorPage,
  cursorQuery,
  dateTime,
  integerText,
  pathId,
  record,
  text,
  timestamp,
  depthWithin,
} from '../../../platform/schema.ts';
import { MOST_RECIPIENTS } from '../../instance/facts.ts';
import { policyReason } from '../policies/policies.schema.ts';
import { html } from '../../content/content-limits.ts';

/** The limits of drafts and of messages from mailboxes. The limits of other email are settings (MailLimits). */
export const MAX_RECIPIENTS = 50;
export const MAX_CONTENT_BYTES = 25 * 1024 * 1024;
export const MAX_SUBJECT = 998;
const MAX_HEADERS = 100;
const MAX_VARIABLES = 1_000;
export const MAX_ATTACHMENTS = 100;
/** Messages that arrived by SMTP may have more than the API accepts. */
const MAX_ATTACHMENTS_READ = 100_000;
const MAX_TAGS = 10;
const MAX_METADATA = 50;
const MAX_UNDO_SECONDS = 120;
const MAX_BATCH = 100;

export const emailStatus = z.enum([
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
    data: z.unknown().describe('The reply of the receiving server, or the recipient that the event is about'),
  })
  .meta({ id: 'EmailEvent' });

const LABEL = /^[A-Za-z0-9_-]{1,256}$/;
const labelText = z.string().regex(LABEL, { error: 'must have 1 to 256 characters of A-Z a-z 0-9 _ and -' });
const emailTag = z.object({ name: labelText, value: labelText }).meta({ id: 'EmailTag' });
type EmailTag = z.infer<typeof emailTag>;

/** Labels that the sender sets for its own use. They are not part of the message. */
export interface EmailLabels {
  tags: EmailTag[];
  metadata: Record<string, string>;
}

/** Null for an email without labels, like most. */
export function labelsOf({ tags, metadata }: Pick<EmailInput, 'tags' | 'metadata'>): EmailLabels | null {
  const labels = { tags: tags ?? [], metadata: metadata ?? {} };
  return labels.tags.length + Object.keys(labels.metadata).length === 0 ? null : labels;
}

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
  messageId: z.string().describe('The Message-ID header'),
  tags: z.array(emailTag),
  metadata: z.record(z.string(), z.string()),
  status: emailStatus.describe('The latest status. With several recipients, the worst one'),
  campaignId: z.string().nullable().describe('The campaign that the email belongs to'),
  scheduledAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const emailAttachmentSchema = z
  .object({
    no: z.int().describe('The position in the message, from 0'),
    filename: z.string().nullable(),
    contentType: z.string(),
    contentId: z.string().nullable(),
    inline: z.boolean().describe('Whether the HTML shows it'),
    size: z.int().describe('In bytes'),
  })
  .meta({ id: 'EmailAttachment' });

const emailListItem = z.object(emailFields).meta({ id: 'EmailListItem' });
export const emailSchema = z
  .object({
    ...emailFields,
    html: z.string().nullable(),
    text: z.string().nullable(),
    contentDeletedAt: timestamp
      .nullable()
      .describe(
        'When the content was deleted, by `DELETE /emails/{emailId}` or because its retention time was over. `html` and `text` are null from then on',
      ),
    attachments: z
      .array(emailAttachmentSchema)
      .describe('Get their contents with `GET /emails/{emailId}/attachments/{n}`'),
    tracking: z
      .object({ opens: z.int(), humanOpens: z.int(), clicks: z.int(), humanClicks: z.int() })
      .describe('All opens and clicks, and those by people as far as bots can be detected'),
    emailEvents: z.array(emailEventSchema).describe('Oldest first'),
  })
  .meta({ id: 'Email' });

export const mailbox = text({ min: 1, max: 1000 })
  .refine((value) => parseMailbox(value) !== null, {
    error: 'must be an email address, such as ada@example.com or Ada <ada@example.com>',
  })
  .transform((value): NamedAddress & { given: string } => ({ ...parseMailbox(value)!, given: value }));

/** Returns mailboxes as the caller wrote them. */
export function asWritten(mailboxes: { given: string }[] | null | undefined): string[] {
  return (mailboxes ?? []).map(({ given }) => given);
}

export const mailboxes = z
  .union([z.string(), z.array(z.string()).max(MOST_RECIPIENTS)], {
    error: 'must be an email address or an array of email addresses',
  })
  .transform((value) => (typeof value === 'string' ? [value] : value))
  .pipe(z.array(mailbox).max(MOST_RECIPIENTS));

const headers = record(z.string(), z.string(), { max: MAX_HEADERS }).refine(
  (value) => Object.entries(value).every(([name, content]) => isSafeHeader(name, content)),
  {
    error: 'must contain only headers that are not set by other fields, without line breaks',
  },
);

// Parameters are allowed, as in text/calendar; method=REQUEST.
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+( *; *[\w.+-]+=([\w.+-]+|"[ !#-[\]-~]*"))*$/;

export const attachment = z.object({
  filename: text({ min: 1, max: 255 }),
  content: z
    .string()
    // Many applications split base64 into lines.
    .transform((value) => (/\s/.test(value) ? value.replaceAll(/\s+/g, '') : value))
    .pipe(z.base64({ error: 'must be base64' }))
    .transform((value): Buffer => Buffer.from(value, 'base64'))
    .describe('Base64'),
  contentType: z
    .string()
    .max(500)
    .regex(MEDIA_TYPE, { error: 'must be a media type, such as application/pdf' })
    .nullish(),
  contentId: z
    .string()
    .regex(/^[\w.@+-]{1,200}$/, { error: 'must have 1 to 200 characters of A-Z a-z 0-9 . _ @ + -' })
    .nullish()
    .describe('For an image that the HTML refers to with a cid: URL'),
});

export const MAX_BODY_LENGTH = MAX_RENDERED_LENGTH;
export const emailHtml = html({ max: MAX_BODY_LENGTH });
export const emailText = text({ max: MAX_BODY_LENGTH });

const MAX_VARIABLE_DEPTH = 10;
const variable = z
  .union(
    [
      z.string(),
      z.number(),
      z.boolean(),
      z.null(),
      z.array(z.unknown()).max(MAX_VARIABLES),
      record(z.string(), z.unknown(), { max: MAX_VARIABLES }),
    ],
    { error: 'must be a string, a number, a boolean, null, or a list or an object' },
  )
  .refine((value) => depthWithin(value, MAX_VARIABLE_DEPTH), {
    error: `must not be nested deeper than ${MAX_VARIABLE_DEPTH} levels`,
  });

export const emailInput = z
  .object({
    from: mailbox,
    to: mailboxes,
    cc: mailboxes.nullish(),
    bcc: mailboxes.nullish(),
    replyTo: mailboxes.nullish(),
    subject: text({ min: 1, max: MAX_SUBJECT }).nullish().describe('Required without a templateId'),
    html: emailHtml.nullish(),
    text: emailText.nullish(),
    templateId: text({ min: 1, max: 256 }).nullish().describe('The template to use instead of html and text'),
    variables: record(z.string(), variable, { max: MAX_VARIABLES })
      .nullish()
      .describe(
        'The values for the merge tags, conditions and loops of the template. `{{order.total}}` reads the property of an object, `{% for item in order.items %}` a list',
      ),
    headers: headers.nullish(),
    attachments: z.array(attachment).max(MAX_ATTACHMENTS).nullish(),
    tags: z
      .array(emailTag)
      .max(MAX_TAGS)
      .nullish()
      .describe('Shown in events, webhooks and lists. Recipients do not see them'),
    metadata: record(labelText, text({ max: 1000 }), { max: MAX_METADATA })
      .nullish()
      .describe('Your own data. Shown with the email and in webhooks. Recipients do not see it'),
    scheduledAt: dateTime.nullish().describe('The send time. Up to a minute in the past counts as now'),
    inReplyToId: text({ min: 1, max: 256 }).nullish().describe('The email to reply to'),
    undoSeconds: z
      .int()
      .min(0)
      .max(MAX_UNDO_SECONDS)
      .nullish()
      .describe('How many seconds the email is held so that it can be cancelled'),
    tracking: z
      .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
      .nullish()
      .describe('Whether opens and clicks are tracked. By default the setting of the domain'),
  })
  .superRefine((email, context) => {
    const issue = (path: string, message: string, reason?: IssueReason) =>
      context.addIssue({ code: 'custom', path: [path], message, params: { reason } });
    if (email.to.length === 0) issue('to', 'must have at least one address');
    if (!email.templateId && typeof email.subject !== 'string') issue('subject', 'is required');
    if (!email.templateId && !email.html && !email.text) issue('html', 'or text is required', 'required');
    if (email.templateId && (email.html || email.text))
      issue(email.html ? 'html' : 'text', 'must not be sent together with templateId');
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
        'The full message before it was signed with DKIM. null for campaign emails, which are created when they are sent, for account emails such as password resets, and after the content was deleted',
      ),
  })
  .meta({ id: 'EmailSource' });

export const emailBatch = z.array(emailInput).min(1).max(MAX_BATCH);
export const emailParams = z.object({ emailId: pathId(3) });
export const emailAttachmentParams = emailParams.extend({ n: integerText(0, MAX_ATTACHMENTS_READ) });
export const emailReschedule = z.object({ scheduledAt: dateTime });
export const tagText = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,256}:[A-Za-z0-9_-]{1,256}$/, { error: 'must be a tag, written as name:value' });
const emailFilters = {
  status: emailStatus.optional(),
  domainId: integerText(1, 2 ** 31 - 1).optional(),
  since: dateTime.optional().describe('Only emails that were created at this time or later'),
  until: dateTime.optional().describe('Only emails that were created before this time'),
  undone: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .describe(
      '`true` lists only emails from mailboxes that were turned back into a draft before they were sent, `false` lists all others. By default both are listed',
    ),
  tag: tagText.optional().describe('Only emails with this tag, as `name:value`'),
  search: text({ max: 200 })
    .optional()
    .describe(
      'A full email address finds all emails to that recipient, however old. In any other text, each word must be part of the subject or of an address or name in to, cc or bcc, ignoring case.',
    ),
};
export const emailExportQuery = z.object(emailFilters);
export const emailQuery = z.object({
  ...cursorQuery,
  ...emailFilters,
});
export const emailPage = cursorPage(emailListItem);
export const emailDeleted = z.object({ id: z.string(), success: z.boolean() });
export const emailAccepted = z.object({ emailId: z.string() });
const emailHeld = z
  .object({
    emailId: z.string(),
    status: z.literal('held').describe('It waits for the approval of a person'),
    approvalId: z.string(),
    policy: policyReason,
  })
  .meta({ id: 'HeldEmail' });
const emailBlocked = z
  .object({
    emailId: z.string().describe('Nothing is stored under this ID'),
    status: z.literal('blocked').describe('It is neither stored nor sent'),
    policy: policyReason,
  })
  .meta({ id: 'BlockedEmail' });
/** Only keys with a send policy get the second and third. */
export const emailSubmitted = z.union([emailAccepted, emailHeld, emailBlocked]);
export const emailsSubmitted = z.object({ data: z.array(emailSubmitted) });

export type Email = z.infer<typeof emailSchema>;
export type EmailListItem = z.infer<typeof emailListItem>;
export type EmailInput = z.output<typeof emailInput>;
export type EmailAttachment = z.infer<typeof emailAttachmentSchema>;
export type EmailFilter = z.output<typeof emailExportQuery>;
export type EmailQuery = z.output<typeof emailQuery>;
