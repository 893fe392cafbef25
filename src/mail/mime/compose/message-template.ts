/**
 * Compiles a message that goes to many recipients. Fixed parts are encoded once, and only merge tags, conditions and
 * loops are rendered for each recipient. A fixed piece of the body ends with a soft line break (RFC 2045 section 6.7), so
 * the next piece starts on a new line and can be encoded independently.
 */
import { randomUUID } from 'node:crypto';
import type { Address, NamedAddress } from '../address.ts';
import { foldHeader, foldMailboxes, foldText, formatDate } from '../header-encoding.ts';
import type { Encode } from '../../html/merge-context.ts';
import { compileTags, fill, hasBlocks, readTags, type TextKind } from '../../html/merge-tags.ts';
import { encodeSlots, renderSlots, toText } from '../../html/slotted-text.ts';
import type { Tag } from '../../html/tag-tree.ts';
import { encodeBase64, encodeQuotedPiece, encodeText } from './transfer-encoding.ts';

export interface TemplateContent {
  from: NamedAddress;
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  /** May contain merge tags, like `html` and `text`. */
  subject: string;
  html: string;
  text: string;
}

/** Resolves a name once while compiling. The returned function gives null when the recipient has no value. */
export type Resolve<Recipient> = (name: string) => (recipient: Recipient) => unknown;

/** Fields that differ per recipient and are not merge tags. */
interface TemplateHead {
  to: Address;
  messageId: string;
  date: Date;
  /** Whole fields. Each name occurs once. */
  headers: [string, string][];
}

export interface MessageTemplate<Recipient> {
  render(recipient: Recipient, head: TemplateHead): Buffer;
}

export function compileMessageTemplate<Recipient>(
  content: TemplateContent,
  resolve: Resolve<Recipient>,
): MessageTemplate<Recipient> {
  const fixed =
    foldMailboxes('From', [content.from]) +
    (content.cc.length > 0 ? foldMailboxes('Cc', content.cc) : '') +
    (content.replyTo.length > 0 ? foldMailboxes('Reply-To', content.replyTo) : '');
  const subject = compileText(content.subject, 'plain', resolve);
  const body = compileBody(content, resolve);
  return {
    render(recipient, { to, messageId, date, headers }) {
      let header = `${fixed}${foldMailboxes('To', [
        { email: to.email, key: to.key, domain: to.domain, name: null },
      ])}`;
      header += `${foldText('Subject', subject(recipient))}Date: ${formatDate(date)}\r\n`;
      header += foldHeader('Message-ID', messageId);
      for (const [name, value] of headers) header += foldHeader(name, value);
      // A local part may contain UTF-8; the body is ASCII.
      const text = body(recipient);
      const bytes = Buffer.allocUnsafe(Buffer.byteLength(header) + text.length);
      bytes.write(text, bytes.write(header), 'latin1');
      return bytes;
    },
  };
}

type Render<Recipient> = (recipient: Recipient) => string;

/** Compiles text with tags for a subject or for display, without transfer encoding. */
export function compileText<Recipient>(
  text: string,
  kind: TextKind,
  resolve: Resolve<Recipient>,
): Render<Recipient> {
  if (hasBlocks(text)) {
    const compiled = compileTags(text, kind);
    const valuesOf = createValues(resolve);
    return (recipient) => compiled.render(valuesOf(recipient));
  }
  const { before, tags } = readTags(text, kind);
  const parts = tags.map((tag) => ({ value: resolve(tag.name), ...tag }));
  return (recipient) => {
    let rendered = before;
    for (const part of parts) rendered += fill(part, toText(part.value(recipient))) + part.after;
    return rendered;
  };
}

function compileBody<Recipient>(
  { html, text }: TemplateContent,
  resolve: Resolve<Recipient>,
): Render<Recipient> {
  const shown = compilePart('html', html, resolve);
  // An empty text alternative would be shown as an empty message.
  if (text === '') return (recipient) => `MIME-Version: 1.0\r\n${shown(recipient)}\r\n`;
  const plain = compilePart('plain', text, resolve);
  const boundary = `=_${randomUUID()}`;
  const start = `MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`;
  const first = `${start}--${boundary}\r\n`;
  const between = `\r\n--${boundary}\r\n`;
  const last = `\r\n--${boundary}--\r\n`;
  return (recipient) => first + plain(recipient) + between + shown(recipient) + last;
}

function compilePart<Recipient>(
  subtype: TextKind,
  text: string,
  resolve: Resolve<Recipient>,
): Render<Recipient> {
  const lines = text.replaceAll(/\r\n?/g, '\n');
  const { encoding } = encodeText(lines);
  const header = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  if (encoding === 'base64') {
    const render = compileText(lines, subtype, resolve);
    return (recipient) => {
      const bytes = Buffer.from(render(recipient).replaceAll(/\r\n?|\n/g, '\r\n'), 'utf8');
      return header + encodeBase64(bytes).toString('latin1');
    };
  }
  if (hasBlocks(lines)) {
    const encoded = encodeSlots(compileTags(lines, subtype).slotted, encodeQuotedPiece);
    const valuesOf = createValues(resolve);
    return (recipient) => header + renderSlots(encoded, valuesOf(recipient));
  }
  const { before, tags } = readTags(lines, subtype);
  const start = header + encodeQuotedPiece(before);
  const { values, numberOf } = shareValues(resolve);
  const parts = tags.map((tag) => ({
    value: numberOf(tag),
    fallback: encodeQuotedPiece(tag.fallback),
    after: encodeQuotedPiece(tag.after),
  }));
  return (recipient) => {
    const encoded = values.map(({ value, encode }) => {
      const text = toText(value(recipient));
      return text ? encodeQuotedPiece(encode(text)) : '';
    });
    let rendered = start;
    for (const { value, fallback, after } of parts) rendered += (encoded[value] || fallback) + after;
    return rendered;
  };
}

/** Resolves each name once, when it is first used. */
function createValues<Recipient>(resolve: Resolve<Recipient>) {
  const readers = new Map<string, (recipient: Recipient) => unknown>();
  return (recipient: Recipient) =>
    (name: string): unknown => {
      let reader = readers.get(name);
      if (!reader) readers.set(name, (reader = resolve(name)));
      return reader(recipient);
    };
}

/** A name that is used repeatedly in the same context is encoded once. */
function shareValues<Recipient>(resolve: Resolve<Recipient>) {
  const values: { value: (recipient: Recipient) => unknown; encode: Encode }[] = [];
  const numbers = new Map<string, Map<Encode, number>>();
  const numberOf = ({ name, encode }: Tag): number => {
    const ofName = numbers.get(name) ?? new Map<Encode, number>();
    numbers.set(name, ofName);
    const number = ofName.get(encode) ?? values.push({ value: resolve(name), encode }) - 1;
    ofName.set(encode, number);
    return number;
  };
  return { values, numberOf };
}
