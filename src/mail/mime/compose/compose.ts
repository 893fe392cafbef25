/**
 * Composes the bytes of an outgoing message: `mixed(alternative(text, related(html, images)), files)`, without
 * levels that have a single part. The result is 7-bit with short lines and has no Bcc. The order of fields and
 * parts is fixed; only the boundaries differ between calls.
 */
import { randomUUID } from 'node:crypto';
import type { NamedAddress } from '../address.ts';
import { foldStructured } from './fold-structured.ts';
import { foldHeader, foldMailboxes, foldText, formatDate, toOneLine } from '../header-encoding.ts';
import { isSafeHeader, isStructured } from '../header-rules.ts';
import { htmlToPlainText } from '../../html/text.ts';
import { attachmentPart, multipart, textPart, type Attachment, type ComposedPart } from './part.ts';

export interface MessageContent {
  /** The Message-ID with angle brackets. */
  messageId: string;
  date: Date;
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  subject: string;
  html: string | null;
  /** Null to derive the text from the HTML. */
  text: string | null;
  /** HTML to derive the text from, if different from `html`. */
  textFrom?: string | null;
  /** The caller's headers. Headers that `isSafeHeader` rejects are ignored. */
  headers: [string, string][];
  attachments: Attachment[];
  inReplyTo?: string | null;
  references?: string[];
  /** True for automatic messages (RFC 3834 section 5). */
  autoSubmitted?: boolean;
  /**
   * A fixed boundary, for a message that must be the same each time it is composed. By default the boundaries are
   * random.
   */
  boundary?: string;
}

// The first ID identifies the thread and the last ones the position in it, so the middle can be dropped (RFC
// 5322 section 3.6.4).
const MAX_REFERENCES = 40;
// RFC 5322 section 3.6 and RFC 2369 section 3 allow these fields once. Some servers reject duplicates.
const SINGLE_FIELDS = /^(?:in-reply-to|references|auto-submitted|precedence|list-.*)$/;

export function composeMessage(message: MessageContent): Buffer {
  const root = buildRoot(message);
  const header = `${composeHeader(message)}MIME-Version: 1.0\r\n${root.header}\r\n`;
  const last = root.body.at(-1);
  const isEnded = last !== undefined && last.length >= 2 && last[last.length - 1] === 0x0a;
  return Buffer.concat([Buffer.from(header, 'utf8'), ...root.body, Buffer.from(isEnded ? '' : '\r\n')]);
}

function composeHeader(message: MessageContent): string {
  const lines = [foldMailboxes('From', [message.from])];
  if (message.to.length > 0) lines.push(foldMailboxes('To', message.to));
  // Spam filters penalise mail without a visible recipient. RFC 5322 section 3.4 allows an empty group.
  else if (message.cc.length === 0) lines.push('To: undisclosed-recipients:;\r\n');
  if (message.cc.length > 0) lines.push(foldMailboxes('Cc', message.cc));
  if (message.replyTo.length > 0) lines.push(foldMailboxes('Reply-To', message.replyTo));
  lines.push(
    foldText('Subject', message.subject),
    `Date: ${formatDate(message.date)}\r\n`,
    foldHeader('Message-ID', cleanId(message.messageId)),
  );

  const written = new Set<string>();
  const inReplyTo = cleanId(message.inReplyTo ?? '');
  if (inReplyTo !== '') {
    lines.push(foldHeader('In-Reply-To', inReplyTo));
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
    if (SINGLE_FIELDS.test(lower)) written.add(lower);
    lines.push(
      (isStructured(lower) ? foldStructured(name, toOneLine(value)) : null) ?? foldText(name, value),
    );
  }
  return lines.join('');
}

function buildRoot(message: MessageContent): ComposedPart {
  const { html, attachments } = message;
  const boundaryPrefix = `=_${message.boundary ?? randomUUID()}`;
  const isInline = (attachment: Attachment) => html !== null && attachment.contentId !== null;
  const inline = attachments.filter(isInline).map((attachment) => attachmentPart(attachment, 'inline'));
  const files = attachments
    .filter((attachment) => !isInline(attachment))
    .map((attachment) => attachmentPart(attachment, 'attachment'));

  const content = buildContent(message, inline, boundaryPrefix);
  return files.length === 0
    ? content
    : multipart('mixed', boundaryOf(boundaryPrefix, 'm'), [content, ...files]);
}

function buildContent(
  { html, text, textFrom }: MessageContent,
  inline: ComposedPart[],
  boundaryPrefix: string,
): ComposedPart {
  if (html === null) return textPart('plain', text ?? '');
  let htmlPart = textPart('html', html);
  if (inline.length > 0) {
    htmlPart = multipart('related; type="text/html"', boundaryOf(boundaryPrefix, 'r'), [htmlPart, ...inline]);
  }
  const plain = text ?? htmlToPlainText(textFrom ?? html);
  // A message that is only an image has no text, and an empty alternative would be shown as an empty message.
  if (plain === '') return htmlPart;
  return multipart('alternative', boundaryOf(boundaryPrefix, 'a'), [textPart('plain', plain), htmlPart]);
}

// "=_" cannot occur in quoted-printable or base64 (RFC 2045 section 6.7). The rest is 122 random bits.
function boundaryOf(boundaryPrefix: string, level: string): string {
  return `${boundaryPrefix}_${level}`;
}

function cleanId(id: string): string {
  const bare = id.replaceAll(/[^!-~]|[<>]/g, '').slice(0, 900);
  return bare === '' ? '' : `<${bare}>`;
}

function shorten(references: string[]): string[] {
  if (references.length <= MAX_REFERENCES) return references;
  return [references[0]!, ...references.slice(1 - MAX_REFERENCES)];
}
