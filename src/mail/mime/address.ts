/**
 * Parses mail addresses as people type them (RFC 5321 section 4.1.2 with the length limits of 4.5.3.1, UTF-8
 * local parts of RFC 6531, IDN domains). Quoted local parts and address literals are rejected: they hardly
 * occur and many servers mishandle them.
 */
import { domainToASCII } from 'node:url';

export interface Address {
  /** The address as given, trimmed. */
  email: string;
  /** Comparison key: lower case, with the domain in A-labels. */
  key: string;
  /** The domain in A-labels and lower case. */
  domain: string;
}

export interface NamedAddress extends Address {
  name: string | null;
}

/** Limits the input with name and spaces. Longer input is rejected without parsing. */
const MAX_INPUT_LENGTH = 2_000;
const MAX_LOCAL_BYTES = 64;
const MAX_ADDRESS_BYTES = 254;
const LOCAL_PART =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;
// Matches nearly all local parts much faster.
const PLAIN_LOCAL_PART = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*$/i;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
// Control characters, white space and invisible characters that make addresses ambiguous.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\p{Cn}\p{Co}]/u;
const PLAIN_DOMAIN = /^[a-z0-9.-]+$/;
// domainToASCII parses a URL host: it decodes percent signs and silently stops at / ? # and \.
const UNSAFE_IN_DOMAIN = /[/?#%\\]/;

export function parseAddress(text: string): Address | null {
  if (text.length > MAX_INPUT_LENGTH) return null;
  const email = text.trim();
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  if (at < 1 || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return null;
  if (!PLAIN_LOCAL_PART.test(local) && (!LOCAL_PART.test(local) || INVISIBLE.test(local))) return null;
  const domain = parseDomain(email.slice(at + 1));
  if (!domain || Buffer.byteLength(local) + 1 + domain.length > MAX_ADDRESS_BYTES) return null;
  return { email, key: `${local.normalize('NFC').toLowerCase()}@${domain}`, domain };
}

/** Returns a host name with at least two labels, in A-labels and lower case, or null. */
export function parseDomain(text: string): string | null {
  if (text.length > MAX_INPUT_LENGTH) return null;
  const lower = text.toLowerCase();
  const isPlain = PLAIN_DOMAIN.test(lower);
  if (!isPlain && (INVISIBLE.test(lower) || UNSAFE_IN_DOMAIN.test(lower))) return null;
  const domain = isPlain && !lower.includes('xn--') ? lower : domainToASCII(lower);
  if (domain.length > 253) return null;
  const labels = domain.split('.');
  // A numeric top-level label would make the name an IP address.
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1)!))
    return null;
  return domain;
}

/** Parses `Name <user@domain>` or a bare address. Line breaks are rejected because they would start a new header. */
export function parseMailbox(text: string): NamedAddress | null {
  const whole = text.length > MAX_INPUT_LENGTH ? '' : text.trim();
  const open = whole.endsWith('>') ? whole.lastIndexOf('<') : -1;
  const address = parseAddress(open === -1 ? whole : whole.slice(open + 1, -1));
  const name = open === -1 ? '' : readName(whole.slice(0, open).trim());
  if (!address || name === null || /\p{Cc}/u.test(name)) return null;
  return { ...address, name: name || null };
}

const QUOTED_NAME = /^"((?:[^"\\\r\n]|\\[^\r\n])*)"$/;
const PLAIN_NAME = /^[^<>"@\r\n]*$/;

function readName(text: string): string | null {
  const quoted = QUOTED_NAME.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  return PLAIN_NAME.test(text) ? text : null;
}

/** The inverse of `parseMailbox`. A name that could be mistaken for an address is quoted. */
export function writeMailbox(name: string | null, address: string): string {
  if (!name) return address;
  return /[<>"@]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>` : `${name} <${address}>`;
}
