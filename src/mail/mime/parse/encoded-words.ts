/**
 * Decodes encoded words (RFC 2047). Adjacent words of one charset are joined before decoding, because many email apps
 * split a character between words although section 5 forbids it.
 */
import { decodeCharset, decodeTransfer } from './decode.ts';

const WORD = String.raw`=\?[^?\s]+\?[QqBb]\?[^?]*\?=`;
const RUN = new RegExp(String.raw`${WORD}(?:[ \t\r\n]*${WORD})*`, 'g');
// A language may follow an asterisk (RFC 2231 section 5).
const PARTS = /=\?([^?\s*]*)(?:\*[^?\s]*)?\?([QqBb])\?([^?]*)\?=/g;
// In these charsets each word starts and ends in ASCII mode, and joined escape sequences would be invalid.
const STATEFUL_CHARSET = /^(?:iso-2022-|cp5022|utf-7)/;

export function decodeWords(text: string): string {
  return text.replaceAll(RUN, decodeRun);
}

/**
 * Rewrites encoded words to UTF-8 in base64, so that they contain no comma, quote or bracket that could split a list.
 */
export function toUtf8Words(text: string): string {
  return text.replaceAll(RUN, (run) => `=?utf-8?B?${Buffer.from(decodeRun(run)).toString('base64')}?=`);
}

function decodeRun(run: string): string {
  let decoded = '';
  let charset = '';
  let pieces: Buffer[] = [];
  for (const [, label = '', encoding = '', content = ''] of run.matchAll(PARTS)) {
    const next = label.toLowerCase();
    if (next !== charset || STATEFUL_CHARSET.test(charset)) endCharset();
    charset = next;
    pieces.push(decodeContent(content, encoding));
  }
  endCharset();
  return decoded;

  function endCharset(): void {
    if (pieces.length > 0) decoded += decodeCharset(Buffer.concat(pieces), charset);
    pieces = [];
  }
}

function decodeContent(content: string, encoding: string): Buffer {
  if (encoding.toUpperCase() === 'B') return decodeTransfer(Buffer.from(content), 'base64');
  return decodeTransfer(Buffer.from(content.replaceAll('_', ' ')), 'quoted-printable');
}
