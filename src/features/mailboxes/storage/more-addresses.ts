/**
 * The parts of address headers that the columns of a message do not contain: names of groups, further authors, and
 * addresses without a domain. Email apps search and sort by them.
 */
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
import { readEntries } from '../../../mail/mime/parse/read-people.ts';
import { toStorable } from '../../../platform/storable-text.ts';

const FIELDS = ['from', 'to', 'cc'] as const;
const MAX_LENGTH = 10_000;
const MAX_NAME_LENGTH = 400;
/** A single address with a domain, as in nearly all headers. Parsing would find nothing more. */
const ONE_ADDRESS = /^(?:[^",:;()<>@]*<[^<>@\s]+@[^<>@\s]+>|[^\s",:;()<>@]+@[^\s",:;()<>@]+)$/;

export type MoreAddresses = Partial<Record<(typeof FIELDS)[number], FieldAddresses>>;

interface FieldAddresses {
  /** The decoded header. */
  text: string;
  /** The mailbox of the first address, or the name of the group (RFC 5256 section 3). */
  mailbox: string;
  /** The display name (RFC 5957 section 3). */
  shown: string;
}

/** Null if the columns contain everything, as for most messages. `headers` are names and values. */
export function moreAddressesOf(headers: readonly [string, string][]): MoreAddresses | null {
  const found: MoreAddresses = {};
  for (const field of FIELDS) {
    const values = headers.filter(([name]) => name.toLowerCase() === field).map(([, value]) => value);
    if (values.length === 0 || (values.length === 1 && ONE_ADDRESS.test(values[0]!))) continue;
    const list = readEntries(values);
    const [first] = list;
    const areComplete = list.every((entry) => 'address' in entry && entry.address.includes('@'));
    if (!first || (areComplete && (field !== 'from' || list.length === 1))) continue;
    found[field] = { text: clean(values.join(', '), MAX_LENGTH), ...sortedBy(first) };
  }
  return Object.keys(found).length === 0 ? null : found;
}

function sortedBy(entry: ReturnType<typeof readEntries>[number]): Omit<FieldAddresses, 'text'> {
  if ('group' in entry) {
    const name = clean(entry.group ?? '', MAX_NAME_LENGTH);
    return { mailbox: name, shown: name };
  }
  const at = entry.address.lastIndexOf('@');
  return {
    mailbox: clean(at === -1 ? entry.address : entry.address.slice(0, at), MAX_NAME_LENGTH),
    shown: clean(entry.name ?? entry.address, MAX_NAME_LENGTH),
  };
}

function clean(text: string, maxLength: number): string {
  return toStorable(decodeWords(text.slice(0, maxLength)))
    .slice(0, maxLength)
    .toWellFormed();
}
