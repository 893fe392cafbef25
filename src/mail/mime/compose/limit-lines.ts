/**
 * Encodes the parts of a message that have lines over 998 octets, which RFC 5322 section 2.1.1 forbids and servers cut
 * or reject: text as quoted-printable, everything else as base64. Other parts keep their bytes. So do parts of
 * multipart/signed, because any change breaks their signature (RFC 1847 section 2.1).
 */
import { decodeTransfer } from '../parse/decode.ts';
import { parseMimeTree, type MimePart } from '../parse/mime-tree.ts';
import { editBytes, type Edit } from './edit-bytes.ts';
import { encodeBase64, encodeQuotedPrintable } from './transfer-encoding.ts';

const MAX_LINE = 998;
const LF = 0x0a;
const CR = 0x0d;
const IDENTITY = new Set(['7bit', '8bit', 'binary']);
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

/** Expects CRLF line ends. */
export function limitLines(raw: Buffer): Buffer {
  return hasLongLine(raw) ? editBytes(raw, editsOf(raw, parseMimeTree(raw))) : raw;
}

function editsOf(raw: Buffer, part: MimePart): Edit[] {
  const { bodyStart, end, contentType, encoding, type, subtype, children, message } = part;
  const body = raw.subarray(bodyStart, end);
  if (!hasLongLine(body)) return [];
  if (type === 'multipart' && subtype === 'signed') return [];
  if (message) return editsOf(raw, message);
  if (children.length > 0) return children.flatMap((child) => editsOf(raw, child));
  // A multipart or a message that was not read must not be encoded (RFC 2045 section 6.4).
  const isComposite = /^(?:multipart|message)\//.test(contentType.value);
  if (!ENCODED.has(encoding) && (isComposite || !IDENTITY.has(encoding))) return [];
  return [
    encodePart(raw, part, {
      content: ENCODED.has(encoding) ? decodeTransfer(body, encoding) : body,
      isText: type === 'text' && encoding !== 'base64',
    }),
  ];
}

function encodePart(
  raw: Buffer,
  { start, end, headers }: MimePart,
  { content, isText }: { content: Buffer; isText: boolean },
): Edit {
  const kept = headers
    .filter(({ name }) => name.toLowerCase() !== 'content-transfer-encoding')
    .map((header) => raw.subarray(start + header.start, start + header.end));
  const encoding = isText ? 'quoted-printable' : 'base64';
  const encoded = isText ? encodeQuotedPrintable(content) : encodeBase64(content);
  const field = Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n\r\n`);
  return { start, end, bytes: Buffer.concat([...kept, field, encoded]) };
}
