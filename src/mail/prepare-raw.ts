/**
 * A message that came in one piece through the submission door, made fit to be sent (RFC 6409 section 8): line ends
 * are CRLF, fields that a customer may not write are gone (header-rules.ts), Date, Message-ID and MIME-Version are there. All other bytes stay as they
 * are, signatures of others included. A line among the fields that is none starts the body, and gets the empty line
 * before it that was forgotten: readers who disagree on that would see different messages.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatDate } from './header-encoding.ts';
import { ruleForSubmission } from './header-rules.ts';
import { findHeader, readHeaders } from './raw-headers.ts';

export interface PreparedMessage {
  raw: Buffer;
  /** The one that it has, or the one that it was given. */
  messageId: string;
}

const PIECE_BYTES = 2 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/** Of what `toMessage` gave. Null when its header section is larger than any that we take. `messageId` and `date` serve where they lack. */
export function prepareRaw(raw: Buffer, missing: { messageId: string; date: Date }): PreparedMessage | null {
  const section = readHeaders(raw);
  if (!section) return null;

  const messageId = findHeader(section, 'message-id')?.value ?? '';
  const date = findHeader(section, 'date')?.value ?? '';
  let added = '';
  if (date === '') added += `Date: ${formatDate(missing.date)}\r\n`;
  if (messageId === '') added += `Message-ID: ${missing.messageId}\r\n`;
  if (!findHeader(section, 'mime-version')) added += 'MIME-Version: 1.0\r\n';

  const pieces: Buffer[] = [Buffer.from(added, 'latin1')];
  for (const { name, value, start, end } of section.headers) {
    const lower = name.toLowerCase();
    const isEmpty = value === '' && (lower === 'date' || lower === 'message-id');
    if (ruleForSubmission(name) !== 'removed' && !isEmpty) pieces.push(raw.subarray(start, end));
  }
  if (section.bodyStart === section.headersEnd) {
    const isLineOpen = section.headersEnd > 0 && raw[section.headersEnd - 1] !== LF;
    pieces.push(Buffer.from(isLineOpen ? '\r\n\r\n' : '\r\n'));
  }
  pieces.push(raw.subarray(section.headersEnd));
  return { raw: Buffer.concat(pieces), messageId: messageId || missing.messageId };
}

/**
 * As everybody after us will read it: whoever looks into a message before it is prepared looks into this. A large one is
 * read in pieces, with time for others in between.
 */
export async function toMessage(received: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < received.length;) {
    if (start > 0) await nextTurn();
    let end = Math.min(start + PIECE_BYTES, received.length);
    // CRs and the LF behind them are one line end.
    while (end < received.length && received[end - 1] === CR) end += 1;
    pieces.push(toCrlf(received.subarray(start, end)));
    start = end;
  }
  return withoutMailboxLine(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
}

/** The line that parts messages in an mbox file, and that some programs hand over with the message. */
export function withoutMailboxLine(raw: Buffer): Buffer {
  const isThere = raw.toString('latin1', 0, 5) === 'From ' && readHeaders(raw)?.headers.length === 0;
  return isThere && raw.includes(LF) ? raw.subarray(raw.indexOf(LF) + 1) : raw;
}

/**
 * Every line end as CRLF. Two servers that disagree on what ends a line can be made to see two messages in one (SMTP
 * smuggling), so a lone CR or LF never leaves here. CRs in a row before one LF are one line end, twice converted.
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
    // CRs without an LF behind them are line ends of their own.
    const lineEnds = raw[at] === LF ? 1 : at - start;
    if (raw[at] === LF) at += 1;
    for (let count = 0; count < lineEnds; count += 1) {
      output[written++] = CR;
      output[written++] = LF;
    }
  }
  return output.subarray(0, written);
}
