/**
 * Words of a header that are not ASCII (RFC 2047), as text. Neighbours of one charset are put together before they are
 * read: many programs cut a character in two, though section 5 forbids it.
 */
import { decodeCharset, decodeTransfer } from './mime-decode.ts';

const WORD = String.raw`=\?[^?\s]+\?[QqBb]\?[^?]*\?=`;
const RUN = new RegExp(String.raw`${WORD}(?:[ \t\r\n]*${WORD})*`, 'g');
// Behind an asterisk stands a language (RFC 2231 section 5).
const PARTS = /=\?([^?\s*]*)(?:\*[^?\s]*)?\?([QqBb])\?([^?]*)\?=/g;
// Each of their words begins and ends in ASCII, and an escape sequence right behind another would be an error.
const WITH_ESCAPES = /^(?:iso-2022-|cp5022|utf-7)/;

export function decodeWords(text: string): string {
  return text.replaceAll(RUN, decodeRun);
}

/** The same in words of UTF-8, for a parser that decodes them itself. */
export function toUtf8Words(text: string): string {
  return text.replaceAll(RUN, (run) => `=?utf-8?B?${Buffer.from(decodeRun(run)).toString('base64')}?=`);
}

function decodeRun(run: string): string {
  let decoded = '';
  let charset = '';
  let pieces: Buffer[] = [];
  for (const [, written = '', encoding = '', content = ''] of run.matchAll(PARTS)) {
    const next = written.toLowerCase();
    if (next !== charset || WITH_ESCAPES.test(charset)) endCharset();
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
