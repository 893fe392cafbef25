/**
 * Mailbox names on the wire: modified UTF-7 (RFC 3501 section 5.1.3) for IMAP4rev1, UTF-8 once the client has enabled
 * it. Keywords use the same encoding, because a label can have characters that an atom cannot.
 */
import { fromBytes, toBytes } from './write-values.ts';

const PLAIN = /^[\x20-\x25\x27-\x7e]*$/;

function encodeUtf7(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(/&|[^\x20-\x7e]+/g, (run) => (run === '&' ? '&-' : encodeRun(run)));
}

function encodeRun(run: string): string {
  const bytes = Buffer.from(run, 'utf16le').swap16();
  return `&${bytes
    .toString('base64')
    .replace(/={1,2}$/, '')
    .replaceAll('/', ',')}-`;
}

/** Returns null if the text is not valid. */
function decodeUtf7(text: string): string | null {
  if (PLAIN.test(text)) return text;
  let isValid = /^[\x20-\x7e]*$/.test(text);
  const decoded = text.replaceAll(/&([^&-]*)(-?)/g, (_all, run: string, end: string) => {
    if (run === '' && end === '-') return '&';
    const bytes = Buffer.from(run.replaceAll(',', '/'), 'base64');
    if (end !== '-' || bytes.length % 2 !== 0 || !/^[A-Za-z0-9+,]+$/.test(run)) {
      isValid = false;
      return '';
    }
    return bytes.swap16().toString('utf16le');
  });
  return isValid && decoded.isWellFormed() && !decoded.includes('\0') ? decoded : null;
}

export function encodeMailboxName(name: string, isUtf8: boolean): string {
  return isUtf8 ? toBytes(name) : encodeUtf7(name);
}

/** `bytes` is Latin-1. Some email apps send UTF-8 without enabling it, so both are accepted. */
export function decodeMailboxName(bytes: string, isUtf8: boolean): string | null {
  const text = fromBytes(bytes);
  if (isUtf8 || !/^[\x20-\x7e]*$/.test(bytes)) return text.includes('\u{fffd}') ? null : text;
  return decodeUtf7(bytes);
}

const NOT_IN_KEYWORD = /&|[^!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]+/g;

/** `My label` is `My&ACA-label`. */
export function encodeKeyword(label: string): string {
  return label.replaceAll(NOT_IN_KEYWORD, (run) => (run === '&' ? '&-' : encodeRun(run)));
}

export function decodeKeyword(keyword: string): string {
  return decodeUtf7(keyword) ?? keyword;
}
