/**
 * A message may contain NUL in parts with the transfer encoding `binary` (RFC 3516), which text cannot represent. Such
 * parts are stored in base64, so that every email app can read them.
 */
import { parseMimeTree, type MimePart } from '../mime/parse/mime-tree.ts';

const IDENTITY = ['7bit', '8bit', 'binary'];
const LINE_LENGTH = 76;
const ENCODING_FIELD = /^content-transfer-encoding[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*/gim;

/** Returns null if NUL occurs in a header or between parts, or if a part with NUL has another transfer encoding. */
export function encodeBinaryParts(raw: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const part of leavesOf(parseMimeTree(raw))) {
    if (!IDENTITY.includes(part.encoding) || !raw.subarray(part.bodyStart, part.end).includes(0)) continue;
    pieces.push(raw.subarray(at, part.start), toBase64(raw, part));
    at = part.end;
  }
  const encoded = Buffer.concat([...pieces, raw.subarray(at)]);
  return encoded.includes(0) ? null : encoded;
}

/** Returns them in the order of their offsets. */
function leavesOf(part: MimePart): MimePart[] {
  if (part.message) return leavesOf(part.message);
  return part.children.length > 0 ? part.children.flatMap(leavesOf) : [part];
}

function toBase64(raw: Buffer, { start, bodyStart, end }: MimePart): Buffer {
  const header = raw.toString('latin1', start, bodyStart).replaceAll(ENCODING_FIELD, '');
  const text = raw.toString('base64', bodyStart, end);
  const lines: string[] = [];
  for (let from = 0; from < text.length; from += LINE_LENGTH)
    lines.push(text.slice(from, from + LINE_LENGTH));
  return Buffer.from(`Content-Transfer-Encoding: base64\r\n${header}${lines.join('\r\n')}\r\n`, 'latin1');
}
