/** Translates the text of the search field into conditions on threads `t` and messages `m`. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { SYSTEM_FOLDERS } from '../storage/folder-names.ts';
import { wordsOf, type SearchField, type SearchWord } from '../storage/search-words.ts';
import { findWords, type WantedWord } from './find-words.ts';
import { findInBodies, hasPhraseIn, HAS_BODY, plainOf } from './search-bodies.ts';

/** The value of `in:` that means all folders, including trash and spam. */
export const ANYWHERE = 'anywhere';
const MAX_TERMS = 40;
const TERM = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/giu;
const FIELDS: Record<string, SearchField> = { from: 'f', to: 't' };
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The prefixes of replies and forwarded messages look like operators. */
const SUBJECT_PREFIXES = new Set([
  're',
  'fw',
  'fwd',
  'aw',
  'wg',
  'sv',
  'vs',
  'vb',
  'tr',
  'rv',
  'res',
  'enc',
  'rif',
]);
const SIZE = /^(\d{1,9}(?:\.\d{1,3})?)(k|kb|m|mb|g|gb|b)?$/;
const UNITS: Record<string, number> = { b: 1, k: 1_000, m: 1_000_000, g: 1_000_000_000 };

interface Term {
  isNot: boolean;
  operator: string;
  value: string;
  isQuoted: boolean;
}

type Read = (term: Term) => RawBuilder<unknown>;

/** The operators that do not search for words. `readFolder` reads `in`. */
const OPERATORS: Record<string, Read> = {
  is: ({ value }) => {
    if (value === 'unread') return sql`t.unread_count > 0`;
    if (value === 'read') return sql`t.unread_count = 0`;
    if (value === 'starred') return sql`t.starred_count > 0`;
    if (value === 'muted') return sql`t.muted`;
    throw badRequest('“is:” must be followed by unread, read, starred or muted.');
  },
  has: ({ value }) => {
    if (value === 'attachment' || value === 'attachments') return sql`m.attachment_count > 0`;
    throw badRequest('“has:” must be followed by attachment.');
  },
  before: ({ value }) => sql`m.created_at < ${readDay('before', value)}`,
  after: ({ value }) => sql`m.created_at >= ${readDay('after', value)}`,
  larger: ({ value }) => sql`${SIZE_OF_MESSAGE} > ${readSize('larger', value)}`,
  smaller: ({ value }) => sql`${SIZE_OF_MESSAGE} < ${readSize('smaller', value)}`,
  label: ({ value }) => sql`exists (select from unnest(m.labels) label where lower(label) = ${value})`,
};

export async function readSearch(db: Db, mailbox: MailboxRef, q: string): Promise<RawBuilder<unknown>[]> {
  const conditions: RawBuilder<unknown>[] = [];
  const wanted: WantedWord[] = [];
  for (const term of termsOf(q)) {
    const { isNot, operator, value, isQuoted } = term;
    if (operator === 'in') continue;
    const read = OPERATORS[operator];
    if (read) {
      const condition = read({ ...term, value: value.toLowerCase() });
      conditions.push(isNot ? sql`not (${condition})` : condition);
      continue;
    }
    const field = FIELDS[operator];
    const words = wordsOf(value);
    // Subjects are not in the index, so they are checked in the few messages that contain the words.
    if (operator === 'subject' && words.length > 0) {
      const conditionsOfWords = isQuoted ? [words] : words.map((word) => [word]);
      const found = sql.join(
        conditionsOfWords.map((each) => hasPhrase('s', each)),
        sql` and `,
      );
      conditions.push(isNot ? sql`not (${found})` : found);
      if (isNot) continue;
    }
    const isPhrase = operator !== 'subject' && isQuoted && words.length > 1;
    if (isPhrase) {
      const found = field ? hasPhrase(field, words) : await findPhrase(db, mailbox, words);
      conditions.push(sql`${isNot ? sql`not` : sql``} ${found}`);
    }
    // A negated phrase excludes only the phrase, not its words.
    if (isPhrase && isNot) continue;
    for (const word of words) wanted.push({ word, fields: [field ?? ''], isNot });
  }
  if (wanted.length > 0) conditions.push(await findWords(db, mailbox, wanted.slice(0, MAX_TERMS)));
  return conditions;
}

/** Returns the words, if the text consists of words alone. Notes have nothing that operators ask for. */
export function readPlainWords(q: string): SearchWord[] {
  const terms = termsOf(q).filter(({ operator }) => operator !== 'in');
  if (terms.some(({ isNot, operator }) => isNot || operator !== '')) return [];
  return terms.flatMap(({ value }) => wordsOf(value)).slice(0, MAX_TERMS);
}

/** Returns the folder of `in:`, or undefined. */
export function readFolder(q: string): string | undefined {
  const [term, another] = termsOf(q).filter(({ operator }) => operator === 'in');
  if (another || term?.isNot) throw badRequest('“in:” can be used only once, and not with a minus.');
  return term && (FOLDER_NAMES[term.value.toLowerCase()] ?? term.value);
}

const FOLDER_NAMES: Record<string, string> = Object.fromEntries(
  [...SYSTEM_FOLDERS, 'scheduled', ANYWHERE].map((name) => [name, name]),
);

/** Splits the text. Text that only looks like an operator, such as `Re:x` or `https://x`, is an ordinary word. */
function termsOf(q: string): Term[] {
  return [...q.matchAll(TERM)].slice(0, MAX_TERMS).map(([, minus, name = '', quoted, bare]) => {
    const operator = name.toLowerCase();
    const value = quoted ?? bare ?? '';
    const isKnown =
      Object.hasOwn(OPERATORS, operator) || Object.hasOwn(FIELDS, operator) || OTHERS.has(operator);
    const isWord = operator !== '' && (SUBJECT_PREFIXES.has(operator) || value.startsWith('//'));
    if (operator !== '' && !isKnown && !isWord)
      throw badRequest(
        `“${operator}:” is not a search operator. To search for the text itself, put it in quotes. ` +
          `The operators are ${NAMES.map((each) => `${each}:`).join(', ')}.`,
      );
    return {
      isNot: minus === '-',
      operator: isWord ? '' : operator,
      value: isWord ? `${operator} ${value}` : value,
      isQuoted: quoted !== undefined,
    };
  });
}

const OTHERS = new Set(['in', 'subject']);
const NAMES = ['from', 'to', 'subject', 'in', 'is', 'has', 'label', 'before', 'after', 'larger', 'smaller'];

/** A message that was written here has no source until an email app fetches it. */
const SIZE_OF_MESSAGE = sql`coalesce(m.size,
  coalesce(octet_length(m.text), 0) + coalesce(octet_length(m.html), 0) + octet_length(m.subject))`;

function readSize(operator: string, value: string): number {
  const [, number, unit = 'b'] = SIZE.exec(value) ?? [];
  if (number === undefined)
    throw badRequest(
      `“${operator}:” must be followed by a size, such as ${operator}:5MB or ${operator}:200k.`,
    );
  return Math.round(Number(number) * UNITS[unit[0]!]!);
}

const RECIPIENTS = sql`array_to_string(m.to_addresses || m.cc_addresses || m.bcc_addresses, ' ')`;
const TEXTS: Record<SearchField | 's', RawBuilder<unknown>> = {
  s: sql`m.subject`,
  f: sql`m.sender`,
  t: RECIPIENTS,
  '': sql`concat_ws(' ', m.subject, m.sender, ${RECIPIENTS},
    coalesce(m.text, regexp_replace(m.html, '<[^>]*>', ' ', 'g')))`,
};

/** The index does not store word order, so this checks the few messages that contain all the words. */
function hasPhrase(field: SearchField | 's', words: SearchWord[]): RawBuilder<unknown> {
  const pattern = `(^|[^[:alnum:]])${words.join('[^[:alnum:]]*')}`;
  return sql`(lower(${TEXTS[field]}) ~ ${pattern})`;
}

/** The same in the bodies that are made from the source. */
async function findPhrase(db: Db, mailbox: MailboxRef, words: SearchWord[]): Promise<RawBuilder<unknown>> {
  const found = await findInBodies(
    db,
    mailbox,
    await findWords(
      db,
      mailbox,
      words.map((word) => ({ word, fields: [''] })),
    ),
    ({ subject, sender, recipients, ...body }) =>
      hasPhraseIn([subject, sender, recipients, plainOf(body)].join(' ').toLowerCase(), words),
  );
  return sql`((${HAS_BODY} and ${hasPhrase('', words)}) or m.id = any(${found}::uuid[]))`;
}

function readDay(operator: string, value: string): Date {
  const day = DAY.test(value) ? new Date(`${value}T00:00:00Z`) : null;
  if (!day || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value))
    throw badRequest(`“${operator}:” must be followed by a date, such as ${operator}:2026-11-15.`);
  return day;
}
