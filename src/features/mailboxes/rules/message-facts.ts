/** What the rules of a mailbox look at, from a message that arrives. */
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import { verdictOf } from '../storage/verdict.ts';
import { formatPerson } from '../storage/participants.ts';
import { MAX_BODY, type MessageFacts } from './rule-conditions.ts';

/** A file without a name, as it is called when it is downloaded. */
export const UNNAMED_FILE = 'attachment';

export interface ArrivingMessage {
  parsed: ParsedMessage;
  raw: Buffer;
  authentication: { spf: string; dkim: string; dmarc: string } | null;
  isSpam: boolean;
}

/** The values that differ between the mailboxes of a message, and those that the database has. */
export type LookedUp = Pick<MessageFacts, 'deliveredTo' | 'isFirstContact' | 'segments'>;

type Shared = Omit<MessageFacts, keyof LookedUp>;

export function readFacts({ parsed, raw, authentication, isSpam }: ArrivingMessage): Shared {
  let headers: Map<string, string[]> | null = null;
  let body: string | null = null;
  const header = (name: string): string[] => (headers ??= groupHeaders(parsed.headers)).get(name) ?? [];
  return {
    from: peopleOf(parsed.from ? [parsed.from] : []),
    to: peopleOf(parsed.to),
    cc: peopleOf(parsed.cc),
    subject: parsed.subject.toLowerCase(),
    body: () => (body ??= bodyOf(parsed)),
    header,
    get listId() {
      return header('list-id').flatMap(listIdForms);
    },
    attachments: parsed.attachments.map(({ filename }) => filename?.toLowerCase() ?? UNNAMED_FILE),
    size: raw.length,
    authentication: verdictOf(authentication),
    isSpam,
  };
}

function peopleOf(people: { name: string | null; address: string }[]): string[] {
  return people.flatMap((person) => [formatPerson(person).toLowerCase(), person.address.toLowerCase()]);
}

/** The whole value, and the ID in its angle brackets. */
export function listIdForms(value: string): string[] {
  const id = /<([^<>]*)>/.exec(value)?.[1];
  return id === undefined ? [value] : [value, id];
}

export function bodyOf({ text, html }: { text: string | null; html: string | null }): string {
  return (text ?? (html ? htmlToPlainText(html, MAX_BODY) : '')).slice(0, MAX_BODY).toLowerCase();
}

export function groupHeaders(headers: readonly [string, string][]): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const values = grouped.get(key);
    if (values) values.push(value.toLowerCase());
    else grouped.set(key, [value.toLowerCase()]);
  }
  return grouped;
}
