/**
 * Reads sender, recipients and subject of a raw message that a customer submits. The sender decides whether the
 * message may be sent, so From is parsed strictly: one field with one mailbox in an unambiguous form. The rest
 * is for display.
 */
import { parseAddress, parseMailbox, writeMailbox, type NamedAddress } from '../address.ts';
import { decodeWords, toUtf8Words } from './encoded-words.ts';
import { toOneLine } from '../header-encoding.ts';
import { ruleForSubmission } from '../header-rules.ts';
import { parseAddressList, type ListedAddress } from './parse-address-list.ts';
import { valueOf, valuesOf, type HeaderSection } from './raw-headers.ts';

export interface RawSummary {
  /** Null when there is no From field, more than one, or an ambiguous one. */
  from: NamedMailbox | null;
  /** Other fields that name a responsible sender, such as Sender and Resent-From. */
  otherSenders: { field: string; mailbox: NamedAddress | null }[];
  to: string[];
  cc: string[];
  replyTo: string[];
  subject: string;
  /** All addresses of To and Cc, as comparison keys. */
  namedKeys: Set<string>;
}

type NamedMailbox = NamedAddress & { given: string };

const MAX_NAMED = 100;
const MAX_LENGTH = 998;
const MAX_LIST_LENGTH = 64_000;

export function readSummary(section: HeaderSection): RawSummary {
  const to = readAddresses(section, 'to');
  const cc = readAddresses(section, 'cc');
  return {
    from: readFrom(section),
    otherSenders: section.headers
      .filter(({ name }) => ruleForSubmission(name) === 'own-domain')
      .map(({ name, value }) => ({ field: name, mailbox: readMailbox(value) })),
    to: to.map(format),
    cc: cc.map(format),
    replyTo: readAddresses(section, 'reply-to').map(format),
    subject: toPlain(decodeWords(valueOf(section, 'subject') ?? '')),
    namedKeys: new Set([...to, ...cc].flatMap(({ address }) => parseAddress(address)?.key ?? [])),
  };
}

function readFrom(section: HeaderSection): NamedMailbox | null {
  const [value, ...others] = valuesOf(section, 'from');
  return value === undefined || others.length > 0 ? null : readMailbox(value);
}

/** Returns null when the value is not exactly one mailbox in an unambiguous form. */
function readMailbox(value: string): NamedMailbox | null {
  if (value.length > MAX_LENGTH) return null;
  // The form that cron and old email apps use: `ada@example.com (Ada)`.
  const [, bare, comment] = /^([^\s<>"(),:;@]+@[^\s<>"(),:;@]+) *\(([^()\\]*)\)$/.exec(value) ?? [];
  const mailbox = bare === undefined ? parseMailbox(value) : parseMailbox(`<${bare}>`);
  if (!mailbox) return null;
  const name = toPlain(decodeWords(comment ?? mailbox.name ?? ''));
  return {
    ...mailbox,
    name: name || null,
    given: format({ name, address: mailbox.email }),
  };
}

function readAddresses(section: HeaderSection, name: string): ListedAddress[] {
  const text = valuesOf(section, name).join(', ');
  return parseAddressList(toUtf8Words(text.slice(0, MAX_LIST_LENGTH)))
    .slice(0, MAX_NAMED)
    .map(({ name: shown, address }) => ({ name: toPlain(shown), address: toPlain(address) }))
    .filter(({ address }) => address !== '');
}

function format({ name, address }: ListedAddress): string {
  return writeMailbox(name, address);
}

function toPlain(text: string): string {
  return [...toOneLine(text).toWellFormed()].slice(0, MAX_LENGTH).join('');
}
