/**
 * Reads the header section of a message or a part, with the byte offsets of each field. Authentication, the API, IMAP
 * and JMAP all use this reader, so they see the same fields and the same body. Any input gives a result:
 * - The section ends at the first empty line. Several CRs before an LF are one line end.
 * - If the first line is not a field, there is no header, and everything is the body.
 * - A later line that is neither a field nor a continuation is the rest of a badly wrapped field if a well-known field
 *   follows before the empty line. Otherwise the body starts there, because the empty line is missing.
 * - NUL and a CR inside a line count as spaces.
 * - Of several fields with one name the last counts, as for DKIM (RFC 6376 section 5.4.2) and JMAP (RFC 8621 section
 *   4.1.2). Fields with addresses and References are read as one list.
 * Other software may read such a section differently. `isRegular` is true if all software reads it in the same way, and
 * `toRegularMessage` rewrites the others.
 */
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

/** The fields of a message or a part. */
export interface WithHeaders {
  headers: RawHeader[];
}

export interface HeaderSection extends WithHeaders {
  /** Offset of the empty line. If there is none, of the first line of the body, or the end of the message. */
  headersEnd: number;
  /** Offset after the empty line. Equals `headersEnd` when there is none. */
  bodyStart: number;
  isRegular: boolean;
}

/** The header section of a received message, which may be larger than we accept. */
export interface ReceivedHeaders extends HeaderSection {
  /** True when only the first fields of a section that is too large were read. */
  isCut: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
// More than any legitimate message has. Limits the fields that a body without line breaks could produce.
const MAX_SECTION_BYTES = 1024 * 1024;
const MAX_FIELDS = 10_000;
// The first part of a larger section. It stays below the limits when trace fields are added to it.
const KEPT_BYTES = 512 * 1024;
const KEPT_FIELDS = 9_000;
const MAX_NAME_BYTES = 998;
/** How far after a line that is not a field the next field may be. */
const LOOK_AHEAD_BYTES = 64 * 1024;
/** Only these show that the section goes on after such a line. Text may have lines such as `Note: …` too. */
const WELL_KNOWN =
  /^(?:from|sender|reply-to|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|received|return-path|delivered-to|authentication-results|dkim-signature|(?:content|list|arc|resent|x)-[!-9;-~]*)$/i;
/** NUL, a CR inside a line, or a line that is not a continuation. */
const IRREGULAR = /\0|\r(?!\n)|\n(?![ \t]|$)/;

/** Returns null when the header section is too large. */
export function readHeaders(raw: Buffer): HeaderSection | null {
  const { isCut, ...section } = scanSection(raw);
  return isCut ? null : section;
}

/** Reads the first fields of a section that is too large, instead of rejecting it. */
export function readAnyHeaders(raw: Buffer): ReceivedHeaders {
  const section = scanSection(raw);
  if (!section.isCut) return section;
  const headers = section.headers.filter(({ end }, no) => no < KEPT_FIELDS && end <= KEPT_BYTES);
  let at = section.headersEnd;
  while (at < raw.length && lengthOfLineEnd(raw, at) === 0) at = endOfLine(raw, at);
  return { ...section, headers, headersEnd: at, bodyStart: at + lengthOfLineEnd(raw, at) };
}

interface FieldStart {
  name: string;
  start: number;
  valueStart: number;
}

function scanSection(raw: Buffer): ReceivedHeaders {
  const headers: RawHeader[] = [];
  let field: FieldStart | null = null;
  let isRegular = true;
  let fieldAhead = -1;
  let at = 0;
  let emptyLine = 0;
  for (; at < raw.length; at = endOfLine(raw, at)) {
    emptyLine = lengthOfLineEnd(raw, at);
    if (emptyLine > 0) break;
    if (at > MAX_SECTION_BYTES || headers.length >= MAX_FIELDS)
      return { headers, headersEnd: at, bodyStart: at, isRegular: false, isCut: true };
    if (field && isBlank(raw[at])) continue;
    const next = readFieldStart(raw, at);
    if (!next) {
      isRegular = false;
      if (field && fieldAhead < at) fieldAhead = findKnownField(raw, at);
      if (!field || fieldAhead === -1) break;
      continue;
    }
    endField();
    field = next;
  }
  endField();
  if (emptyLine > 2) isRegular = false;
  return {
    headers,
    headersEnd: at,
    bodyStart: at + emptyLine,
    isRegular,
    isCut: at > MAX_SECTION_BYTES || headers.length > MAX_FIELDS,
  };

  function endField(): void {
    if (!field) return;
    const { name, start, valueStart } = field;
    const bytes = raw.subarray(valueStart, at);
    const text = isUtf8(bytes) ? bytes.toString('utf8') : decodeWestern(bytes);
    const isClean = !IRREGULAR.test(text);
    if (!isClean) isRegular = false;
    const value = trimBlanks(isClean ? text.replaceAll(/\r?\n/g, '') : unfoldIrregular(text));
    headers.push({ name, value, start, valueStart, end: at });
    field = null;
  }
}

/** Returns null if no field starts at this line. RFC 5322 section 4.5 allows spaces before the colon in old messages. */
function readFieldStart(raw: Buffer, start: number): FieldStart | null {
  const limit = Math.min(start + MAX_NAME_BYTES, raw.length);
  let at = start;
  while (at < limit && raw[at]! > 0x20 && raw[at]! < 0x7f && raw[at] !== COLON) at += 1;
  const nameEnd = at;
  while (at < limit && isBlank(raw[at])) at += 1;
  if (nameEnd === start || raw[at] !== COLON) return null;
  const name = raw.toString('latin1', start, nameEnd);
  return { name, start, valueStart: at + 1 };
}

/** Returns the offset of the next line that starts a well-known field, or -1 if the section ends before. */
function findKnownField(raw: Buffer, from: number): number {
  const end = Math.min(raw.length, from + LOOK_AHEAD_BYTES);
  for (let at = from; at < end && lengthOfLineEnd(raw, at) === 0; at = endOfLine(raw, at)) {
    const field = readFieldStart(raw, at);
    if (field && WELL_KNOWN.test(field.name)) return at;
  }
  return -1;
}

function unfoldIrregular(text: string): string {
  return withRegularLines(text, '', ' ');
}

/** A line end that is followed by a blank becomes `fold`, another `wrap`. The last one is left out. */
function withRegularLines(text: string, fold: string, wrap: string): string {
  return text.replaceAll('\0', ' ').replaceAll(/\r+\n?|\n/g, (found, offset: number, whole: string) => {
    if (!found.endsWith('\n')) return ' ';
    const next = offset + found.length;
    if (next === whole.length) return '';
    return isBlank(whole.charCodeAt(next)) ? fold : wrap;
  });
}

/**
 * Rewrites a message so that all software reads the fields and the body in it that this reader has found: an empty line
 * before the body, folded lines that begin with a space, no NUL and no CR inside a line. Fields that were not kept are
 * removed.
 */
export function toRegularMessage(raw: Buffer, { headers, headersEnd, bodyStart }: HeaderSection): Buffer {
  const fields = headers.map(({ name, valueStart, end }) => {
    const value = withRegularLines(raw.toString('latin1', valueStart, end), '\r\n', '\r\n ');
    return `${name}:${value}\r\n`;
  });
  const hasBody = headersEnd < raw.length;
  return Buffer.concat([
    Buffer.from(`${fields.join('')}${hasBody ? '\r\n' : ''}`, 'latin1'),
    raw.subarray(bodyStart),
  ]);
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

/** Returns the last field with this name. */
export function findHeader({ headers }: WithHeaders, name: string): RawHeader | undefined {
  const lower = name.toLowerCase();
  return headers.findLast((header) => header.name.toLowerCase() === lower);
}

/** Returns the value of the last field with this name. */
export function valueOf(section: WithHeaders, name: string): string | null {
  return findHeader(section, name)?.value ?? null;
}

/** Returns the values of all fields with this name. */
export function valuesOf({ headers }: WithHeaders, name: string): string[] {
  return headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
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

/** Returns the offset after the line break. */
function endOfLine(raw: Buffer, at: number): number {
  const found = raw.indexOf(LF, at);
  return found === -1 ? raw.length : found + 1;
}

/** Returns 0 if there is no line end here. */
function lengthOfLineEnd(raw: Buffer, start: number): number {
  let at = start;
  while (raw[at] === CR) at += 1;
  return raw[at] === LF ? at + 1 - start : 0;
}
