/** Sections of a message: `BODY[1.2.HEADER.FIELDS (From)]` and `BINARY[1]` (RFC 9051 sections 6.4.5 and 7.5.2). */
import type { CommandCursor } from './command-cursor.ts';
import type { MimePart } from '../mime/parse/mime-tree.ts';
import { decodeTransfer } from '../mime/parse/decode.ts';

export interface Section {
  /** Empty for the message itself. */
  path: number[];
  what: 'ALL' | 'HEADER' | 'HEADER.FIELDS' | 'HEADER.FIELDS.NOT' | 'TEXT' | 'MIME';
  /** The names of the fields, in lower case. */
  fields: string[];
  /** The section as the client wrote it, for the response. */
  text: string;
}

const PATH = /[1-9]\d{0,5}(?:\.[1-9]\d{0,5})*/y;
const MAX_FIELDS = 200;

/** Reads the text between the brackets, and the closing bracket. */
export function readSection(cursor: CommandCursor): Section {
  const numbers = cursor.match(PATH);
  const path = numbers === null ? [] : numbers.split('.').map(Number);
  if (cursor.take(']')) return { path, what: 'ALL', fields: [], text: numbers ?? '' };
  const prefix = numbers === null ? '' : `${numbers}.`;
  if (numbers !== null) cursor.expect('.');
  for (const what of ['HEADER.FIELDS.NOT', 'HEADER.FIELDS'] as const) {
    if (!cursor.take(`${what} `)) continue;
    const names = cursor.list(() => cursor.astring());
    if (names.length === 0 || names.length > MAX_FIELDS) cursor.fail('Expected header field names');
    cursor.expect(']');
    const fields = names.map((name) => name.toLowerCase());
    return { path, what, fields, text: `${prefix}${what} (${names.map(writeFieldName).join(' ')})` };
  }
  for (const what of ['HEADER', 'TEXT', 'MIME'] as const) {
    if (what === 'MIME' && numbers === null) continue;
    if (!cursor.take(`${what}]`)) continue;
    return { path, what, fields: [], text: `${prefix}${what}` };
  }
  return cursor.fail('Unknown section');
}

function writeFieldName(name: string): string {
  return /^[!-~]+$/.test(name) && !/[(){%*"\\\]]/.test(name) ? name : `"${name.replaceAll(/["\\]/g, '')}"`;
}

/** Returns null for a part that does not exist. */
export function sliceSection(raw: Buffer, root: MimePart, { path, what, fields }: Section): Buffer | null {
  const part = findPart(root, path);
  if (!part) return null;
  const isRoot = path.length === 0;
  if (what === 'MIME') return raw.subarray(part.start, part.bodyStart);
  if (what === 'ALL') return isRoot ? raw : raw.subarray(part.bodyStart, part.end);
  const message = isRoot ? part : part.message;
  if (!message) return null;
  if (what === 'TEXT') return raw.subarray(message.bodyStart, message.end);
  const header = raw.subarray(message.start, message.bodyStart);
  return what === 'HEADER' ? header : filterHeader(header, fields, what === 'HEADER.FIELDS');
}

/** Returns the part at a path. In a message that is not a multipart, part 1 is its body. */
export function findPart(root: MimePart, path: number[]): MimePart | null {
  let part: MimePart = root;
  for (const [level, number] of path.entries()) {
    const container = level > 0 && part.message ? part.message : part;
    if (container.children.length > 0) {
      const child = container.children[number - 1];
      if (!child) return null;
      part = child;
    } else if (number === 1 && (level === 0 || container !== part)) part = container;
    else return null;
  }
  return part;
}

/** Returns the lines of some fields, or of all others, with an empty line at the end. */
function filterHeader(header: Buffer, names: string[], keeps: boolean): Buffer {
  return Buffer.from(filterHeaderText(header.toString('latin1'), names, keeps), 'latin1');
}

/**
 * Does the same for a header as Latin-1 text. It runs for each message of a list, so it does not build an array of
 * lines.
 */
export function filterHeaderText(header: string, names: string[], keeps: boolean): string {
  let kept = '';
  let isKept = false;
  for (let start = 0, end = 0; start < header.length; start = end) {
    end = header.indexOf('\n', start) + 1 || header.length;
    if (isBlankLine(header, start, end)) continue;
    const name = nameAt(header, start, end);
    if (name !== null) isKept = names.includes(name) === keeps;
    if (isKept) kept += header.slice(start, end);
  }
  return `${kept}\r\n`;
}

const COLON = 0x3a;

/** True for spaces, tabs and line break characters. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isBlankLine(header: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isBlank(header.charCodeAt(at))) return false;
  return true;
}

/** Returns the name of the field that begins here, in lower case. Null if the line continues the field before it. */
function nameAt(header: string, start: number, end: number): string | null {
  let at = start;
  while (at < end && header.charCodeAt(at) !== COLON && !isBlank(header.charCodeAt(at))) at += 1;
  const nameEnd = at;
  while (at < end && isBlank(header.charCodeAt(at))) at += 1;
  return nameEnd > start && header.charCodeAt(at) === COLON
    ? header.slice(start, nameEnd).toLowerCase()
    : null;
}

/** Returns the decoded content of a part (RFC 3516); null if its encoding is unknown. */
export function decodePart(raw: Buffer, part: MimePart): Buffer | null {
  const body = raw.subarray(part.bodyStart, part.end);
  switch (part.encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
      return body;
    case 'base64':
    case 'quoted-printable':
      return decodeTransfer(body, part.encoding);
    default:
      return null;
  }
}
