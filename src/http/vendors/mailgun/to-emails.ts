/** Translates a message of Mailgun to our emails: one, or with recipient-variables one for each recipient. */
import { z } from 'zod';
import {
  attachment,
  emailInput,
  MAX_ATTACHMENTS,
  MAX_CONTENT_BYTES,
  sizeOf,
  type EmailInput,
} from '../../../features/sending/emails/emails.schema.ts';
import {
  createRenderer,
  type ContentFor,
  type ContentSource,
} from '../../../features/content/stored/content-source.ts';
import type { FieldsContent } from '../../../features/sending/emails/submission.ts';
import { isSafeHeader } from '../../../mail/mime/header-rules.ts';
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import type { FormFile } from '../../requests/read-form.ts';
import { validate } from '../../requests/validate.ts';
import { toTag } from './labels.ts';
import type { MailgunMessage } from './message-form.ts';
import { MAX_BATCH } from './recipient-variables.ts';

/** The messages of one request are stored in one transaction. */
const MAX_BATCH_BYTES = 256 * 1024 * 1024;
const { subject, headers, metadata, variables } = emailInput.shape;
const personal = z.object({ subject, headers, metadata, variables });
const fileNames = attachment.pick({ filename: true, contentType: true, contentId: true });

/** `templateId` is the ID of the message's template. */
export function toEmailInput(message: MailgunMessage, templateId: string | undefined): EmailInput {
  const { recipientVariables, deliverAt } = message;
  refuseMissing(message);
  const email = validate(emailInput, {
    ...writtenParts(message),
    from: message.from,
    to: recipientVariables ? message.to.slice(0, 1) : message.to,
    cc: message.cc,
    bcc: message.bcc,
    replyTo: message.replyTo,
    templateId,
    tags: distinct(message.tags).map(toTag),
    // As with Mailgun, a time in the past means now.
    scheduledAt: deliverAt && deliverAt.getTime() > Date.now() ? deliverAt.toISOString() : undefined,
    tracking: message.tracking,
  });
  const attachments = [
    ...message.attachments.map((file) => toAttachment(file, null)),
    ...message.inline.map((file) => toAttachment(file, file.filename)),
  ];
  if (attachments.length > MAX_ATTACHMENTS)
    throw invalidField('attachment', `must have at most ${MAX_ATTACHMENTS} files, together with inline`);
  const whole = { ...email, attachments };
  if (sizeOf(whole) > MAX_CONTENT_BYTES)
    throw new AppError('TOO_LARGE', 'The message must not be larger than 25 MiB in total.');
  return whole;
}

function refuseMissing({ from, to, recipientVariables, cc, bcc, ...message }: MailgunMessage): void {
  if (from === undefined) throw invalidField('from', 'is required');
  if (to.length === 0) throw invalidField('to', 'is required');
  if (recipientVariables && to.length > MAX_BATCH)
    throw invalidField('to', `must have at most ${MAX_BATCH} recipients`);
  if (recipientVariables && cc.length + bcc.length > 0)
    throw invalidField('cc', 'and bcc must not be sent together with recipient-variables');
  for (const name of ['html', 'text', 'subject'] as const)
    if (/%(?:tag_|mailing_list_)?unsubscribe_(?:url|email)%/.test(message[name] ?? ''))
      throw invalidField(name, 'must not have %unsubscribe_url%: only campaigns have such links');
}

/** The fields as the sender wrote them. */
function writtenParts(message: MailgunMessage) {
  return {
    subject: message.subject,
    html: message.html || null,
    text: message.text || null,
    headers: writeHeaders(message),
    metadata: message.userVariables,
    variables:
      message.template === undefined ? undefined : { ...message.userVariables, ...message.templateVariables },
  };
}

const UNSUBSCRIBE_PLACE = /%(?:tag_|mailing_list_)?unsubscribe_(?:url|email)%/;

function writeHeaders({ headers: given, from }: MailgunMessage): Record<string, string> {
  const written: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === 'Sender') requireAuthor(value, from);
    else if (name.toLowerCase() === 'list-unsubscribe') {
      // This is Mailgun's own address or link. The other entries of the list are kept.
      // A comma inside the brackets belongs to the link (RFC 2369 section 2).
      const kept = value.split(/,(?=\s*<)/).filter((entry) => !UNSUBSCRIBE_PLACE.test(entry));
      if (kept.length > 0) written[name] = kept.join(',').trim();
    } else written[name] = value;
  }
  return written;
}

function requireAuthor(sender: string, from: string | undefined): void {
  const mailbox = parseMailbox(sender);
  if (!mailbox || mailbox.key !== parseMailbox(from ?? '')?.key)
    throw invalidField('h:Sender', 'must be the address of from');
}

function toAttachment({ filename, contentType, content }: FormFile, contentId: string | null) {
  return { ...validate(fileNames, { filename, contentType, contentId }), content };
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)];
}

/**
 * The emails of a request with recipient-variables, built one at a time. The iterable can be read several times. All
 * except the personal parts come from `email`, which was already checked. The HTML and the text stay as they were
 * written, and are filled in for each recipient when the email is composed.
 */
export function forEachRecipient(
  message: MailgunMessage,
  email: EmailInput,
): Iterable<Pick<FieldsContent, 'email' | 'made'>> {
  const byAddress = message.recipientVariables!;
  const recipients = readRecipients(message.to);
  if (sizeOf(email) * recipients.length > MAX_BATCH_BYTES)
    throw new AppError('TOO_LARGE', 'The messages of a batch must not be larger than 256 MiB in total.');
  const source: ContentSource = {
    syntax: 'recipient-variables',
    html: email.html ?? null,
    text: email.text ?? null,
  };
  const shared = email.templateId ? email : { ...email, html: null, text: null };
  return {
    *[Symbol.iterator]() {
      for (const recipient of recipients) {
        const values = byAddress.get(recipient.key) ?? {};
        const parts = fillParts(message, source, { values, recipient });
        for (const [name, value] of Object.entries(parts.headers))
          if (!isSafeHeader(name, value))
            throw invalidField(`h:${name}`, `must have no line breaks, also for ${recipient.email}`);
        const own = { ...shared, ...validate(personal, parts), to: [recipient] };
        yield email.templateId ? { email: own } : { email: own, made: { source, values } };
      }
    },
  };
}

/** An address that occurs twice gets one message. */
function readRecipients(to: string[]): (NamedAddress & { given: string })[] {
  const byKey = new Map<string, NamedAddress & { given: string }>();
  for (const given of to) {
    const mailbox = parseMailbox(given);
    if (!mailbox)
      throw invalidField(
        'to',
        `must have email addresses only. ${given.slice(0, 320)} is not an email address`,
      );
    if (!byKey.has(mailbox.key)) byKey.set(mailbox.key, { ...mailbox, given });
  }
  return [...byKey.values()];
}

/** The fields other than HTML and text that can contain `%recipient.…%`. */
function fillParts(message: MailgunMessage, source: ContentSource, given: ContentFor) {
  const written = writtenParts(message);
  const render = createRenderer(source, given);
  const fill = <Value>(value: Value) => (typeof value === 'string' ? render(value, 'plain')! : value);
  const fillRecord = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, fill(value)]));
  return {
    subject: fill(written.subject),
    headers: fillRecord(written.headers) as Record<string, string>,
    metadata: fillRecord(written.metadata),
    variables: written.variables && fillRecord(written.variables),
  };
}
