/**
 * Reads the headers of a received message: people, subject, thread, and whether it was sent automatically. Accepts any
 * input.
 */
import { toStorable } from '../../../platform/storable-text.ts';
import type { HeaderSection } from './raw-headers.ts';
import { readDate } from './read-date.ts';
import { readAuthors, readPeople } from './read-people.ts';
import { readMessageIds, readText } from './read-values.ts';
import type { MailPerson } from './shown-person.ts';

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
const MAX_REFERENCES = 200;

export function readHead(section: HeaderSection): MessageHead {
  const values = groupByName(section);
  const all = (name: string): string[] => values.get(name) ?? [];
  const last = (name: string): string | null => all(name).at(-1) ?? null;
  const sent = readDate(last('date'));
  return {
    messageId: readMessageIds(last('message-id'))[0] ?? null,
    inReplyTo: readMessageIds(last('in-reply-to'))[0] ?? null,
    references: readMessageIds(all('references').join(' ')).slice(-MAX_REFERENCES),
    from: readAuthors(all('from'))[0] ?? null,
    to: readPeople(all('to')),
    cc: readPeople(all('cc')),
    bcc: readPeople(all('bcc')),
    replyTo: readPeople(all('reply-to')),
    subject: cutText(readText(last('subject') ?? '')),
    date: sent?.date ?? null,
    sentOn: sent?.day ?? null,
    autoSubmitted: isAutoSubmitted(last),
    receivedCount: all('received').length,
    headers: section.headers
      .slice(0, MAX_HEADERS)
      .map(({ name, value }) => [toStorable(name), toStorable(value.slice(0, MAX_VALUE_LENGTH))]),
  };
}

function groupByName({ headers }: HeaderSection): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const list = values.get(key);
    if (list) list.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function isAutoSubmitted(last: (name: string) => string | null): boolean {
  const submitted = (last('auto-submitted') ?? 'no').toLowerCase().split(/[;( ]/)[0]!.trim();
  const suppressed = (last('x-auto-response-suppress') ?? 'none').toLowerCase().trim();
  return (
    (submitted !== '' && submitted !== 'no') ||
    /^(?:bulk|list|junk|auto_reply)$/i.test((last('precedence') ?? '').trim()) ||
    (suppressed !== '' && suppressed !== 'none') ||
    ['list-id', 'x-autoreply', 'x-autorespond'].some((name) => last(name) !== null)
  );
}

function cutText(text: string): string {
  return text.length <= MAX_SUBJECT_LENGTH ? text : [...text].slice(0, MAX_SUBJECT_LENGTH).join('').trim();
}
