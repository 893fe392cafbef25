/**
 * A received message as values: whatever the bytes are, there is an answer, and every text of it can be stored. Small
 * messages are read at once; a large one is read by another thread, so that this one goes on answering.
 */
import { parseAside } from './aside.ts';
import { decodeCharset } from './mime-decode.ts';
import { parseBody, type MessageBody } from './parse-body.ts';
import { readHead, type MessageHead } from './parse-headers.ts';
import { readAnyHeaders, type HeaderSection } from './raw-headers.ts';

export interface ParsedMessage extends MessageHead, MessageBody {}

/** The worst that this many bytes can be takes a fraction of a second. */
export const LARGE_BYTES = 256 * 1024;
const MAX_SHOWN_BYTES = 256 * 1024;

export async function parseMessage(raw: Buffer): Promise<ParsedMessage> {
  if (raw.length <= LARGE_BYTES) return parseNow(raw);
  try {
    return await parseAside(raw);
  } catch {
    // It took too long or too much memory there: its beginning is better than nothing.
    return parseNow(raw.subarray(0, LARGE_BYTES));
  }
}

export function parseNow(raw: Buffer): ParsedMessage {
  const section = readAnyHeaders(raw);
  return { ...readHead(section), ...parseBodyOrShow(raw, section) };
}

function parseBodyOrShow(raw: Buffer, section: HeaderSection): MessageBody {
  try {
    return parseBody(raw, section);
  } catch {
    const start = raw.subarray(section.bodyStart, section.bodyStart + MAX_SHOWN_BYTES);
    return { html: null, text: decodeCharset(start, ''), attachments: [] };
  }
}
