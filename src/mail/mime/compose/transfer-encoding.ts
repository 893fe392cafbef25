/**
 * Encodes bodies as 7-bit lines of at most 76 characters (RFC 2045 sections 6.7 and 6.8). Servers have no
 * reason to change such lines, so signatures stay valid.
 */

export interface EncodedBody {
  encoding: 'quoted-printable' | 'base64' | '7bit';
  bytes: Buffer;
}

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const EQUALS = 0x3d;
const DOT = 0x2e;
const QP_LINE = 76;
const BASE64_LINE = 76;
/** A multiple of the 57 bytes of a line. */
const BASE64_PIECE = 57 * 1024;
/** Short text that needs no escaping and does not start with "." or "From ". */
const PLAIN_PIECE = /^[A-EG-Za-z0-9][ -<>-~]{0,70}$/;
const HEX = Buffer.from('0123456789ABCDEF');

const ESCAPED = 0;
const LITERAL = 1;
const LINE_END = 2;
const kindOf = new Uint8Array(256);
kindOf.fill(LITERAL, SPACE, 0x7f);
kindOf[TAB] = LITERAL;
kindOf[EQUALS] = ESCAPED;
kindOf[CR] = LINE_END;
kindOf[LF] = LINE_END;

/** Quoted-printable keeps mostly-ASCII text readable. Base64 is smaller for other scripts. */
export function encodeText(text: string): EncodedBody {
  const utf8 = Buffer.from(text, 'utf8');
  if (utf8.length - text.length > utf8.length / 4) {
    const bytes = encodeBase64(Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'utf8'));
    return { encoding: 'base64', bytes };
  }
  return { encoding: 'quoted-printable', bytes: encodeQuotedPrintable(utf8) };
}

/**
 * Encodes a piece of quoted-printable text that starts and ends at a line start. A soft line break is added if
 * needed, so that pieces can be joined without inspecting them.
 */
export function encodeQuotedPiece(text: string): string {
  if (PLAIN_PIECE.test(text)) return `${text}=\r\n`;
  const encoded = encodeQuotedPrintable(Buffer.from(text, 'utf8')).toString('latin1');
  if (encoded === '' || encoded.endsWith('\n')) return encoded;
  const lastLine = encoded.length - (encoded.lastIndexOf('\n') + 1);
  // A full line that ends with an escaped space has no column left for the "=".
  if (lastLine >= QP_LINE) return `${encoded.slice(0, -3)}=\r\n${encoded.slice(-3)}=\r\n`;
  return `${encoded}=\r\n`;
}

/** Line breaks are kept. */
export function encodeQuotedPrintable(input: Buffer): Buffer {
  const length = input.length;
  // In the worst case every byte takes three, and every 72 output bytes need a soft break of three.
  const output = Buffer.allocUnsafe(length * 3 + Math.ceil(length / 24) * 3 + 8);
  let at = 0;
  let lineStart = 0;
  let index = 0;
  while (index < length) {
    lineStart = at;
    // One column is reserved for the "=" of a soft line break.
    const limit = at + QP_LINE - 1;
    if (isRisky(input, index)) at = putEscape(output, at, input[index++]!);
    for (;;) {
      const stop = Math.min(length, index + limit - at);
      let byte = 0;
      while (index < stop && kindOf[(byte = input[index]!)] === LITERAL) {
        output[at++] = byte;
        index += 1;
      }
      if (index === length) break;
      byte = input[index]!;
      if (kindOf[byte] === LINE_END) {
        at = endLine(output, lineStart, at);
        at = putLineEnd(output, at);
        index += byte === CR && input[index + 1] === LF ? 2 : 1;
        break;
      }
      if (at === limit || (kindOf[byte] === ESCAPED && at + 3 > limit)) {
        output[at++] = EQUALS;
        at = putLineEnd(output, at);
        break;
      }
      at = putEscape(output, at, byte);
      index += 1;
    }
  }
  return output.subarray(0, endLine(output, lineStart, at));
}

/** A space at the end of a line would be lost in transit (RFC 2045 section 6.7, rule 3). */
function endLine(output: Buffer, lineStart: number, lineEnd: number): number {
  const last = output[lineEnd - 1];
  if (lineEnd === lineStart || (last !== SPACE && last !== TAB)) return lineEnd;
  let at = lineEnd - 1;
  if (at + 3 - lineStart > QP_LINE) {
    output[at++] = EQUALS;
    at = putLineEnd(output, at);
  }
  return putEscape(output, at, last);
}

function putEscape(output: Buffer, at: number, byte: number): number {
  output[at] = EQUALS;
  output[at + 1] = HEX[byte >> 4]!;
  output[at + 2] = HEX[byte & 15]!;
  return at + 3;
}

function putLineEnd(output: Buffer, at: number): number {
  output[at] = CR;
  output[at + 1] = LF;
  return at + 2;
}

/**
 * Some mailbox formats change "From " at the start of a line to ">From ", and some servers treat a lone dot as
 * the end of the message. No line starts with either.
 */
function isRisky(input: Buffer, index: number): boolean {
  const byte = input[index];
  return byte === DOT || (byte === 0x46 && input.toString('latin1', index, index + 5) === 'From ');
}

/**
 * Encodes base64 in lines of 76 characters, without a final line break. Works piece by piece, so that it makes no
 * copies.
 */
export function encodeBase64(content: Buffer): Buffer {
  const length = Math.ceil(content.length / 3) * 4;
  const lineEnds = length === 0 ? 0 : Math.floor((length - 1) / BASE64_LINE);
  const output = Buffer.allocUnsafe(length + 2 * lineEnds);
  let at = 0;
  for (let from = 0; from < content.length; from += BASE64_PIECE) {
    const text = content.toString('base64', from, from + BASE64_PIECE);
    for (let line = 0; line < text.length; line += BASE64_LINE) {
      if (at > 0) at = putLineEnd(output, at);
      at += output.write(text.slice(line, line + BASE64_LINE), at, 'latin1');
    }
  }
  return output;
}
