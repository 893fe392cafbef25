/**
 * A message in Mailgun's format: the fields of a form. An unknown field is rejected, because it may change the email.
 * Values that our own emails also have are checked after their translation (to-emails.ts).
 */
import { isSafeHeader } from '../../../mail/mime/header-rules.ts';
import { listMailboxes } from '../../../mail/mime/parse/list-mailboxes.ts';
import { readDate } from '../../../mail/mime/parse/read-date.ts';
import { invalidField, UNKNOWN_FIELD } from '../../../platform/errors.ts';
import type { FormBody, FormFile } from '../../requests/read-form.ts';
import { parseJsonField } from './json-field.ts';
import { readRecipientVariables, type RecipientVariables, type Variables } from './recipient-variables.ts';

export interface MailgunMessage {
  from: string | undefined;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string | undefined;
  text: string | undefined;
  html: string | undefined;
  /** The name or the ID of a template. */
  template: string | undefined;
  /** For the template. */
  templateVariables: Variables;
  /** `v:` variables. */
  userVariables: Record<string, string>;
  headers: Record<string, string>;
  tags: string[];
  deliverAt: Date | undefined;
  isTest: boolean;
  tracking: { opens?: boolean; clicks?: boolean };
  recipientVariables: RecipientVariables | null;
  /** The whole message, only in messages.mime. */
  mime: Buffer | undefined;
  attachments: FormFile[];
  inline: FormFile[];
}

/** These have no effect, because email is always signed and a template always gets a text version. */
const IGNORED = new Set([
  'o:dkim',
  'o:skip-verification',
  'o:secondary-dkim',
  'o:secondary-dkim-public',
  't:text',
]);

/** The form of the names of Mailgun's own options. */
const MAILGUN_FIELD = /^(?:[ot]:|amp-html$)/;

export async function readMessageForm(form: FormBody): Promise<MailgunMessage> {
  const message = startMessage(form);
  for (const [name, values] of groupTexts(form)) {
    const readText = TEXTS.get(name);
    if (readText) await readText(message, values, name);
    else if (name.startsWith('h:')) await readHeader(message, name, values);
    else if (name.startsWith('v:')) readVariable(message, name, lastOf(values));
    else if (!IGNORED.has(name))
      throw invalidField(name, MAILGUN_FIELD.test(name) ? 'is not supported' : UNKNOWN_FIELD);
  }
  if (message.template === undefined) keepAsUserVariables(message);
  return message;
}

function groupTexts({ texts }: FormBody): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const { name, value } of texts) {
    const values = grouped.get(name);
    if (values) values.push(value);
    else grouped.set(name, [value]);
  }
  return grouped;
}

function startMessage({ files }: FormBody): MailgunMessage {
  const other = files.find(({ name }) => !['attachment', 'inline', 'message'].includes(name));
  if (other) throw invalidField(other.name, 'must not be a file');
  return {
    from: undefined,
    to: [],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: undefined,
    text: undefined,
    html: undefined,
    template: undefined,
    templateVariables: {},
    userVariables: {},
    headers: {},
    tags: [],
    deliverAt: undefined,
    isTest: false,
    tracking: {},
    recipientVariables: null,
    mime: files.find(({ name }) => name === 'message')?.content,
    attachments: files.filter(({ name }) => name === 'attachment'),
    inline: files.filter(({ name }) => name === 'inline'),
  };
}

type ReadText = (message: MailgunMessage, values: string[], name: string) => unknown;

const TEXTS = new Map<string, ReadText>([
  ['from', (message, values) => (message.from = lastOf(values))],
  ['to', (message, values) => (message.to = values.flatMap(listMailboxes))],
  ['cc', (message, values) => (message.cc = values.flatMap(listMailboxes))],
  ['bcc', (message, values) => (message.bcc = values.flatMap(listMailboxes))],
  ['subject', (message, values) => (message.subject = lastOf(values))],
  ['text', (message, values) => (message.text = lastOf(values))],
  ['html', (message, values) => (message.html = lastOf(values))],
  // Some clients send the message of messages.mime as text.
  ['message', (message, values) => (message.mime = Buffer.from(lastOf(values)))],
  ['attachment', refuseText],
  ['inline', refuseText],
  ['template', (message, values) => (message.template = lastOf(values) || undefined)],
  ['t:variables', (message, values, name) => addTemplateVariables(message, name, lastOf(values))],
  ['recipient-variables', readRecipients],
  ['o:tag', (message, values) => (message.tags = values.filter((value) => value !== ''))],
  ['o:deliverytime', (message, values, name) => (message.deliverAt = readTime(name, lastOf(values)))],
  ['o:testmode', (message, values, name) => (message.isTest = readSwitch(name, lastOf(values)))],
  ['o:tracking', readTracking],
  [
    'o:tracking-opens',
    (message, values, name) => (message.tracking.opens = readSwitch(name, lastOf(values))),
  ],
  [
    'o:tracking-clicks',
    (message, values, name) => (message.tracking.clicks = readSwitch(name, lastOf(values), ['htmlonly'])),
  ],
  ['o:require-tls', refuseIfOn],
]);

async function readRecipients(message: MailgunMessage, values: string[], name: string): Promise<void> {
  const json = lastOf(values);
  if (json !== '')
    message.recipientVariables = readRecipientVariables(name, await parseJsonField(name, json));
}

/** The fields for opens and clicks take precedence. */
function readTracking(message: MailgunMessage, values: string[], name: string): void {
  const isOn = readSwitch(name, lastOf(values), ['htmlonly']);
  message.tracking = { opens: isOn, clicks: isOn, ...message.tracking };
}

function refuseIfOn(_message: MailgunMessage, values: string[], name: string): void {
  if (readSwitch(name, lastOf(values))) throw invalidField(name, 'is not supported');
}

function refuseText(_message: MailgunMessage, _values: string[], name: string): void {
  throw invalidField(name, 'must be a file');
}

function lastOf(values: string[]): string {
  return values.at(-1)!;
}

function readSwitch(name: string, value: string, alsoOn: string[] = []): boolean {
  const lower = value.toLowerCase();
  if (['yes', 'true', ...alsoOn].includes(lower)) return true;
  if (['no', 'false'].includes(lower)) return false;
  throw invalidField(name, 'must be yes or no');
}

/** Reads a time as in RFC 2822, such as `Fri, 14 Oct 2026 23:10:10 -0000`. */
function readTime(name: string, value: string): Date {
  const sent = readDate(value);
  if (!sent || !/^[A-Za-z0-9,:+ -]{10,60}$/.test(value))
    throw invalidField(name, 'must be a time as in RFC 2822, such as Fri, 14 Oct 2026 23:10:10 +0000');
  return sent.date;
}

function readVariable(message: MailgunMessage, name: string, value: string): void {
  const key = name.slice('v:'.length);
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(key) || key === '__proto__')
    throw invalidField(name, 'must be named with 1 to 256 characters of A-Z a-z 0-9 _ and -');
  if (value.length > 1_000) throw invalidField(name, 'must have at most 1000 characters');
  message.userVariables[key] = value;
}

async function readHeader(message: MailgunMessage, name: string, values: string[]): Promise<void> {
  const header = name.slice('h:'.length);
  const lower = header.toLowerCase();
  const value = lastOf(values);
  if (lower === 'reply-to') message.replyTo = values.flatMap(listMailboxes);
  else if (lower === 'x-mailgun-variables') await addTemplateVariables(message, name, value);
  else if (lower.startsWith('x-mailgun-')) throw invalidField(name, 'is not supported');
  // RFC 5322 section 3.6.2: a Sender that is the author is left out. to-emails.ts compares them.
  else if (lower === 'sender') message.headers.Sender = value;
  else if (!isSafeHeader(header, value) || header === '__proto__')
    throw invalidField(name, 'must be a header that no other field sets, without line breaks');
  else message.headers[header] = value;
}

async function addTemplateVariables(message: MailgunMessage, name: string, json: string): Promise<void> {
  message.templateVariables = { ...message.templateVariables, ...(await parseJsonField(name, json)) };
}

/** Without a template, `h:X-Mailgun-Variables` means the same as `v:`. */
function keepAsUserVariables(message: MailgunMessage): void {
  for (const [name, value] of Object.entries(message.templateVariables))
    readVariable(message, `v:${name}`, typeof value === 'string' ? value : JSON.stringify(value));
  message.templateVariables = {};
}
