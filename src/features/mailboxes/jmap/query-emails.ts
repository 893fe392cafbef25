/** Finds messages with the filter and the sort order of JMAP's Email/query. */
import { sql, type RawBuilder } from 'kysely';
import { FLAG_OF_KEYWORD, normalizeKeyword, toLabel } from '../../../mail/jmap/keywords.ts';
import type { JmapFilter, EmailSort, TextField } from '../../../mail/jmap/email-filter.ts';
import { searchWords } from '../../../mail/jmap/snippets.ts';
import { escapeLike, VARYING, type Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { findWords } from '../search/find-words.ts';
import { findInBodies, HAS_BODY, plainOf } from '../search/search-bodies.ts';
import { wordsOf, type SearchField } from '../storage/search-words.ts';
import { HAS_ATTACHMENT, VERSION, type MessageRef } from './email-rows.ts';
import { searchHeaders } from './search-headers.ts';

export interface JmapQuery {
  filter: JmapFilter | null;
  sort: readonly EmailSort[];
  /** Only the first message of each thread. */
  collapseThreads: boolean;
}

export interface QueryPage {
  ids: MessageRef[];
  /** The index of the first ID among all results. */
  position: number;
  /** Null unless the client requested it. */
  total: number | null;
}

/** Where a page begins. A negative position counts from the end. */
export type JmapPageStart = { position: number } | { anchor: string; offset: number };

const MAX_INTEGER = 2 ** 31 - 1;

/** Null if the anchor is not among the results. */
export async function queryEmails(
  db: Db,
  mailbox: MailboxRef,
  query: JmapQuery,
  { start, limit, calculateTotal }: { start: JmapPageStart; limit: number; calculateTotal: boolean },
): Promise<QueryPage | null> {
  const results = await resultsOf(db, mailbox, query);
  const needsTotal = calculateTotal || ('position' in start && start.position < 0);
  const total = needsTotal ? await countResults(db, results) : null;
  let position: number;
  if ('anchor' in start) {
    const [found] = await findIndexes(db, results, [start.anchor]);
    if (!found) return null;
    position = Math.max(0, found.index + start.offset);
  } else position = start.position < 0 ? Math.max(0, total! + start.position) : start.position;
  const offset = Math.min(position, MAX_INTEGER);
  const { rows } = await sql<MessageRef>`
    ${sql.raw(VARYING)} select r.id, r.version from (${results.rows}) r order by ${results.outerOrder}
    offset ${offset} limit ${limit}
  `.execute(db);
  return { ids: rows, position, total: calculateTotal ? total : null };
}

/** Returns the indexes of those messages that are among the results, in increasing order, and the number of results. */
export async function locateEmails(
  db: Db,
  mailbox: MailboxRef,
  query: JmapQuery,
  ids: readonly string[],
): Promise<{ found: (MessageRef & { index: number })[]; total: number }> {
  const results = await resultsOf(db, mailbox, query);
  return { found: await findIndexes(db, results, ids), total: await countResults(db, results) };
}

interface Results {
  /** Selects `id` and the columns by which the results are sorted. */
  rows: RawBuilder<unknown>;
  outerOrder: RawBuilder<unknown>;
}

async function resultsOf(db: Db, mailbox: MailboxRef, query: JmapQuery): Promise<Results> {
  const { filter, collapseThreads } = query;
  const sort: readonly EmailSort[] =
    query.sort.length > 0 ? query.sort : [{ property: 'receivedAt', isAscending: false, keyword: '' }];
  const condition = filter ? await toCondition(db, mailbox, filter) : sql<boolean>`true`;
  const keys = sort.map((each, at) => sql`${sortKey(each)} as ${sql.ref(`key${at}`)}`);
  const own = sql`m.team_id = ${mailbox.teamId} and m.mailbox_id = ${mailbox.mailboxId}`;
  const lastDirection = direction(sort.at(-1)!.isAscending);
  const inner = sql`select m.id, m.thread_id, ${VERSION} as version, ${sql.join(keys)} from messages m where ${own} and ${condition}`;
  const order = (table: string) =>
    sql`${sql.join(
      sort.map((each, at) => sql`${sql.ref(`${table}.key${at}`)} ${direction(each.isAscending)}`),
    )}, ${sql.ref(`${table}.id`)} ${lastDirection}`;
  const rows = collapseThreads
    ? sql`select * from (
        select i.*, row_number() over (partition by i.thread_id order by ${order('i')}) as nth from (${inner}) i
      ) i where i.nth = 1`
    : inner;
  return { rows, outerOrder: order('r') };
}

function direction(isAscending: boolean): RawBuilder<unknown> {
  return isAscending ? sql`asc` : sql`desc`;
}

async function countResults(db: Db, { rows }: Results): Promise<number> {
  const found = await sql<{ count: number }>`
    ${sql.raw(VARYING)} select count(*) as count from (${rows}) r
  `.execute(db);
  return found.rows[0]!.count;
}

async function findIndexes(
  db: Db,
  { rows, outerOrder }: Results,
  ids: readonly string[],
): Promise<(MessageRef & { index: number })[]> {
  if (ids.length === 0) return [];
  const found = await sql<MessageRef & { index: number }>`
    ${sql.raw(VARYING)} select n.id, n.version, n.index from (
      select r.id, r.version, row_number() over (order by ${outerOrder}) - 1 as index from (${rows}) r
    ) n where n.id = any(${ids}::uuid[]) order by n.index
  `.execute(db);
  return found.rows;
}

/** RFC 5256 sorts subjects without Re: and other prefixes. */
const BASE_SUBJECT = sql`regexp_replace(lower(m.subject), '^((re|fwd?|aw|wg|sv|antw)(\\[[0-9]+\\])?:\\s*)+', '')`;
/** The name, or the address if there is no name. */
const shownName = (person: RawBuilder<unknown>) => sql`lower(ltrim(coalesce(${person}, ''), '"<'))`;

function sortKey({ property, keyword }: EmailSort): RawBuilder<unknown> {
  switch (property) {
    case 'receivedAt':
      return sql`m.created_at`;
    case 'sentAt':
      return sql`coalesce(m.sent_at, m.created_at)`;
    case 'size':
      return sql`coalesce(m.size, 0)`;
    case 'from':
      return shownName(sql`m.sender`);
    case 'to':
      return shownName(sql`m.to_addresses[1]`);
    case 'subject':
      return BASE_SUBJECT;
    case 'hasKeyword':
      return hasKeyword('m', keyword);
    case 'allInThreadHaveKeyword':
      return inThread('all', keyword);
    case 'someInThreadHaveKeyword':
      return inThread('some', keyword);
  }
}

function hasKeyword(table: 'm' | 'o', rawKeyword: string): RawBuilder<boolean> {
  const keyword = normalizeKeyword(rawKeyword);
  const flag = Object.hasOwn(FLAG_OF_KEYWORD, keyword) ? FLAG_OF_KEYWORD[keyword] : undefined;
  if (flag) return sql<boolean>`${sql.ref(`${table}.${flag}`)}`;
  const labels = sql.ref(`${table}.labels`);
  if (keyword.includes('&')) return sql<boolean>`(${toLabel(keyword)} = any(${labels}))`;
  return sql<boolean>`exists (select 1 from unnest(${labels}) as l where lower(l) = ${keyword})`;
}

function inThread(of: 'all' | 'some', keyword: string): RawBuilder<boolean> {
  const others = sql`select 1 from messages o where o.team_id = m.team_id and o.thread_id = m.thread_id`;
  if (of === 'all') return sql<boolean>`not exists (${others} and not ${hasKeyword('o', keyword)})`;
  return sql<boolean>`exists (${others} and ${hasKeyword('o', keyword)})`;
}

async function toCondition(db: Db, mailbox: MailboxRef, filter: JmapFilter): Promise<RawBuilder<boolean>> {
  switch (filter.kind) {
    case 'AND':
    case 'OR':
    case 'NOT': {
      const conditions: RawBuilder<boolean>[] = [];
      for (const each of filter.filters) conditions.push(await toCondition(db, mailbox, each));
      if (conditions.length === 0) return filter.kind === 'OR' ? sql`false` : sql`true`;
      const joined = sql<boolean>`(${sql.join(conditions, filter.kind === 'AND' ? sql` and ` : sql` or `)})`;
      return filter.kind === 'NOT' ? sql<boolean>`not ${joined}` : joined;
    }
    case 'folder':
      // With `=`, an index can return the messages of one folder in their order.
      if (filter.isIn && filter.folders.length === 1) return sql`m.folder = ${filter.folders[0]}`;
      return filter.isIn
        ? sql`m.folder = any(${filter.folders}::text[])`
        : sql`m.folder <> all(${filter.folders}::text[])`;
    case 'date':
      return filter.comparison === 'before'
        ? sql`m.created_at < ${filter.date}`
        : sql`m.created_at >= ${filter.date}`;
    case 'size':
      return filter.comparison === 'min'
        ? sql`coalesce(m.size, 0) >= ${filter.bytes}::bigint`
        : sql`coalesce(m.size, 0) < ${filter.bytes}::bigint`;
    case 'keyword': {
      const condition =
        filter.of === 'message' ? hasKeyword('m', filter.keyword) : inThread(filter.of, filter.keyword);
      return filter.isSet ? condition : sql<boolean>`not ${condition}`;
    }
    case 'attachment':
      return sql<boolean>`${HAS_ATTACHMENT} = ${filter.hasOne}`;
    case 'text':
      return textCondition(db, mailbox, filter.field, filter.value);
    case 'header': {
      const ids = await searchHeaders(db, mailbox, filter.name, filter.value);
      return sql`m.id = any(${ids}::uuid[])`;
    }
  }
}

const people = (column: string) => sql`array_to_string(${sql.ref(`m.${column}`)}, ' ')`;
const BODY = sql`coalesce(m.text, regexp_replace(m.html, '<[^>]*>', ' ', 'g'), '')`;
const TEXTS: Record<TextField, RawBuilder<unknown>> = {
  from: sql`m.sender`,
  to: people('to_addresses'),
  cc: people('cc_addresses'),
  bcc: people('bcc_addresses'),
  subject: sql`m.subject`,
  body: BODY,
  text: sql`concat_ws(' ', m.subject, m.sender, ${people('to_addresses')}, ${people('cc_addresses')},
    ${people('bcc_addresses')}, ${BODY})`,
};
const INDEXED: Record<TextField, SearchField> = {
  from: 'f',
  to: 't',
  cc: 't',
  bcc: 't',
  subject: '',
  body: '',
  text: '',
};

/** Every word must occur. The index of words finds candidates, and the text itself decides. */
async function textCondition(
  db: Db,
  mailbox: MailboxRef,
  field: TextField,
  value: string,
): Promise<RawBuilder<boolean>> {
  const tokens = searchWords(value.replaceAll('\0', ''));
  const conditions = tokens.map((token) => sql<boolean>`${TEXTS[field]} ilike ${`%${escapeLike(token)}%`}`);
  const words = [...new Set(tokens.flatMap((token) => wordsOf(token)))].slice(0, 50);
  if (words.length > 0) {
    const wanted = words.map((word) => ({ word, fields: [INDEXED[field]] }));
    conditions.unshift(await findWords(db, mailbox, wanted));
  }
  if (tokens.length > 0 && (field === 'body' || field === 'text')) {
    const [candidates, ...compared] = words.length > 0 ? conditions : [sql<boolean>`true`, ...conditions];
    // The index alone decides where each token is a word of its own.
    const found =
      field === 'text' && tokens.every((token) => INDEXED_TOKEN.test(token))
        ? sql<boolean>`m.body_bytes is not null`
        : sql<boolean>`m.id = any(${await findTokens(db, mailbox, { field, tokens, candidates: candidates! })}::uuid[])`;
    return sql<boolean>`(${candidates} and ((${HAS_BODY} and ${sql.join(compared, sql` and `)}) or ${found}))`;
  }
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

const INDEXED_TOKEN = /^[a-z0-9]{1,40}$/;

/** Compares the bodies that are made from the source. */
async function findTokens(
  db: Db,
  mailbox: MailboxRef,
  {
    field,
    tokens,
    candidates,
  }: { field: 'body' | 'text'; tokens: string[]; candidates: RawBuilder<boolean> },
): Promise<string[]> {
  return findInBodies(db, mailbox, candidates, ({ subject, sender, recipients, ...body }) => {
    const others = field === 'text' ? [subject, sender, recipients] : [];
    const searched = [...others, plainOf(body)].join(' ').toLowerCase();
    return tokens.every((token) => searched.includes(token));
  });
}
