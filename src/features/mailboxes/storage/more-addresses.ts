/**
 * The parts of address headers that the columns of a message do not contain: names of groups, further authors, and
 * addresses without a domain. Email apps search and sort by them.
 */
import { readAddressList, type EnvelopeAddress } from '../../../mail/imap/envelope.ts';
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
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
    const value = headers.find(([name]) => name.toLowerCase() === field)?.[1];
    if (value === undefined || ONE_ADDRESS.test(value)) continue;
    const list = readAddressList(value);
    if (list.every(({ host }) => host) && (field !== 'from' || list.length <= 1)) continue;
    found[field] = { text: clean(value, MAX_LENGTH), ...sortedBy(list[0]!) };
  }
  return Object.keys(found).length === 0 ? null : found;
}

function sortedBy({ name, mailbox, host }: EnvelopeAddress): Omit<FieldAddresses, 'text'> {
  const address = host ? `${mailbox}@${host}` : (mailbox ?? '');
  return { mailbox: clean(mailbox ?? '', MAX_NAME_LENGTH), shown: clean(name ?? address, MAX_NAME_LENGTH) };
}

function clean(text: string, maxLength: number): string {
  return toStorable(decodeWords(text.slice(0, maxLength)))
    .slice(0, maxLength)
    .toWellFormed();
}
