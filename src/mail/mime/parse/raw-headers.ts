/** Reads the header section of a message, with the byte offsets of each field. */
import { isUtf8 } from 'node:buffer';
import { decodeWestern } from './decode.ts';

export interface RawHeader {
  /** The name as written, without surrounding spaces. */
  name: string;
  /**
   * Unfolded and trimmed. Decoded as UTF-8, or as Windows-1252 if it is not valid UTF-8. Encoded words are not
   * decoded.
   */
  value: string;
  /** Offset of the name. */
  start: number;
  /** Offset after the colon. */
  valueStart: number;
  /** Offset after the last line break of the field. */
  end: number;
}

export interface HeaderSection {
  headers: RawHeader[];
  /** Offset of the empty line. If there is none, of the first line that is not a field, or the end of the message. */
  headersEnd: number;
  /** Offset after the empty line. Equals `headersEnd` when there is none. */
  bodyStart: number;
}

/** The header section of a received message, which may be larger than we accept. */
export interface ReceivedHeaders extends HeaderSection {
  /** True when only the start of a section that is too large was read. */
  isCut: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
// More than any legitimate message has. Limits the fields that a body without line breaks could produce.
const MAX_SECTION_BYTES = 1024 * 1024;
const KEPT_BYTES = 512 * 1024;
const MAX_NAME_BYTES = 998;
const FIELD_NAME = /^[!-9;-~]+$/;

/** Returns null when the header section is too large. */
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

/** Reads the start of a section that is too large, instead of rejecting it. */
export function readAnyHeaders(raw: Buffer): ReceivedHeaders {
  const section = readHeaders(raw);
  if (section) return { ...section, isCut: false };
  const { headers } = readHeaders(raw.subarray(0, KEPT_BYTES)) ?? { headers: [] };
  const ends = [raw.indexOf('\r\n\r\n'), raw.indexOf('\n\n')].filter((at) => at !== -1);
  const headersEnd = Math.min(raw.length, ...ends);
  const lineEnds = raw[headersEnd] === CR ? 4 : 2;
  return { headers, headersEnd, bodyStart: Math.min(headersEnd + lineEnds, raw.length), isCut: true };
}

/** Removes some headers from the bytes. The remaining ones get their new offsets without being parsed again. */
export function removeHeaders<Section extends HeaderSection>(
  raw: Buffer,
  section: Section,
  removed: ReadonlySet<RawHeader>,
): { raw: Buffer; section: Section } {
  if (removed.size === 0) return { raw, section };
  const pieces: Buffer[] = [];
  const headers: RawHeader[] = [];
  let kept = 0;
  let removedBytes = 0;
  for (const header of section.headers) {
    if (removed.has(header)) {
      pieces.push(raw.subarray(kept, header.start));
      kept = header.end;
      removedBytes += header.end - header.start;
    } else headers.push(shiftHeader(header, removedBytes));
  }
  pieces.push(raw.subarray(kept));
  const headersEnd = section.headersEnd - removedBytes;
  const bodyStart = section.bodyStart - removedBytes;
  return { raw: Buffer.concat(pieces), section: { ...section, headers, headersEnd, bodyStart } };
}

function shiftHeader({ name, value, start, valueStart, end }: RawHeader, bytes: number): RawHeader {
  return { name, value, start: start - bytes, valueStart: valueStart - bytes, end: end - bytes };
}

export function findHeader(section: HeaderSection, name: string): RawHeader | undefined {
  const lower = name.toLowerCase();
  return section.headers.find((header) => header.name.toLowerCase() === lower);
}

function readHeader(raw: Buffer, start: number, end: number): RawHeader | null {
  const colon = raw.indexOf(0x3a, start);
  if (colon === -1 || colon - start > MAX_NAME_BYTES || colon >= end) return null;
  // RFC 5322 section 4.5 allows spaces before the colon in old messages.
  const name = trimBlanks(raw.toString('latin1', start, colon));
  if (!FIELD_NAME.test(name) || isBlank(raw[start])) return null;
  const bytes = raw.subarray(colon + 1, end);
  const text = isUtf8(bytes) ? bytes.toString('utf8') : decodeWestern(bytes);
  const value = trimBlanks(text.replaceAll(/\r?\n/g, ''));
  return { name, value, start, valueStart: colon + 1, end };
}

// String.trim would also remove characters that are not white space in mail, such as U+00A0.
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
