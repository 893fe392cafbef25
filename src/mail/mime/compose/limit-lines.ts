/**
 * Encodes the parts of a message that have lines over 998 octets, which RFC 5322 section 2.1.1 forbids and servers cut
 * or reject: text as quoted-printable, everything else as base64. Other parts keep their bytes. So do parts of
 * multipart/signed, because any change breaks their signature (RFC 1847 section 2.1).
 */
import { decodeTransfer } from '../parse/decode.ts';
import { readField } from '../parse/fields.ts';
import { findHeader, readHeaders, type HeaderSection } from '../parse/raw-headers.ts';
import { splitParts } from '../parse/split-parts.ts';
import { encodeBase64, encodeQuotedPrintable } from './transfer-encoding.ts';

const MAX_LINE = 998;
const MAX_DEPTH = 20;
const LF = 0x0a;
const CR = 0x0d;
const IDENTITY = new Set(['7bit', '8bit', 'binary', '']);
const ENCODED = new Set(['base64', 'quoted-printable']);

/** True when a line has more octets than allowed, without its line break. */
export function hasLongLine(bytes: Buffer): boolean {
  let start = 0;
  while (bytes.length - start > MAX_LINE) {
    const lineEnd = bytes.indexOf(LF, start);
    const end = lineEnd === -1 ? bytes.length : lineEnd;
    if (end - start - (bytes[end - 1] === CR ? 1 : 0) > MAX_LINE) return true;
    start = end + 1;
  }
  return false;
}

/** Expects CRLF line ends. `entity` is a message or a part of one, with its header section. */
export function limitLines(entity: Buffer, depth = 0): Buffer {
  const section = readHeaders(entity);
  if (!section || depth > MAX_DEPTH) return entity;
  const head = entity.subarray(0, section.bodyStart);
  const body = entity.subarray(section.bodyStart);
  if (!hasLongLine(body)) return entity;
  const type = readField(findHeader(section, 'content-type')?.value ?? 'text/plain');
  const encoding = readField(findHeader(section, 'content-transfer-encoding')?.value ?? '').value;
  if (type.value === 'multipart/signed') return entity;
  if (type.value.startsWith('multipart/')) {
    const pieces = splitParts(body, type.parameters.get('boundary') ?? '');
    return Buffer.concat([
      head,
      ...pieces.map(({ isPart, bytes }) => (isPart ? limitLines(bytes, depth + 1) : bytes)),
    ]);
  }
  if (type.value === 'message/rfc822') return Buffer.concat([head, limitLines(body, depth + 1)]);
  if (!IDENTITY.has(encoding) && !ENCODED.has(encoding)) return entity;
  return encodePart(entity, section, {
    content: ENCODED.has(encoding) ? decodeTransfer(body, encoding) : body,
    isText: type.value.startsWith('text/') && encoding !== 'base64',
  });
}

function encodePart(
  entity: Buffer,
  section: HeaderSection,
  { content, isText }: { content: Buffer; isText: boolean },
): Buffer {
  const kept = section.headers
    .filter(({ name }) => name.toLowerCase() !== 'content-transfer-encoding')
    .map(({ start, end }) => entity.subarray(start, end));
  const encoding = isText ? 'quoted-printable' : 'base64';
  const encoded = isText ? encodeQuotedPrintable(content) : encodeBase64(content);
  return Buffer.concat([...kept, Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n\r\n`), encoded]);
}
