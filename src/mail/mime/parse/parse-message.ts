/** Parses a received message. Any input gives a result, and every text in it can be stored. */
import { decodeCharset } from './decode.ts';
import { parseBody, type MessageBody } from './parse-body.ts';
import { readHead, type MessageHead } from './parse-headers.ts';
import { readAnyHeaders, type HeaderSection } from './raw-headers.ts';

export interface ParsedMessage extends MessageHead, MessageBody {}

const MAX_FALLBACK_BYTES = 256 * 1024;

/** `section` holds the headers of `raw` if the caller has parsed them already. */
export function parseNow(raw: Buffer, section: HeaderSection = readAnyHeaders(raw)): ParsedMessage {
  return { ...readHead(section), ...parseBodyOrShowAsText(raw, section) };
}

function parseBodyOrShowAsText(raw: Buffer, section: HeaderSection): MessageBody {
  try {
    return parseBody(raw, section);
  } catch {
    const start = raw.subarray(section.bodyStart, section.bodyStart + MAX_FALLBACK_BYTES);
    return { html: null, text: decodeCharset(start, ''), attachments: [] };
  }
}
