/** The body parts of a message as JMAP shows them (RFC 8621 section 4.1.4). */
import { toStorable } from '../../platform/storable-text.ts';
import { decodePart } from '../imap/sections.ts';
import { parseMimeTree, type MimePart } from '../mime/parse/mime-tree.ts';
import { decodeCharset, decodeHtml, decodeTransfer } from '../mime/parse/decode.ts';
import { readField } from '../mime/parse/fields.ts';
import { readFilename } from '../mime/parse/parse-body.ts';
import { valueOf } from '../mime/parse/raw-headers.ts';

export interface BodyPart {
  /** Null for a multipart. The number is the same as in IMAP. */
  partId: string | null;
  type: string;
  charset: string | null;
  disposition: string | null;
  name: string | null;
  cid: string | null;
  language: string[] | null;
  location: string | null;
  mime: MimePart;
  subParts: BodyPart[];
}

export interface Body {
  raw: Buffer;
  root: BodyPart;
  textBody: BodyPart[];
  htmlBody: BodyPart[];
  attachments: BodyPart[];
}

export function readBody(raw: Buffer): Body {
  const root = toBodyPart(parseMimeTree(raw), []);
  const lists = { textBody: [], htmlBody: [], attachments: [] };
  collectParts([root], 'mixed', false, lists);
  return { raw, root, ...lists };
}

function toBodyPart(mime: MimePart, path: number[]): BodyPart {
  const isMultipart = mime.children.length > 0;
  const field = (name: string) => {
    const value = valueOf(mime, name);
    return value === null ? null : toStorable(value);
  };
  const { contentType } = mime;
  const disposition = readField(field('content-disposition') ?? '');
  const type = `${mime.type}/${mime.subtype}`;
  return {
    partId: isMultipart ? null : (path.length === 0 ? [1] : path).join('.'),
    type,
    charset: mime.type === 'text' ? (contentType.parameters.get('charset') ?? 'us-ascii') : null,
    disposition: disposition.value === '' ? null : disposition.value,
    name: readFilename(disposition.parameters.get('filename') ?? contentType.parameters.get('name')),
    cid: withoutBrackets(field('content-id')),
    language:
      field('content-language')
        ?.split(',')
        .map((tag) => tag.trim())
        .filter(Boolean) ?? null,
    location: field('content-location'),
    mime,
    subParts: mime.children.map((child, at) => toBodyPart(child, [...path, at + 1])),
  };
}

function withoutBrackets(id: string | null): string | null {
  const text = id?.trim() ?? '';
  return text.slice(text.startsWith('<') ? 1 : 0, text.endsWith('>') ? -1 : undefined) || null;
}

interface Lists {
  /** Null where a part of the other kind was found in the same alternative. */
  textBody: BodyPart[] | null;
  htmlBody: BodyPart[] | null;
  attachments: BodyPart[];
}

/** The algorithm of RFC 8621 section 4.1.4. The depth is limited by the MIME tree. */
function collectParts(parts: BodyPart[], kind: string, inAlternative: boolean, lists: Lists): void {
  let { textBody, htmlBody } = lists;
  const { attachments } = lists;
  const textLength = textBody?.length ?? -1;
  const htmlLength = htmlBody?.length ?? -1;
  for (const [at, part] of parts.entries()) {
    const isMedia = isInlineMedia(part.type);
    const isText = part.type === 'text/plain' || part.type === 'text/html';
    const isInline =
      part.disposition !== 'attachment' &&
      (isText || isMedia) &&
      (at === 0 || (kind !== 'related' && (isMedia || !part.name)));
    if (part.subParts.length > 0) {
      const subKind = part.type.slice(part.type.indexOf('/') + 1);
      const isAlternative = inAlternative || subKind === 'alternative';
      collectParts(part.subParts, subKind, isAlternative, { textBody, htmlBody, attachments });
    } else if (!isInline) attachments.push(part);
    else if (kind === 'alternative') {
      if (part.type === 'text/plain') textBody?.push(part);
      else if (part.type === 'text/html') htmlBody?.push(part);
      else attachments.push(part);
    } else {
      if (inAlternative && part.type === 'text/plain') htmlBody = null;
      if (inAlternative && part.type === 'text/html') textBody = null;
      textBody?.push(part);
      htmlBody?.push(part);
      if ((!textBody || !htmlBody) && isMedia) attachments.push(part);
    }
  }
  if (kind !== 'alternative' || !textBody || !htmlBody) return;
  if (textLength === textBody.length && htmlLength !== htmlBody.length)
    textBody.push(...htmlBody.slice(htmlLength));
  else if (htmlLength === htmlBody.length && textLength !== textBody.length)
    htmlBody.push(...textBody.slice(textLength));
}

function isInlineMedia(type: string): boolean {
  return /^(?:image|audio|video)\//.test(type);
}

/** Finds a part by its `partId`. */
export function findBodyPart(root: BodyPart, partId: string): BodyPart | null {
  if (root.partId === partId) return root;
  let part = root;
  for (const number of partId.split('.').map(Number)) {
    const child = part.subParts[number - 1];
    if (!child) return null;
    part = child;
  }
  return part.partId === null ? null : part;
}

/**
 * Returns the content of a part without its transfer encoding. If the encoding is unknown, the bytes stay as they are.
 */
export function contentOfPart(raw: Buffer, { mime }: BodyPart): Buffer {
  return decodePart(raw, mime) ?? raw.subarray(mime.bodyStart, mime.end);
}

/** Returns the size of that content, without decoding base64. */
export function sizeOfPart(raw: Buffer, { mime }: BodyPart): number {
  const body = raw.subarray(mime.bodyStart, mime.end);
  if (mime.encoding === 'quoted-printable') return decodeTransfer(body, 'quoted-printable').length;
  if (mime.encoding !== 'base64') return body.length;
  // What follows the padding is not decoded.
  const padding = body.indexOf('=');
  let digits = 0;
  for (const byte of padding === -1 ? body : body.subarray(0, padding)) digits += IS_BASE64[byte]!;
  return Math.floor((digits * 3) / 4);
}

/** Has 1 for each byte that `decodeTransfer` takes as a digit of base64, also of its form for URLs. */
const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\w+/-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

export interface BodyValue {
  value: string;
  isEncodingProblem: boolean;
  isTruncated: boolean;
}

/** `maxBytes` counts UTF-8 bytes; 0 means no limit. */
export function readBodyValue(raw: Buffer, part: BodyPart, maxBytes: number): BodyValue {
  const decoded = decodePart(raw, part.mime);
  const bytes = decoded ?? raw.subarray(part.mime.bodyStart, part.mime.end);
  const charset = part.charset ?? '';
  const text = (
    part.type === 'text/html' ? decodeHtml(bytes, charset) : decodeCharset(bytes, charset)
  ).replaceAll(/\r\n?/g, '\n');
  const value = maxBytes === 0 ? text : cutText(text, maxBytes, part.type === 'text/html');
  const isEncodingProblem = decoded === null || !isKnownCharset(charset) || text.includes('\ufffd');
  return { value, isEncodingProblem, isTruncated: value.length < text.length };
}

function isKnownCharset(charset: string): boolean {
  try {
    return charset === '' || new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}

/** Cuts between characters, and in HTML not inside a tag. */
function cutText(text: string, maxBytes: number, isHtml: boolean): string {
  // A character of UTF-16 has at most three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text.slice(0, maxBytes));
  if (bytes.length <= maxBytes && text.length <= maxBytes) return text;
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  const cut = bytes.toString('utf8', 0, end).replace(/\ufffd$/, '');
  const open = isHtml ? cut.lastIndexOf('<') : -1;
  return open > cut.lastIndexOf('>') ? cut.slice(0, open) : cut;
}
