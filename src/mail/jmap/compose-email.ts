/** Writes the bytes of an Email that a client creates. */
import { isAscii } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { NamedAddress } from '../mime/address.ts';
import {
  foldHeader,
  foldMailboxes,
  foldText,
  formatDate,
  quote,
  toOneLine,
} from '../mime/header-encoding.ts';
import { formatParameter, multipart, type ComposedPart } from '../mime/compose/part.ts';
import { encodeBase64, encodeText } from '../mime/compose/transfer-encoding.ts';
import type { EmailAddress } from './header-forms.ts';
import type { NewEmail, NewField, NewPart } from './email-input.ts';

const CRLF = Buffer.from('\r\n');
const MAX_LINE = 998;

/** `contents` has the content of every blob that the parts refer to. */
export function composeEmail(
  { fields, body }: NewEmail,
  contents: ReadonlyMap<string, Buffer>,
  { messageId, date }: { messageId: string; date: Date },
): Buffer {
  const has = (name: string) => fields.some((field) => field.name.toLowerCase() === name);
  const written = fields.map(writeField);
  if (!has('date')) written.push(`Date: ${formatDate(date)}\r\n`);
  if (!has('message-id')) written.push(foldHeader('Message-ID', messageId));
  if (!has('mime-version')) written.push('MIME-Version: 1.0\r\n');
  const root = composePart(body, contents, `=_${randomUUID()}`);
  return Buffer.concat([Buffer.from(`${written.join('')}${root.header}\r\n`), ...root.body, CRLF]);
}

function composePart(part: NewPart, contents: ReadonlyMap<string, Buffer>, boundary: string): ComposedPart {
  const own = part.fields.map(writeField).join('');
  const has = (name: string) => part.fields.some((field) => field.name.toLowerCase() === name);
  const rest = [
    part.cid === null || has('content-id') ? '' : foldHeader('Content-ID', `<${toToken(part.cid)}>`),
    part.disposition === null || has('content-disposition') ? '' : writeDisposition(part),
    part.language === null ? '' : foldHeader('Content-Language', part.language.join(', ')),
    part.location === null ? '' : foldHeader('Content-Location', toToken(part.location)),
    own,
  ].join('');
  if (part.subParts.length > 0) {
    const kind = part.type.slice(part.type.indexOf('/') + 1);
    const parts = part.subParts.map((each, at) => composePart(each, contents, `${boundary}_${at + 1}`));
    const composed = multipart(kind, boundary, parts);
    return { header: (has('content-type') ? '' : composed.header) + rest, body: composed.body };
  }
  const { charset, encoding, bytes } = encodeContent(part, contents);
  const type = has('content-type') ? '' : writeType(part, charset);
  return { header: `${type}Content-Transfer-Encoding: ${encoding}\r\n${rest}`, body: [bytes] };
}

function encodeContent(part: NewPart, contents: ReadonlyMap<string, Buffer>) {
  if (part.blobId === null) return { charset: 'utf-8', ...encodeText(part.text ?? '') };
  const content = contents.get(part.blobId) ?? Buffer.alloc(0);
  // RFC 2045 section 6.4 forbids base64 for messages.
  if (part.type.startsWith('message/')) {
    const encoding = isPlain(content) ? '7bit' : '8bit';
    return { charset: part.charset, encoding, bytes: content };
  }
  return { charset: part.charset, encoding: 'base64', bytes: encodeBase64(content) };
}

function isPlain(content: Buffer): boolean {
  if (!isAscii(content)) return false;
  for (let at = 0; at < content.length;) {
    const lf = content.indexOf(0x0a, at);
    const end = lf === -1 ? content.length : lf;
    if (end - at > MAX_LINE) return false;
    at = end + 1;
  }
  return true;
}

function writeType({ type, name }: NewPart, charset: string | null): string {
  const charsetText = charset !== null && type.startsWith('text/') ? `; charset=${toToken(charset)}` : '';
  const nameText = name === null ? '' : formatParameter('name', toOneLine(name).toWellFormed());
  return `Content-Type: ${type}${charsetText}${nameText}\r\n`;
}

function writeDisposition({ disposition, name }: NewPart): string {
  const nameText = name === null ? '' : formatParameter('filename', toOneLine(name).toWellFormed());
  return `Content-Disposition: ${toToken(disposition!)}${nameText}\r\n`;
}

/** Keeps only characters that cannot end a line or a value. */
function toToken(text: string): string {
  return text.replaceAll(/[^!-~]|[<>";]/g, '').slice(0, 500) || 'x';
}

function writeField({ name, form, value }: NewField): string {
  switch (form) {
    case 'Raw':
      return writeRaw(name, value as string);
    case 'Text':
      return foldText(name, value as string);
    case 'Addresses':
      return foldMailboxes(name, (value as EmailAddress[]).map(toMailbox));
    case 'GroupedAddresses':
      return foldHeader(name, (value as Group[]).map(writeGroup).join(', '));
    case 'MessageIds':
      return foldHeader(name, (value as string[]).map((id) => `<${id}>`).join(' '));
    case 'Date':
      return `${name}: ${formatDate(new Date(value as string))}\r\n`;
    case 'URLs':
      return foldHeader(name, (value as string[]).map((url) => `<${toToken(url)}>`).join(', '));
  }
}

/** Folding is allowed, but no line may begin another field. */
function writeRaw(name: string, value: string): string {
  const lines = value.replaceAll('\0', '').split(/\r\n|\r|\n/);
  const safe = lines.map((line, at) => (at === 0 || /^[ \t]/.test(line) ? line : ` ${line}`));
  const text = safe.filter((line, at) => at === 0 || line.trim() !== '').join('\r\n');
  return `${name}:${/^[ \t]/.test(text) ? '' : ' '}${text}\r\n`;
}

interface Group {
  name: string | null;
  addresses: EmailAddress[];
}

function writeGroup({ name, addresses }: Group): string {
  const list = foldMailboxes('x', addresses.map(toMailbox)).slice(2).replaceAll('\r\n', '').trim();
  return name === null ? list : `${quote(toOneLine(name).replaceAll(/[^ -~]/g, '?'))}: ${list};`;
}

function toMailbox({ name, email }: EmailAddress): NamedAddress {
  return { name: name ?? null, email, key: email, domain: email.slice(email.lastIndexOf('@') + 1) };
}
