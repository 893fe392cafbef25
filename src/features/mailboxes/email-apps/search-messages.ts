/** Searches a folder by the criteria of IMAP. Returns UIDs in increasing order. */
import { sql, type RawBuilder } from 'kysely';
import type { SearchKey } from '../../../mail/imap/search-keys.ts';
import { readAnyHeaders, valuesOf } from '../../../mail/mime/parse/raw-headers.ts';
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
import { escapeLike, VARYING, type Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { readMessages } from './message-rows.ts';
import { makeStructures, readStructures } from './message-source.ts';
import { DAY_MS } from '../../../platform/durations.ts';
import { HAS_BODY } from '../search/search-bodies.ts';
import { searchBodies, type BodyMatches } from '../search/search-folder-bodies.ts';
import { PACKED_UID, unpackUids } from './packed-uids.ts';
import { containsText } from '../../../platform/find-text.ts';

/** Before a search, sequence sets and \Recent are replaced by UIDs, and keywords by labels. */
export type FolderSearchKey =
  | Exclude<SearchKey, { kind: 'and' | 'or' | 'not' | 'sequence' | 'uid' | 'keyword' | 'recent' }>
  | { kind: 'and' | 'or'; keys: FolderSearchKey[] }
  | { kind: 'not'; key: FolderSearchKey }
  | { kind: 'uids'; ranges: { from: number; to: number }[] }
  | { kind: 'label'; label: string; isSet: boolean };

export interface FoundMessages {
  /** Increasing. */
  uids: Uint32Array;
  /** Change numbers of the same messages. Null unless the client requested them. */
  modseqs: number[] | null;
}

const HEADER_BATCH = 500;
/** A search makes at most this many missing structures. Other messages are searched by their columns only. */
const MAX_MADE = 200;
/** Up to this many ranges are looked up in the index. */
const MAX_RANGES = 10;

/** `allUids` are the UIDs that the email app knows. Only these are found. */
export async function searchFolder(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  { key, allUids, withModseqs }: { key: FolderSearchKey; allUids: Uint32Array; withModseqs: boolean },
): Promise<FoundMessages> {
  if (searchesAllFields(key)) await makeStructures(db, mailbox, folderId, MAX_MADE);
  const condition = await toCondition(key, {
    header: (name, value) =>
      searchHeaders(db, mailbox, folderId, [...allUids], { name, value: value.toLowerCase() }),
    body: (value, withHeader) => searchBodies(db, { ...mailbox, folderId }, value, withHeader),
  });
  const largest = allUids.at(-1) ?? 0;
  const { rows } = await sql<{ packed: Buffer | null; modseqs: number[] | null }>`
    ${sql.raw(VARYING)} select string_agg(${PACKED_UID}, ''::bytea) as packed,
      ${withModseqs ? sql`json_agg(modseq)` : sql`null`} as modseqs
    from (
      select m.uid, m.modseq from messages m
      where m.team_id = ${mailbox.teamId} and m.mailbox_id = ${mailbox.mailboxId} and m.folder = ${folderId}
        and m.uid <= ${largest} and ${condition}
      order by m.uid
    ) found
  `.execute(db);
  return onlyKnown({ uids: unpackUids(rows[0]!.packed), modseqs: rows[0]!.modseqs }, allUids);
}

/**
 * Leaves out messages that were moved here in the meantime, because the email app does not know them yet. Both lists
 * increase.
 */
function onlyKnown({ uids, modseqs }: FoundMessages, allUids: Uint32Array): FoundMessages {
  let place = 0;
  const isKnown = (uid: number) => {
    while (allUids[place]! < uid) place += 1;
    return allUids[place] === uid;
  };
  const known = uids.map((uid) => (isKnown(uid) ? 1 : 0));
  if (!known.includes(0)) return { uids, modseqs };
  return {
    uids: uids.filter((_, at) => known[at] === 1),
    modseqs: modseqs && modseqs.filter((_, at) => known[at] === 1),
  };
}

/** TEXT reads the headers that are stored with the structures of messages. */
function searchesAllFields(key: FolderSearchKey): boolean {
  if (key.kind === 'and' || key.kind === 'or') return key.keys.some(searchesAllFields);
  return key.kind === 'not' ? searchesAllFields(key.key) : key.kind === 'text' && key.field === 'text';
}

type HeaderSearch = (name: string, value: string) => Promise<number[]>;

interface Searches {
  header: HeaderSearch;
  body(value: string, withHeader: boolean): Promise<BodyMatches>;
}

async function toCondition(key: FolderSearchKey, searches: Searches): Promise<RawBuilder<boolean>> {
  switch (key.kind) {
    case 'all':
      return sql`true`;
    case 'not':
      return sql`not ${await toCondition(key.key, searches)}`;
    case 'and':
    case 'or': {
      const conditions: RawBuilder<boolean>[] = [];
      for (const each of key.keys) conditions.push(await toCondition(each, searches));
      return sql`(${sql.join(conditions, key.kind === 'and' ? sql` and ` : sql` or `)})`;
    }
    case 'flag':
      return sql`m.${sql.ref(key.flag)} = ${key.isSet}`;
    case 'label':
      return sql`(${key.label} = any(m.labels)) = ${key.isSet}`;
    case 'uids':
      return uidCondition(key.ranges);
    case 'modseq':
      return sql`m.modseq >= ${Math.min(key.modseq, Number.MAX_SAFE_INTEGER)}`;
    case 'size':
      return key.comparison === 'larger'
        ? sql`coalesce(m.size, 0) > ${clampInteger(key.bytes)}`
        : sql`coalesce(m.size, 0) < ${clampInteger(key.bytes)}`;
    case 'age':
      return key.comparison === 'older'
        ? sql`m.created_at <= now() - make_interval(secs => ${clampInteger(key.seconds)})`
        : sql`m.created_at >= now() - make_interval(secs => ${clampInteger(key.seconds)})`;
    case 'date':
      return dateCondition(key);
    case 'text':
      if (key.field === 'body' || key.field === 'text') return bodyCondition(key.field, key.value, searches);
      // Only messages written here have the column. Others may have the header field.
      return key.field === 'bcc'
        ? sql`(${textCondition('bcc', key.value)} or ${await headerCondition('bcc', key.value, searches.header)})`
        : textCondition(key.field, key.value);
    case 'header':
      return headerCondition(key.name, key.value, searches.header);
    case 'id': {
      const id = decodeId(key.field === 'email' ? 'msg' : 'thr', key.id);
      return key.field === 'email' ? sql`m.id = ${id}` : sql`m.thread_id = ${id}`;
    }
  }
}

function uidCondition(ranges: { from: number; to: number }[]): RawBuilder<boolean> {
  if (ranges.length === 0) return sql`false`;
  if (ranges.length > MAX_RANGES)
    return sql`m.uid <@ ${`{${ranges.map(({ from, to }) => `[${from},${to}]`).join()}}`}::int8multirange`;
  const conditions = ranges.map(({ from, to }) => sql`m.uid between ${from} and ${to}`);
  return sql`(${sql.join(conditions, sql` or `)})`;
}

function clampInteger(number: number): number {
  return Math.min(number, 2 ** 31 - 1);
}

function dateCondition({
  field,
  comparison,
  date,
}: Extract<SearchKey, { kind: 'date' }>): RawBuilder<boolean> {
  if (field === 'sent') return sentCondition(comparison, date);
  const column = field === 'saved' ? sql`m.saved_at` : sql`m.created_at`;
  const nextDay = new Date(date.getTime() + DAY_MS);
  if (comparison === 'before') return sql`${column} < ${date}`;
  if (comparison === 'since') return sql`${column} >= ${date}`;
  return sql`(${column} >= ${date} and ${column} < ${nextDay})`;
}

/** RFC 9051 section 6.4.4 compares the day in the Date header, regardless of its time and time zone. */
function sentCondition(comparison: 'before' | 'on' | 'since', date: Date): RawBuilder<boolean> {
  const day = date.toISOString().slice(0, 10);
  const operator = { before: sql`<`, on: sql`=`, since: sql`>=` }[comparison];
  return sql`coalesce(m.sent_on, (m.created_at at time zone 'UTC')::date) ${operator} ${day}::date`;
}

/** The fields that have a column. */
type ColumnField = Exclude<Extract<SearchKey, { kind: 'text' }>['field'], 'body' | 'text'>;

const patternOf = (value: string) => `%${escapeLike(value.replaceAll('\0', ''))}%`;

function textCondition(field: ColumnField, value: string): RawBuilder<boolean> {
  const matches = (column: RawBuilder<unknown>) => sql<boolean>`${column} ilike ${patternOf(value)}`;
  const person = (column: string) => matches(sql`array_to_string(m.${sql.ref(column)}, ' ')`);
  const more = (name: string) =>
    matches(sql`coalesce(m.more_addresses #>> ${sql.lit(`{${name},text}`)}, '')`);
  switch (field) {
    case 'subject':
      return matches(sql`m.subject`);
    case 'from':
      return sql`(${matches(sql`m.sender`)} or ${more('from')})`;
    case 'to':
      return sql`(${person('to_addresses')} or ${more('to')})`;
    case 'cc':
      return sql`(${person('cc_addresses')} or ${more('cc')})`;
    case 'bcc':
      return person('bcc_addresses');
  }
}

/** Compares candidates only. The bodies that are made from the source were compared before. */
async function bodyCondition(
  field: 'body' | 'text',
  value: string,
  searches: Searches,
): Promise<RawBuilder<boolean>> {
  const pattern = patternOf(value);
  const { candidates, found } = await searches.body(value.replaceAll('\0', ''), field === 'text');
  const isCandidate = candidates === null ? sql`true` : sql`m.uid = any(${candidates}::bigint[])`;
  const inBody = sql`coalesce(m.text, m.html, '') ilike ${pattern}`;
  const inRow =
    field === 'body'
      ? sql`(${HAS_BODY} and ${inBody})`
      : sql`(m.subject || ' ' || m.sender ilike ${pattern} or coalesce(m.message_id, '') ilike ${pattern}
          or ${textCondition('to', value)} or ${textCondition('cc', value)} or ${textCondition('from', value)}
          or (${HAS_BODY} and (${inBody} or ${fieldsCondition(value)})))`;
  return sql`(${isCandidate} and (m.uid = any(${found}::bigint[]) or ${inRow}))`;
}

/** Compares the header without decoding it. The important fields are also in columns, decoded. */
function fieldsCondition(value: string): RawBuilder<boolean> {
  const escaped = [...Buffer.from(value)].map((byte) => {
    if (byte === 0 || byte >= 0x80) return `\\${byte.toString(8).padStart(3, '0')}`;
    return byte === 0x5c ? '\\\\' : String.fromCharCode(byte);
  });
  return sql`exists (
    select 1 from message_structures s where s.team_id = m.team_id and s.message_id = m.id
      and encode(s.header, 'escape') ilike ${`%${escapeLike(escaped.join(''))}%`})`;
}

/** Some fields have a column. The others are searched in the headers of all messages. */
async function headerCondition(
  name: string,
  value: string,
  searchHeader: HeaderSearch,
): Promise<RawBuilder<boolean>> {
  const field = ['from', 'to', 'cc', 'subject'].find((candidate) => candidate === name);
  if (field && value !== '') return textCondition(field as 'from', value);
  if (name === 'message-id') return sql`coalesce(m.message_id, '') ilike ${`%${escapeLike(value)}%`}`;
  const found = await searchHeader(name, value);
  return sql`m.uid = any(${found}::bigint[])`;
}

/** An empty value matches every message that has the field. */
async function searchHeaders(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  uids: number[],
  { name, value }: { name: string; value: string },
): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < uids.length; at += HEADER_BATCH) {
    const messages = await readMessages(db, mailbox, folderId, uids.slice(at, at + HEADER_BATCH));
    const structures = await readStructures(db, mailbox, messages, { onlyHeaders: true });
    for (const { id, uid } of messages) {
      const header = structures.get(id)?.header;
      const values = header ? valuesOf(readAnyHeaders(header), name) : [];
      if (values.some((each) => containsText(decodeWords(each).toLowerCase(), value))) found.push(uid);
    }
  }
  return found;
}
