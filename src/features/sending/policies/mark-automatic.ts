/** Marks a message that an agent sends without the approval of a person (RFC 3834 section 5). */
import { readAnyHeaders, removeHeaders } from '../../../mail/mime/parse/raw-headers.ts';

const MARK = 'Auto-Submitted: auto-generated\r\n';

/** What the message says about itself is replaced. */
export function markAutomatic(raw: Buffer): Buffer {
  const section = readAnyHeaders(raw);
  const own = section.headers.filter(({ name }) => name.toLowerCase() === 'auto-submitted');
  const rest = own.length > 0 ? removeHeaders(raw, section, new Set(own)).raw : raw;
  return Buffer.concat([Buffer.from(MARK), rest]);
}
