/**
 * Reads the headers of a received message: people, subject, thread, and whether it was sent automatically. Accepts any
 * input.
 */
import { toStorable } from '../../../platform/storable-text.ts';
import { decodeWords, toUtf8Words } from './encoded-words.ts';
import { toOneLine } from '../header-encoding.ts';
import { parseAddressList } from './parse-address-list.ts';
import type { HeaderSection } from './raw-headers.ts';
import { toShownPerson, type MailPerson } from './shown-person.ts';

export interface MessageHead {
  /** The Message-ID with angle brackets. The next two fields have them too. */
  messageId: string | null;
  inReplyTo: string | null;
  /** Oldest first. */
  references: string[];
  from: MailPerson | null;
  to: MailPerson[];
  cc: MailPerson[];
  /** Only drafts and the copies of sent messages that email apps store have it. */
  bcc: MailPerson[];
  replyTo: MailPerson[];
  subject: string;
  date: Date | null;
  /** The day of the Date field in its own time zone, as in 2007-03-24. */
  sentOn: string | null;
  /** True if it was sent by software or a list (RFC 3834). It gets no automatic reply and does not count as a reply. */
  autoSubmitted: boolean;
  receivedCount: number;
  /** Names as written, values unfolded. Encoded words are not decoded. */
  headers: [string, string][];
}

const MAX_HEADERS = 1_000;
const MAX_VALUE_LENGTH = 16_000;
const MAX_SUBJECT_LENGTH = 998;
const MAX_PEOPLE = 500;
const MAX_PEOPLE_LENGTH = 64_000;
const MAX_ADDRESS_LENGTH = 320;
const MAX_REFERENCES = 200;
const MESSAGE_ID = /<[^<>\s]{1,995}>/g;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2200;

/** Returns the addresses of all From fields. Webmail displays the first one, email apps may display all. */
export function readAuthors(section: HeaderSection): MailPerson[] {
  const values = section.headers
    .filter(({ name }) => name.toLowerCase() === 'from')
    .map(({ value }) => value);
  return readPeople(values);
}

export function readHead(section: HeaderSection): MessageHead {
  const values = groupByName(section);
  const first = (name: string): string | null => values.get(name)?.[0] ?? null;
  return {
    messageId: readIds(first('message-id'))[0] ?? readBareId(first('message-id')),
    inReplyTo: readIds(first('in-reply-to'))[0] ?? null,
    references: readIds((values.get('references') ?? []).join(' ')).slice(-MAX_REFERENCES),
    from: readPeople(values.get('from'))[0] ?? null,
    to: readPeople(values.get('to')),
    cc: readPeople(values.get('cc')),
    bcc: readPeople(values.get('bcc')),
    replyTo: readPeople(values.get('reply-to')),
    subject: toPlain(decodeWords((first('subject') ?? '').slice(0, MAX_VALUE_LENGTH)), MAX_SUBJECT_LENGTH),
    date: readDate(first('date')),
    sentOn: readLocalDay(first('date')),
    autoSubmitted: isAutoSubmitted(first),
    receivedCount: values.get('received')?.length ?? 0,
    headers: section.headers
      .slice(0, MAX_HEADERS)
      .map(({ name, value }) => [toStorable(name), toStorable(value.slice(0, MAX_VALUE_LENGTH))]),
  };
}

function groupByName(section: HeaderSection): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of section.headers) {
    const key = name.toLowerCase();
    const list = values.get(key);
    if (list) list.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function readIds(text: string | null): string[] {
  return (text ?? '').match(MESSAGE_ID)?.map(toStorable) ?? [];
}

/** Some email apps omit the brackets. */
function readBareId(text: string | null): string | null {
  const id = toStorable((text ?? '').trim());
  return /^[^<>\s]{1,995}$/.test(id) ? `<${id}>` : null;
}

function readPeople(values: string[] | undefined): MailPerson[] {
  const people: MailPerson[] = [];
  const list = (values ?? []).join(', ').slice(0, MAX_PEOPLE_LENGTH);
  for (const { name, address } of parseAddressList(toUtf8Words(list))) {
    if (people.length === MAX_PEOPLE) return people;
    const bare = toBareAddress(toPlain(address, MAX_ADDRESS_LENGTH));
    if (!bare.includes('@')) continue;
    people.push(toShownPerson({ name: toPlain(name, MAX_SUBJECT_LENGTH) || null, address: bare }));
  }
  return people;
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

function readDate(text: string | null): Date | null {
  const date = new Date((text ?? '').slice(0, 100));
  const year = date.getUTCFullYear();
  return year >= FIRST_YEAR && year < LAST_YEAR ? date : null;
}

function readLocalDay(text: string | null): string | null {
  const date = readDate(text);
  if (!date) return null;
  const [, sign, hours, minutes] = /\d ([+-])(\d{2})(\d{2})(?: |$)/.exec(text!.slice(0, 100)) ?? [];
  const offsetMs = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(date.getTime() + (sign === '-' ? -offsetMs : offsetMs)).toISOString().slice(0, 10);
}

function isAutoSubmitted(first: (name: string) => string | null): boolean {
  const submitted = (first('auto-submitted') ?? 'no').toLowerCase().split(/[;( ]/)[0]!.trim();
  const suppressed = (first('x-auto-response-suppress') ?? 'none').toLowerCase().trim();
  return (
    (submitted !== '' && submitted !== 'no') ||
    /^(?:bulk|list|junk|auto_reply)$/i.test((first('precedence') ?? '').trim()) ||
    (suppressed !== '' && suppressed !== 'none') ||
    ['list-id', 'x-autoreply', 'x-autorespond'].some((name) => first(name) !== null)
  );
}

function toPlain(text: string, maxLength: number): string {
  return [...toStorable(toOneLine(text))].slice(0, maxLength).join('').trim();
}
