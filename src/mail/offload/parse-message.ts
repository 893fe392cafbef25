/** Parses a received message without blocking the event loop: small ones here, large ones in a worker thread. */
import { parseNow, type ParsedMessage } from '../mime/parse/parse-message.ts';
import type { HeaderSection } from '../mime/parse/raw-headers.ts';
import { parseInThread } from './thread-pool.ts';

/** The worst message of this size takes a fraction of a second. */
export const LARGE_BYTES = 256 * 1024;

/** `section` holds the headers of `raw` if the caller has parsed them already. */
export async function parseMessage(raw: Buffer, section?: HeaderSection): Promise<ParsedMessage> {
  if (raw.length <= LARGE_BYTES) return parseNow(raw, section);
  try {
    return await parseInThread(raw, section);
  } catch {
    // The thread ran out of time or memory. The start of the message is better than nothing.
    return parseNow(raw.subarray(0, LARGE_BYTES), section);
  }
}
