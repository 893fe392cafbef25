/**
 * Who a message in one piece is from, who it says it is to, and what about. The sender decides whether it may leave,
 * so it is read strictly: one From field with one mailbox, in forms that no two readers take differently. The rest
 * is for the eyes of people.
 */
import { addressParser } from 'postal-mime';
import { parseAddress, parseMailbox, writeMailbox, type Mailbox } from './address.ts';
import { decodeWords, toUtf8Words } from './encoded-words.ts';
import { toOneLine } from './header-encoding.ts';
import { ruleForSubmission } from './header-rules.ts';
import { readHeaders, type HeaderSection } from './raw-headers.ts';

export interface RawSummary {
  /** Null when there is none, several, or one that readers could take differently. */
  from: NamedMailbox | null;
  /** Of the other fields that name who is responsible for the message: Sender and Resent-From, say. */
  otherSenders: { field: string; mailbox: Mailbox | null }[];
  to: string[];
  cc: string[];
  replyTo: string[];
  subject: string;
  /** Every address of To and Cc, in the spelling that compares. */
  namedKeys: Set<string>;
}

type NamedMailbox = Mailbox & { given: string };

const MAX_NAMED = 100;
const MAX_LENGTH = 998;
// The parser's time grows with the square of what it is given: 16,000 characters hold it for a fifth of a second.
const MAX_LIST_LENGTH = 6_000;

/** Null when the header section is larger than any that we take. */
export function readSummary(raw: Buffer): RawSummary | null {
  const section = readHeaders(raw);
  if (!section) return null;
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
    subject: toPlain(decodeWords(valuesOf(section, 'subject')[0] ?? '')),
    namedKeys: new Set([...to, ...cc].flatMap(({ address }) => parseAddress(address)?.key ?? [])),
  };
}

function readFrom(section: HeaderSection): NamedMailbox | null {
  const [value, ...others] = valuesOf(section, 'from');
  return value === undefined || others.length > 0 ? null : readMailbox(value);
}

/** Null when it is not one mailbox, or one that readers could take differently. */
function readMailbox(value: string): NamedMailbox | null {
  if (value.length > MAX_LENGTH) return null;
  // `ada@example.com (Ada)`: how cron and old mail programs write a name.
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

interface Named {
  name: string;
  address: string;
}

function readAddresses(section: HeaderSection, name: string): Named[] {
  const text = valuesOf(section, name).join(', ');
  return addressParser(toUtf8Words(text.slice(0, MAX_LIST_LENGTH)), { flatten: true })
    .slice(0, MAX_NAMED)
    .map(({ name: shown, address }) => ({ name: toPlain(shown), address: toPlain(address ?? '') }))
    .filter(({ address }) => address !== '');
}

function format({ name, address }: Named): string {
  return writeMailbox(name, address);
}

function valuesOf(section: HeaderSection, name: string): string[] {
  return section.headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
}

function toPlain(text: string): string {
  return [...toOneLine(text).toWellFormed()].slice(0, MAX_LENGTH).join('');
}
