/**
 * Reads the people of address fields: names are decoded, and names and addresses are safe to display
 * (shown-person.ts). The API, IMAP and JMAP show these people, and DMARC is checked for the author found here.
 */
import { toStorable } from '../../../platform/storable-text.ts';
import { parseDomain } from '../address.ts';
import { toOneLine } from '../header-encoding.ts';
import { toUtf8Words } from './encoded-words.ts';
import { parseEntries, type GroupMark, type ListedAddress } from './parse-address-list.ts';
import { valuesOf, type WithHeaders } from './raw-headers.ts';
import { toShownPerson, type MailPerson } from './shown-person.ts';

export interface Author {
  /** In A-labels. Null for a name without dots or an address literal, which cannot have a DMARC policy. */
  domain: string | null;
}

const MAX_ENTRIES = 1_000;
const MAX_LIST_LENGTH = 64_000;
const MAX_ADDRESS_LENGTH = 320;
const MAX_NAME_LENGTH = 998;
const USABLE_LOCAL_PART = /^(?:"[^"@\\]+"|[^\s"@<>(),;:\\[\]]+)$/;
const DOTTED_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i;
const LOCAL_DOMAIN = /^(?:[a-z0-9-]{1,63}|\[[^[\]\\]{1,250}\])$/i;
const DOMAIN_IN_NAME = /@\s*([^\s@<>()"',;:]+)/g;

/**
 * The people and groups of all fields with one name. Entries without an at sign are kept if there are no others, as for
 * local mail: in `Lovelace, Ada <ada@example.com>` the first name is only a part of the second.
 */
export function readEntries(values: string[]): (MailPerson | GroupMark)[] {
  const entries = listEntries(values);
  const hasAddress = entries.some((entry) => 'address' in entry && entry.address.includes('@'));
  return entries.flatMap((entry) => {
    if ('group' in entry)
      return { group: entry.group && (toShownPerson({ name: entry.group, address: '' }).name ?? '') };
    if (hasAddress && !entry.address.includes('@')) return [];
    const isAddress = entry.address !== '';
    return toShownPerson({
      name: isAddress ? entry.name || null : null,
      address: isAddress ? entry.address : entry.name,
    });
  });
}

/** The people that have an address with an at sign. */
export function readPeople(values: string[]): MailPerson[] {
  if (values.length === 0) return [];
  return peopleIn(values).filter(({ address }) => address.includes('@'));
}

/** The people in From. If none of them has a complete address, those with a local name. */
export function readAuthors(values: string[]): MailPerson[] {
  return peopleIn(values);
}

function peopleIn(values: string[]): MailPerson[] {
  return readEntries(values).filter((entry) => 'address' in entry);
}

/** Returns null if there is no author or more than one, or if software could find another address in the field. */
export function readSoleAuthor(section: WithHeaders): Author | null {
  const values = valuesOf(section, 'from');
  if (values.length !== 1) return null;
  const addresses = listEntries(values).filter(
    (entry) => 'address' in entry && entry.address.includes('@'),
  ) as ListedAddress[];
  const [author] = addresses;
  if (addresses.length !== 1 || author!.isAmbiguous) return null;
  const at = author!.address.lastIndexOf('@');
  const local = author!.address.slice(0, at);
  if (!USABLE_LOCAL_PART.test(local)) return null;
  const domain = author!.address.slice(at + 1);
  const host = domain.replace(/\.$/, '');
  // Names with an underscore are no host names, but they can be looked up.
  const name = parseDomain(host) ?? (DOTTED_NAME.test(host) ? host.toLowerCase() : null);
  return name !== null || LOCAL_DOMAIN.test(domain) ? { domain: name } : null;
}

/** The domains of all addresses that may be displayed as authors, without invisible characters. */
export function readShownDomains(section: WithHeaders): string[] {
  const domains = listEntries(valuesOf(section, 'from')).flatMap((entry) => {
    const text = 'group' in entry ? (entry.group ?? '') : `${entry.name} ${entry.address}`;
    return [...text.matchAll(DOMAIN_IN_NAME)].map(([, domain = '']) => domain);
  });
  const names = domains.flatMap(
    (domain) =>
      parseDomain(domain.replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '').replaceAll(/^\.+|\.+$/g, '')) ?? [],
  );
  return [...new Set(names)];
}

function listEntries(values: string[]): (ListedAddress | GroupMark)[] {
  const list = values.join(', ').slice(0, MAX_LIST_LENGTH);
  const entries = parseEntries(toUtf8Words(list)).slice(0, MAX_ENTRIES);
  return entries.map((entry) => {
    if ('group' in entry) return { group: entry.group && toPlain(entry.group, MAX_NAME_LENGTH) };
    return {
      ...entry,
      name: toPlain(entry.name, MAX_NAME_LENGTH),
      address: toBareAddress(toPlain(entry.address, MAX_ADDRESS_LENGTH)),
    };
  });
}

/** Removes comments, the route and spaces (RFC 5322 section 4.4), and `mailto:` or brackets added by mistake. */
function toBareAddress(address: string): string {
  if (address.includes('"')) return address;
  return address
    .replaceAll(/\([^()]*\)/g, '')
    .replace(/^@[^:]*:|^mailto:/i, '')
    .replaceAll(/ *([@.]) */g, '$1')
    .replace(/^([^[]*?)[>\]]+$/, '$1')
    .trim();
}

function toPlain(text: string, maxLength: number): string {
  const line = toStorable(toOneLine(text));
  return line.length <= maxLength ? line : [...line].slice(0, maxLength).join('').trim();
}
