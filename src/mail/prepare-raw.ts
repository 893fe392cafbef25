/**
 * A message that came in one piece through the submission door, made fit to be sent (RFC 6409 section 8): line ends
 * are CRLF, fields that a customer may not write are gone (header-rules.ts), Date, Message-ID and MIME-Version are there. All other bytes stay as they
 * are, signatures of others included. A line among the fields that is none starts the body, and gets the empty line
 * before it that was forgotten: readers who disagree on that would see different messages.
 */
import { formatDate } from './header-encoding.ts';
import { ruleForSubmission } from './header-rules.ts';
import { findHeader, readHeaders } from './raw-headers.ts';

export interface PreparedMessage {
  raw: Buffer;
  /** The one that it has, or the one that it was given. */
  messageId: string;
}

const LF = 0x0a;
const CR = 0x0d;

/** Null when its header section is larger than any that we take. `messageId` and `date` serve where they lack. */
export function prepareRaw(
  received: Buffer,
  missing: { messageId: string; date: Date },
): PreparedMessage | null {
  const raw = toMessage(received);
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

/** As everybody after us will read it: whoever looks into a message before it is prepared looks into this. */
export function toMessage(received: Buffer): Buffer {
  return withoutMailboxLine(toCrlf(received));
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
    output[written++] = CR;
    output[written++] = LF;
    at = behindLineEnd(raw, at);
  }
  return output.subarray(0, written);
}

function behindLineEnd(raw: Buffer, from: number): number {
  let at = from;
  while (raw[at] === CR) at += 1;
  // CRs without an LF behind them are line ends of their own.
  return raw[at] === LF ? at + 1 : from + 1;
}
