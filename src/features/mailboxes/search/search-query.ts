/** Translates the text of the search field into conditions on threads `t` and messages `m`. */
import { sql, type RawBuilder } from 'kysely';
import { badRequest } from '../../../platform/errors.ts';
import { toLexeme, wordsOf, type SearchField } from '../storage/search-words.ts';

const MAX_TERMS = 40;
const TERM = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/giu;
const FIELDS: Record<string, SearchField> = { from: 'f', to: 't' };
const DAY = /^\d{4}-\d\d-\d\d$/;

export function readSearch(mailboxId: string, q: string): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  const terms: string[] = [];
  for (const [, minus, name = '', quoted, bare] of [...q.matchAll(TERM)].slice(0, MAX_TERMS)) {
    const operator = name.toLowerCase();
    const value = quoted ?? bare ?? '';
    const flag = `${operator}:${value.toLowerCase()}`;
    if (flag === 'is:unread') conditions.push(minus ? sql`t.unread_count = 0` : sql`t.unread_count > 0`);
    else if (flag === 'is:read') conditions.push(minus ? sql`t.unread_count > 0` : sql`t.unread_count = 0`);
    else if (flag === 'has:attachment')
      conditions.push(minus ? sql`m.attachment_count = 0` : sql`m.attachment_count > 0`);
    else if (operator === 'before') conditions.push(sql`m.created_at < ${readDay(operator, value)}`);
    else if (operator === 'after') conditions.push(sql`m.created_at >= ${readDay(operator, value)}`);
    else {
      const field = FIELDS[operator];
      // A text that only looks like an operator, such as `Re:`, is an ordinary word.
      const words = wordsOf(field === undefined && operator ? `${operator} ${value}` : value);
      const isPhrase = quoted !== undefined && words.length > 1;
      if (isPhrase) conditions.push(sql`${minus ? sql`not` : sql``} ${hasPhrase(field ?? '', words)}`);
      // A negated phrase excludes only the phrase, not its words.
      if (isPhrase && minus) continue;
      for (const word of words) terms.push(`${minus && '!'}${toTerm(mailboxId, field ?? '', word)}`);
    }
  }
  if (terms.length > 0) conditions.push(sql`m.search @@ ${terms.slice(0, MAX_TERMS).join(' & ')}::tsquery`);
  return conditions;
}

/** Matches words by prefix. Words contain only letters, digits and marks, so they need no escaping. */
function toTerm(mailboxId: string, field: SearchField, word: string): string {
  return `'${toLexeme(mailboxId, field, word)}':*`;
}

const RECIPIENTS = sql`array_to_string(m.to_addresses || m.cc_addresses || m.bcc_addresses, ' ')`;
const TEXTS: Record<SearchField, RawBuilder<unknown>> = {
  f: sql`m.sender`,
  t: RECIPIENTS,
  '': sql`concat_ws(' ', m.subject, m.sender, ${RECIPIENTS},
    coalesce(m.text, regexp_replace(m.html, '<[^>]*>', ' ', 'g')))`,
};

/** The index does not store word order, so this checks the few messages that contain all the words. */
function hasPhrase(field: SearchField, words: string[]): RawBuilder<unknown> {
  const pattern = `(^|[^[:alnum:]])${words.join('[^[:alnum:]]*')}`;
  return sql`(lower(${TEXTS[field]}) ~ ${pattern})`;
}

function readDay(operator: string, value: string): Date {
  const day = DAY.test(value) ? new Date(`${value}T00:00:00Z`) : null;
  if (!day || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value))
    throw badRequest(`${operator}: in q must be followed by a date, such as ${operator}:2026-11-15.`);
  return day;
}
