/**
 * A message in its fields becomes the bytes that are sent: `mixed(alternative(text, related(html, images)), files)`
 * with every level left out that has nothing to say. Seven bits, short lines, no Bcc. The order of the fields and
 * parts is fixed; only the boundaries differ between two calls with the same message.
 */
import { randomUUID } from 'node:crypto';
import type { Mailbox } from './address.ts';
import { foldHeader, foldMailboxes, foldText, formatDate, toOneLine } from './header-encoding.ts';
import { isSafeHeader, isStructured } from './header-rules.ts';
import { htmlToPlainText } from './html-text.ts';
import { attachmentPart, multipart, textPart, type Attachment, type MimePart } from './mime-part.ts';

export interface OutgoingMessage {
  /** With its angle brackets. */
  messageId: string;
  date: Date;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  replyTo: Mailbox[];
  subject: string;
  html: string | null;
  /** Null: made from the HTML. */
  text: string | null;
  /** What it is made from, where that is not the HTML itself. */
  textFrom?: string | null;
  /** The caller's own, as `isSafeHeader` allows them; others are left out. */
  headers: [string, string][];
  attachments: Attachment[];
  inReplyTo?: string | null;
  references?: string[];
  /** Written by a machine without a person behind it (RFC 3834 section 5). */
  autoSubmitted?: boolean;
}

// The first one names the thread, the last ones find the place in it; the middle may go (RFC 5322 section 3.6.4).
const MAX_REFERENCES = 40;
// RFC 5322 section 3.6 and RFC 2369 section 3 allow these once; a message with two is refused by some.
const ONCE = /^(?:in-reply-to|references|auto-submitted|precedence|list-.*)$/;

export function composeMessage(message: OutgoingMessage): Buffer {
  const root = buildRoot(message);
  const header = `${composeHeader(message)}MIME-Version: 1.0\r\n${root.header}\r\n`;
  const last = root.body.at(-1);
  const isEnded = last !== undefined && last.length >= 2 && last[last.length - 1] === 0x0a;
  return Buffer.concat([Buffer.from(header, 'utf8'), ...root.body, Buffer.from(isEnded ? '' : '\r\n')]);
}

function composeHeader(message: OutgoingMessage): string {
  const lines = [foldMailboxes('From', [message.from])];
  if (message.to.length > 0) lines.push(foldMailboxes('To', message.to));
  // Filters frown on mail without any recipient in sight (RFC 5322 section 3.4 knows the empty group).
  else if (message.cc.length === 0) lines.push('To: undisclosed-recipients:;\r\n');
  if (message.cc.length > 0) lines.push(foldMailboxes('Cc', message.cc));
  if (message.replyTo.length > 0) lines.push(foldMailboxes('Reply-To', message.replyTo));
  lines.push(
    foldText('Subject', message.subject),
    `Date: ${formatDate(message.date)}\r\n`,
    foldHeader('Message-ID', cleanId(message.messageId)),
  );

  const written = new Set<string>();
  const replied = cleanId(message.inReplyTo ?? '');
  if (replied !== '') {
    lines.push(foldHeader('In-Reply-To', replied));
    written.add('in-reply-to');
  }
  const references = (message.references ?? []).map(cleanId).filter((id) => id !== '');
  if (references.length > 0) {
    lines.push(foldHeader('References', shorten(references).join(' ')));
    written.add('references');
  }
  if (message.autoSubmitted) {
    lines.push('Auto-Submitted: auto-generated\r\n');
    written.add('auto-submitted');
  }
  for (const [name, value] of message.headers) {
    const lower = name.toLowerCase();
    if (!isSafeHeader(name, value) || written.has(lower)) continue;
    if (ONCE.test(lower)) written.add(lower);
    lines.push(isStructured(lower) ? foldHeader(name, toOneLine(value)) : foldText(name, value));
  }
  return lines.join('');
}

function buildRoot(message: OutgoingMessage): MimePart {
  const { html, attachments } = message;
  const stem = `=_${randomUUID()}`;
  const isInline = (attachment: Attachment) => html !== null && attachment.contentId !== null;
  const inline = attachments.filter(isInline).map((attachment) => attachmentPart(attachment, 'inline'));
  const files = attachments
    .filter((attachment) => !isInline(attachment))
    .map((attachment) => attachmentPart(attachment, 'attachment'));

  const content = buildContent(message, inline, stem);
  return files.length === 0 ? content : multipart('mixed', boundaryOf(stem, 'm'), [content, ...files]);
}

function buildContent({ html, text, textFrom }: OutgoingMessage, inline: MimePart[], stem: string): MimePart {
  if (html === null) return textPart('plain', text ?? '');
  let shown = textPart('html', html);
  if (inline.length > 0) {
    shown = multipart('related; type="text/html"', boundaryOf(stem, 'r'), [shown, ...inline]);
  }
  const plain = text ?? htmlToPlainText(textFrom ?? html);
  // Mail that is one picture has no text to offer, and an empty alternative would be shown as an empty message.
  if (plain === '') return shown;
  return multipart('alternative', boundaryOf(stem, 'a'), [textPart('plain', plain), shown]);
}

// "=_" cannot occur in quoted-printable or base64 (RFC 2045 section 6.7), and the rest is 122 random bits.
function boundaryOf(stem: string, level: string): string {
  return `${stem}_${level}`;
}

function cleanId(id: string): string {
  const bare = id.replaceAll(/[^!-~]|[<>]/g, '').slice(0, 900);
  return bare === '' ? '' : `<${bare}>`;
}

function shorten(references: string[]): string[] {
  if (references.length <= MAX_REFERENCES) return references;
  return [references[0]!, ...references.slice(1 - MAX_REFERENCES)];
}
