/** An email in Resend's format, translated to ours. An unknown field is rejected, because it may change the email. */
import { z } from 'zod';
import { readScheduleTime } from '../../../../features/campaigns/schedule-time.ts';
import type { EmailInput } from '../../../../features/sending/emails/emails.schema.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { text } from '../../../../platform/schema.ts';
import { readEmailFields } from '../../mapping/read-fields.ts';

const anything = z.unknown().optional();

const resendAttachment = z.strictObject({
  filename: anything,
  content: anything,
  path: z.string().max(2000).nullish().describe('A URL that the content is fetched from'),
  content_type: anything,
  content_id: anything,
  // This is the older name of content_id.
  inline_content_id: anything,
});
type ResendAttachment = z.output<typeof resendAttachment>;

export const attachmentList = z.array(resendAttachment).max(100).nullish();

/** Only field names are checked here. Values are checked after their translation. */
export const resendEmail = z.strictObject({
  from: anything,
  to: anything,
  cc: anything,
  bcc: anything,
  reply_to: anything,
  subject: anything,
  html: anything,
  text: anything,
  headers: anything,
  tags: anything,
  scheduled_at: z.string().max(200).nullish(),
  attachments: attachmentList,
  template: z.strictObject({ id: anything, variables: anything }).nullish(),
  topic_id: text({ min: 1, max: 256 }).nullish(),
});
export type ResendEmail = z.output<typeof resendEmail>;

export function toEmailInput(email: ResendEmail): EmailInput {
  for (const name of email.template ? (['from', 'to'] as const) : (['from', 'to', 'subject'] as const))
    if (email[name] === undefined || email[name] === null) throw invalidField(name, 'is required');
  const { template } = email;
  const fields = {
    from: email.from,
    to: email.to,
    cc: email.cc,
    bcc: email.bcc,
    replyTo: email.reply_to,
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: email.headers,
    tags: email.tags,
    scheduledAt: readTime(email.scheduled_at)?.toISOString(),
    templateId: template?.id,
    variables: template?.variables,
    attachments: toAttachments(email.attachments),
  };
  return readEmailFields(fields, NAMES);
}

export const NAMES = {
  replyTo: 'reply_to',
  scheduledAt: 'scheduled_at',
  templateId: 'template',
  variables: 'template.variables',
  'attachments.contentType': 'content_type',
  'attachments.contentId': 'content_id',
};

/** Reads ISO 8601 or English, such as `in 1 hour`. */
export function readTime(text: string | null | undefined): Date | undefined {
  if (text === null || text === undefined) return undefined;
  const at = readScheduleTime(text, new Date());
  if (!at)
    throw invalidField('scheduled_at', 'must be a time in ISO 8601, or in English such as "in 1 hour"');
  return at;
}

export function toAttachments(files: ResendEmail['attachments']) {
  return files?.map(toAttachment);
}

function toAttachment({ filename, content, path, ...file }: ResendAttachment, at: number) {
  // As at Resend, a batch takes no attachments by URL.
  if (path !== undefined && path !== null) throw invalidField('attachments', 'cannot have a path in a batch');
  if (content === undefined || content === null)
    throw invalidField(`attachments.${at}`, 'must have either content or path');
  return {
    // The SDK allows `false`.
    filename: filename || `attachment-${at + 1}`,
    content: toBase64(content),
    contentType: file.content_type || undefined,
    contentId: (file.content_id ?? file.inline_content_id) || undefined,
  };
}

/** Some clients send a Node.js Buffer, which JSON turns into an array of bytes. */
function toBase64(content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content;
  const bytes = 'data' in content ? content.data : content;
  const isBytes =
    Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  return isBytes ? Buffer.from(bytes as number[]).toString('base64') : content;
}

/** Resend shows null instead of an empty list. */
export function orNull(addresses: string[]): string[] | null {
  return addresses.length === 0 ? null : addresses;
}
