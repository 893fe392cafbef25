/** The header section of a message, field by field, with the place of each in the bytes. */
import { isUtf8 } from 'node:buffer';
import { decodeWestern } from './mime-decode.ts';

export interface RawHeader {
  /** As it is written, without blanks around it. */
  name: string;
  /** Unfolded, as UTF-8 or else as western as old programs are, without blanks around it; encoded words are left alone. */
  value: string;
  /** First byte of the name. */
  start: number;
  /** First byte behind the colon. */
  valueStart: number;
  /** Behind the line end of its last line. */
  end: number;
}

export interface HeaderSection {
  headers: RawHeader[];
  /** Where the empty line stands. Without one: the first line that is no field, or the end of the message. */
  headersEnd: number;
  /** Behind the empty line; the same as `headersEnd` where there is none. */
  bodyStart: number;
}

const LF = 0x0a;
const CR = 0x0d;
// Far more than any honest message has: a body without line ends or colons must not become a million fields.
const MAX_SECTION_BYTES = 1024 * 1024;
const BEGINNING_BYTES = 512 * 1024;
const MAX_NAME_BYTES = 998;
const FIELD_NAME = /^[!-9;-~]+$/;

/** Null when the header section is larger than any that we take. */
export function readHeaders(raw: Buffer): HeaderSection | null {
  const headers: RawHeader[] = [];
  let at = 0;
  while (at < raw.length) {
    if (isLineEnd(raw, at)) {
      return { headers, headersEnd: at, bodyStart: at + (raw[at] === CR ? 2 : 1) };
    }
    const start = at;
    do {
      const lineEnd = raw.indexOf(LF, at);
      at = lineEnd === -1 ? raw.length : lineEnd + 1;
    } while (isBlank(raw[at]));
    const header = readHeader(raw, start, at);
    if (!header) return { headers, headersEnd: start, bodyStart: start };
    if (at > MAX_SECTION_BYTES) return null;
    headers.push(header);
  }
  return { headers, headersEnd: raw.length, bodyStart: raw.length };
}

/** The same, with the beginning of a section that is larger than any honest one. */
export function readAnyHeaders(raw: Buffer): HeaderSection {
  const section = readHeaders(raw);
  if (section) return section;
  const { headers } = readHeaders(raw.subarray(0, BEGINNING_BYTES)) ?? { headers: [] };
  const ends = [raw.indexOf('\r\n\r\n'), raw.indexOf('\n\n')].filter((at) => at !== -1);
  const headersEnd = Math.min(raw.length, ...ends);
  const lineEnds = raw[headersEnd] === CR ? 4 : 2;
  return { headers, headersEnd, bodyStart: Math.min(headersEnd + lineEnds, raw.length) };
}

export function findHeader(section: HeaderSection, name: string): RawHeader | undefined {
  const lower = name.toLowerCase();
  return section.headers.find((header) => header.name.toLowerCase() === lower);
}

function readHeader(raw: Buffer, start: number, end: number): RawHeader | null {
  const colon = raw.indexOf(0x3a, start);
  if (colon === -1 || colon - start > MAX_NAME_BYTES || colon >= end) return null;
  // RFC 5322 section 4.5 lets old programs put blanks before the colon.
  const name = trimBlanks(raw.toString('latin1', start, colon));
  if (!FIELD_NAME.test(name) || isBlank(raw[start])) return null;
  const bytes = raw.subarray(colon + 1, end);
  const text = isUtf8(bytes) ? bytes.toString('utf8') : decodeWestern(bytes);
  const value = trimBlanks(text.replaceAll(/\r?\n/g, ''));
  return { name, value, start, valueStart: colon + 1, end };
}

// String.trim would also take characters that are not white space in mail, such as U+00A0.
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number | undefined): boolean {
  return code === 0x20 || code === 0x09;
}

function isLineEnd(raw: Buffer, at: number): boolean {
  return raw[at] === LF || (raw[at] === CR && raw[at + 1] === LF);
}
