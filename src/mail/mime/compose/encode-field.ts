/**
 * Encodes a field of a submitted message that has octets outside ASCII or a line over 998 octets. Names of people and
 * free text become encoded words (RFC 2047), MIME parameters get the extended form (RFC 2231), and domains of addresses
 * their ASCII form (RFC 5890). A local part outside ASCII cannot be encoded, so such a field stays as it is and needs
 * SMTPUTF8 (RFC 6531). A Content-* field never needs it.
 */
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import { readField } from '../parse/fields.ts';
import { foldStructured } from './fold-structured.ts';
import { foldHeader, foldText, quote, toOneLine } from '../header-encoding.ts';
import { hasLongLine } from './limit-lines.ts';
import { formatParameter } from './part.ts';
import type { RawHeader } from '../parse/raw-headers.ts';

const ADDRESSES = /^(?:resent-)?(?:from|sender|to|cc|reply-to)$/;
/** The grammars of these fields do not allow encoded words. */
const STRUCTURED =
  /^(?:content-.*|mime-version|date|message-id|(?:resent-)?(?:date|message-id)|in-reply-to|references|received|.*-signature|arc-.*|auto-submitted|precedence)$/;
const HAS_PARAMETERS = /^content-(?:type|disposition)$/;
const PLAIN_PARAMETER = /^[ -~]{0,500}$/;
/** The asterisk is excluded, because readField also returns the pieces of extended parameters. */
const PARAMETER_NAME = /^[!-)+-~]+$/;

export function encodeField(raw: Buffer, { name, value, start, end }: RawHeader): Buffer {
  const bytes = raw.subarray(start, end);
  const isPlain = isAscii(bytes);
  if (isPlain && !hasLongLine(bytes)) return bytes;
  const lower = name.toLowerCase();
  const line = toOneLine(value);
  if (!isPlain && HAS_PARAMETERS.test(lower)) return Buffer.from(encodeParameters(name, line));
  if (!isPlain && lower.startsWith('content-')) return Buffer.from(foldText(name, line));
  if (STRUCTURED.test(lower)) return isPlain ? Buffer.from(foldHeader(name, line)) : bytes;
  if (!ADDRESSES.test(lower) && !lower.startsWith('list-')) return Buffer.from(foldText(name, line));
  const folded = foldStructured(name, withAsciiDomains(line));
  return folded === null ? bytes : Buffer.from(folded);
}

/** A domain after a local part that is not ASCII stays, because the address needs SMTPUTF8 anyway. */
function withAsciiDomains(line: string): string {
  return line.replaceAll(/(?<=[!-~]@)[^\s<>(),;:"@[\]]+/g, (domain) => domainToASCII(domain) || domain);
}

/** Comments and parameters with an invalid name are left out. */
function encodeParameters(name: string, line: string): string {
  const { value, parameters } = readField(line);
  let field = `${name}: ${value.replaceAll(/[^!-~]+/g, '_')}`;
  for (const [parameter, text] of parameters) {
    if (!PARAMETER_NAME.test(parameter)) continue;
    // A boundary of up to 70 characters must stay in one piece, because few parsers join the pieces.
    field += PLAIN_PARAMETER.test(text)
      ? `;\r\n ${parameter}=${quote(text)}`
      : formatParameter(parameter, toOneLine(text).toWellFormed());
  }
  return `${field}\r\n`;
}
