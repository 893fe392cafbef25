/**
 * Mail addresses as people type them (RFC 5321 section 4.1.2 with the lengths of 4.5.3.1, UTF-8 local parts
 * of RFC 6531, IDN domains). Quoted local parts and address literals are refused: nobody's list has them, and
 * every second mail server mishandles them.
 */
import { domainToASCII } from 'node:url';

export interface Address {
  /** As it was given, less the spaces around it. */
  email: string;
  /** One spelling for all that count as the same: lower case, domain in A-labels. */
  key: string;
  /** In A-labels, lower case. */
  domain: string;
}

export interface Mailbox extends Address {
  name: string | null;
}

/** Of an address as it is written, with the name and the spaces around it; longer ones are not looked at. */
const MAX_WRITTEN_LENGTH = 2_000;
const MAX_LOCAL_BYTES = 64;
const MAX_ADDRESS_BYTES = 254;
const LOCAL_PART =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;
// The same for nearly all, in a fraction of the time.
const PLAIN_LOCAL_PART = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*$/i;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
// Controls, white space and marks that make two addresses look alike or turn text around.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Z}\p{Cn}\p{Co}]/u;
const PLAIN_DOMAIN = /^[a-z0-9.-]+$/;
// The converter reads a URL's host: it undoes percent signs and stops without a word at / ? # and \.
const NEVER_IN_DOMAIN = /[/?#%\\]/;

export function parseAddress(text: string): Address | null {
  if (text.length > MAX_WRITTEN_LENGTH) return null;
  const email = text.trim();
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  if (at < 1 || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return null;
  if (!PLAIN_LOCAL_PART.test(local) && (!LOCAL_PART.test(local) || HIDDEN.test(local))) return null;
  const domain = parseDomain(email.slice(at + 1));
  if (!domain || Buffer.byteLength(local) + 1 + domain.length > MAX_ADDRESS_BYTES) return null;
  return { email, key: `${local.normalize('NFC').toLowerCase()}@${domain}`, domain };
}

/** A host name with at least two labels, in A-labels and lower case; null for anything else. */
export function parseDomain(text: string): string | null {
  if (text.length > MAX_WRITTEN_LENGTH) return null;
  const lower = text.toLowerCase();
  const isPlain = PLAIN_DOMAIN.test(lower);
  if (!isPlain && (HIDDEN.test(lower) || NEVER_IN_DOMAIN.test(lower))) return null;
  const domain = isPlain && !lower.includes('xn--') ? lower : domainToASCII(lower);
  if (domain.length > 253) return null;
  const labels = domain.split('.');
  // A top level that is a number would make the whole an IP address.
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1)!))
    return null;
  return domain;
}

/** `Name <user@domain>` or a bare address. Line breaks are never part of a name: they would start a new header. */
export function parseMailbox(text: string): Mailbox | null {
  const whole = text.length > MAX_WRITTEN_LENGTH ? '' : text.trim();
  const open = whole.endsWith('>') ? whole.lastIndexOf('<') : -1;
  const address = parseAddress(open === -1 ? whole : whole.slice(open + 1, -1));
  const name = open === -1 ? '' : readName(whole.slice(0, open).trim());
  if (!address || name === null || /\p{Cc}/u.test(name)) return null;
  return { ...address, name: name || null };
}

const QUOTED_NAME = /^"((?:[^"\\\r\n]|\\[^\r\n])*)"$/;
const PLAIN_NAME = /^[^<>"@\r\n]*$/;

function readName(written: string): string | null {
  const quoted = QUOTED_NAME.exec(written)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  return PLAIN_NAME.test(written) ? written : null;
}

/** As `parseMailbox` reads it: a name that could be taken for an address stands in quotes. */
export function writeMailbox(name: string | null, address: string): string {
  if (!name) return address;
  return /[<>"@]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>` : `${name} <${address}>`;
}
