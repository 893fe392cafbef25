/**
 * Prepares a raw message from SMTP submission for sending (RFC 6409 section 8): line ends become CRLF, forbidden
 * fields are removed (header-rules.ts), and Date, Message-ID and MIME-Version are added if missing. Fields that are
 * not ASCII, including those of parts, and lines over 998 octets are encoded (encode-field.ts, encode-part-fields.ts,
 * limit-lines.ts). All other bytes stay as they are, including signatures, unless the header section is irregular
 * (raw-headers.ts).
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { formatDate } from '../header-encoding.ts';
import { encodeField } from './encode-field.ts';
import { encodePartFields } from './encode-part-fields.ts';
import { limitLines } from './limit-lines.ts';
import { ruleForSubmission } from '../header-rules.ts';
import {
  findHeader,
  readAnyHeaders,
  readHeaders,
  toRegularMessage,
  type HeaderSection,
} from '../parse/raw-headers.ts';

export interface PreparedMessage {
  raw: Buffer;
  /** The existing Message-ID, or the added one. */
  messageId: string;
}

const PIECE_BYTES = 2 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/** Expects the output of `toMessage` and its headers. `missing` has the values for missing fields. */
export function prepareRaw(
  given: Buffer,
  givenSection: HeaderSection,
  missing: { messageId: string; date: Date },
): PreparedMessage {
  const raw = givenSection.isRegular ? given : toRegularMessage(given, givenSection);
  const section = givenSection.isRegular ? givenSection : readAnyHeaders(raw);
  const messageId = findHeader(section, 'message-id')?.value ?? '';
  const date = findHeader(section, 'date')?.value ?? '';
  let added = '';
  if (date === '') added += `Date: ${formatDate(missing.date)}\r\n`;
  if (messageId === '') added += `Message-ID: ${missing.messageId}\r\n`;
  if (!findHeader(section, 'mime-version')) added += 'MIME-Version: 1.0\r\n';

  const pieces: Buffer[] = [Buffer.from(added, 'latin1')];
  for (const header of section.headers) {
    const { name, value } = header;
    const lower = name.toLowerCase();
    const isEmpty = value === '' && (lower === 'date' || lower === 'message-id');
    if (ruleForSubmission(name) !== 'removed' && !isEmpty) pieces.push(encodeField(raw, header));
  }
  if (section.bodyStart === section.headersEnd) {
    const isLineOpen = section.headersEnd > 0 && raw[section.headersEnd - 1] !== LF;
    pieces.push(Buffer.from(isLineOpen ? '\r\n\r\n' : '\r\n'));
  }
  pieces.push(raw.subarray(section.headersEnd));
  return {
    raw: limitLines(encodePartFields(Buffer.concat(pieces))),
    messageId: messageId || missing.messageId,
  };
}

/**
 * Normalises line ends and removes an mbox line. Code that inspects a message must use this form, because receivers
 * see it too. Large messages are converted in pieces, so that the event loop is not blocked.
 */
export async function toMessage(received: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < received.length;) {
    if (start > 0) await yieldEventLoop();
    let end = Math.min(start + PIECE_BYTES, received.length);
    // Keep a run of CRs and its LF in one piece, because together they are one line end.
    while (end < received.length && received[end - 1] === CR) end += 1;
    pieces.push(toCrlf(received.subarray(start, end)));
    start = end;
  }
  return withoutMailboxLine(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
}

/** Removes the separator line of an mbox file, which some clients submit with the message. */
export function withoutMailboxLine(raw: Buffer): Buffer {
  const hasMailboxLine = raw.toString('latin1', 0, 5) === 'From ' && readHeaders(raw)?.headers.length === 0;
  return hasMailboxLine && raw.includes(LF) ? raw.subarray(raw.indexOf(LF) + 1) : raw;
}

/**
 * Converts every line end to CRLF. Servers that disagree about line ends can be made to see two messages in one
 * (SMTP smuggling), so no lone CR or LF is sent. Several CRs before an LF are one line end that was converted
 * twice.
 */
export function toCrlf(raw: Buffer): Buffer {
  let loose = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at]!;
    if (byte === LF && raw[at - 1] !== CR) loose += 1;
    else if (byte === CR && raw[at + 1] !== LF) loose += 1;
  }
  if (loose === 0) return raw;

  const output = Buffer.allocUnsafe(raw.length + loose);
  let written = 0;
  let at = 0;
  while (at < raw.length) {
    const byte = raw[at]!;
    if (byte !== CR && byte !== LF) {
      output[written++] = byte;
      at += 1;
      continue;
    }
    const start = at;
    while (raw[at] === CR) at += 1;
    // CRs that are not followed by an LF are separate line ends.
    const lineEnds = raw[at] === LF ? 1 : at - start;
    if (raw[at] === LF) at += 1;
    for (let count = 0; count < lineEnds; count += 1) {
      output[written++] = CR;
      output[written++] = LF;
    }
  }
  return output.subarray(0, written);
}
