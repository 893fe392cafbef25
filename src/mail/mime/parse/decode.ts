/** Decodes transfer encodings (RFC 2045 section 6) and charsets. */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { toStorable } from '../../../platform/storable-text.ts';

// Charset names that occur in mail and that TextDecoder does not know.
const ALIASES: Record<string, string> = {
  'big-5': 'big5',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp',
  cp51932: 'euc-jp',
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  euc_jp: 'euc-jp',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  'iso-2022-cn': 'gbk',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  'ks_c_5601-1987': 'euc-kr',
  shiftjis: 'shift_jis',
  uhc: 'euc-kr',
  'unicode-1-1-utf-7': 'utf-7',
  'utf-8mb4': 'utf-8',
  'windows-932': 'shift_jis',
  'windows-936': 'gbk',
  'windows-950': 'big5',
  'x-big5': 'big5',
  'x-user-defined': 'windows-1252',
};
// Old charsets that TextDecoder does not support.
const OLD_CHARSET = /^(?:(?:cp|ibm)-?\d{3,4}|utf-7|viscii)$/;
const UNSPECIFIED = new Set([
  '',
  'us-ascii',
  'ascii',
  'ansi_x3.4-1968',
  'unknown-8bit',
  'x-unknown',
  'default',
]);
// The characters for 0x80 to 0x9f. Undefined ones stay control characters.
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const META_CHARSET = /<meta\s[^<>]*charset\s*=\s*["']?([\w.:-]+)/i;
const META_BYTES = 4096;
const EQUALS = 0x3d;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(bytes);
  // Return a copy, because a view would keep the whole message in memory.
  return Buffer.from(bytes);
}

/** Returns text that PostgreSQL can store, whatever the bytes are. */
export function decodeCharset(bytes: Buffer, charset: string): string {
  return toStorable(decodeBytes(bytes, charset.trim().toLowerCase()));
}

/** HTML without a declared charset may name one in a meta tag. */
export function decodeHtml(bytes: Buffer, charset: string): string {
  const isDeclared = !UNSPECIFIED.has(charset.trim().toLowerCase()) || isUtf8(bytes);
  return decodeCharset(
    bytes,
    isDeclared ? charset : (META_CHARSET.exec(bytes.toString('latin1', 0, META_BYTES))?.[1] ?? charset),
  );
}

function decodeBytes(bytes: Buffer, name: string): string {
  const charset = ALIASES[name] ?? name;
  const decoder = UNSPECIFIED.has(charset) ? null : findDecoder(charset);
  if (decoder) return decoder.encoding === 'windows-1252' ? decodeWestern(bytes) : decoder.decode(bytes);
  if (OLD_CHARSET.test(charset) && iconv.encodingExists(charset)) return iconv.decode(bytes, charset);
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : decodeWestern(bytes);
}

function findDecoder(charset: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(charset);
  } catch {
    // An unknown name is treated like a missing one.
    return null;
  }
}

/**
 * Decodes Windows-1252, which is also what Latin-1 means in practice. Node 20 leaves 0x80 to 0x9f as control
 * characters.
 */
export function decodeWestern(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[\x80-\x9f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!);
}

function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const output = Buffer.allocUnsafeSlow(bytes.length);
  let used = 0;
  // RFC 2045 section 6.7 rule 3: spaces at the end of a line are removed. Output before this offset is kept.
  let keptEnd = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === EQUALS) {
      const value = hexValue(bytes[at + 1]) * 16 + hexValue(bytes[at + 2]);
      const lineEnd = value >= 0 ? -1 : softBreakEnd(bytes, at + 1);
      if (value >= 0) {
        output[used++] = value;
        at += 2;
      } else if (lineEnd === -1) output[used++] = byte;
      else at = lineEnd - 1;
      keptEnd = used;
      continue;
    }
    if (byte === LF || byte === CR) used = keptEnd;
    output[used++] = byte;
    if (byte !== SPACE && byte !== TAB) keptEnd = used;
  }
  return output.subarray(0, used);
}

/** Returns the offset after a soft line break, or -1 when "=" does not start one. */
function softBreakEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB) at += 1;
  if (at >= bytes.length) return at;
  if (bytes[at] === LF) return at + 1;
  if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
  return -1;
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1000;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1000;
}

/**
 * RFC 3676: a line that ends with a space continues on the next line, except for quotations and the signature
 * separator.
 */
export function unflow(text: string, deletesBlanks: boolean): string {
  const lines: string[] = [];
  let pieces: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const unstuffed = line.startsWith(' ') ? line.slice(1) : line;
    const isUnflowed = unstuffed === '-- ' || unstuffed.startsWith('>');
    if (isUnflowed && pieces.length > 0) {
      lines.push(pieces.join(''));
      pieces = [];
    }
    const isFlowed = unstuffed.endsWith(' ') && !isUnflowed;
    pieces.push(isFlowed && deletesBlanks ? unstuffed.slice(0, -1) : unstuffed);
    if (isFlowed) continue;
    lines.push(pieces.join(''));
    pieces = [];
  }
  if (pieces.length > 0) lines.push(pieces.join(''));
  return lines.join('\n');
}
