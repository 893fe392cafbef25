/**
 * The tables of grams of a folder (decision 48). UIDs only increase and what a UID means never changes, so a table is
 * made once, for all messages up to the last UID, and later messages follow in further tables. A moved message has a new
 * UID. Tables of few messages are joined when there are enough of them.
 */
import { sql } from 'kysely';
import { inTransaction, lockNumber, VARYING, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { readSearchedBodies } from '../storage/derived-bodies.ts';
import {
  foldBytes,
  foldCase,
  joinTables,
  makeTable,
  rowsOf,
  searchedRows,
  textsWithAll,
  type GramRows,
} from './grams.ts';

export interface FolderRef extends MailboxRef {
  folderId: string;
}

const FEW = 64;
const MANY = 1_024;
/** A larger source is not read for the table; its message is always compared. */
const MAX_SOURCE_BYTES = 256 * 1024;

interface NewMessage extends Row<
  'messages',
  'uid' | 'raw_sha256' | 'subject' | 'sender' | 'message_id' | 'to_addresses' | 'cc_addresses' | 'size'
> {
  more: string;
  /** False for HTML in the row, which may have been cleaned in another way than it would be today. */
  hasKnownBody: boolean;
}

/** Makes tables until fewer than FEW messages are without one. */
export async function extendGrams(db: Db, folder: FolderRef): Promise<void> {
  for (;;) {
    const covered = await lastCovered(db, folder);
    const messages = await readNewMessages(db, folder, covered);
    const count = messages.length >= MANY ? MANY : Math.floor(messages.length / FEW) * FEW;
    if (count === 0) return;
    const size = count === MANY ? MANY : FEW;
    const rows = await gramsOf(db, folder.teamId, messages.slice(0, count));
    let from = covered;
    for (let at = 0; at < count; at += size) {
      const uids = messages.slice(at, at + size).map(({ uid }) => uid);
      if (!(await storeTable(db, folder, { after: from, uids, grams: makeTable(rows.slice(at, at + size)) })))
        return;
      from = uids.at(-1)!;
    }
    await joinFew(db, folder);
  }
}

const own = ({ teamId, mailboxId, folderId }: FolderRef) =>
  sql`team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId}`;

async function lastCovered(db: Db, folder: FolderRef): Promise<number> {
  const { rows } = await sql<{ uid: Row<'search_grams'>['last_uid'] }>`
    select last_uid as uid from search_grams where ${own(folder)} order by first_uid desc limit 1
  `.execute(db);
  return rows[0]?.uid ?? 0;
}

async function readNewMessages(db: Db, folder: FolderRef, after: number): Promise<NewMessage[]> {
  const { rows } = await sql<NewMessage>`
    select uid, raw_sha256, subject, sender, message_id, to_addresses, cc_addresses, size,
      body_bytes is not null or text is not null or html is null as "hasKnownBody",
      coalesce(more_addresses::text, '') as more
    from messages where ${own(folder)} and uid > ${after} order by uid limit ${MANY}
  `.execute(db);
  return rows;
}

async function gramsOf(db: Db, teamId: number, messages: NewMessage[]): Promise<GramRows[]> {
  const byHash = new Map<string, number[]>();
  const hashes: Buffer[] = [];
  for (const [no, { raw_sha256, size, hasKnownBody }] of messages.entries()) {
    if (!raw_sha256 || !hasKnownBody || size === null || size > MAX_SOURCE_BYTES) continue;
    const key = raw_sha256.toString('hex');
    byHash.set(key, [...(byHash.get(key) ?? []), no]);
    hashes.push(raw_sha256);
  }
  const grams: GramRows[] = messages.map(() => null);
  await readSearchedBodies(db, teamId, hashes, (hash, { text, html, source, bodyStart }) => {
    for (const no of byHash.get(hash)!) {
      const row = messages[no]!;
      grams[no] = rowsOf([
        ...textsOf(row).map((each) => Buffer.from(foldCase(each))),
        Buffer.from(foldCase(text ?? html ?? '')),
        Buffer.from(foldBytes(source.subarray(0, bodyStart)), 'latin1'),
      ]);
    }
  });
  return grams;
}

/** The texts besides the body that TEXT searches. Each is compared alone. */
function textsOf({ subject, sender, message_id, to_addresses, cc_addresses, more }: NewMessage): string[] {
  const names = more === '' ? [] : textsIn(JSON.parse(more));
  return [`${subject} ${sender}`, to_addresses.join(' '), cc_addresses.join(' '), message_id ?? '', ...names];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns false if another process has made a table meanwhile. */
async function storeTable(
  db: Db,
  folder: FolderRef,
  { after, uids, grams }: { after: number; uids: number[]; grams: Buffer },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockTables(trx, folder);
    if ((await lastCovered(trx, folder)) !== after) return false;
    await insertTable(trx, folder, {
      firstUid: after + 1,
      uids: packUids(uids),
      grams,
      lastUid: uids.at(-1)!,
    });
    return true;
  });
}

async function lockTables(trx: Db, { teamId, mailboxId, folderId }: FolderRef): Promise<void> {
  const key = lockNumber(`search grams ${teamId} ${mailboxId} ${folderId}`);
  await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(trx);
}

async function insertTable(
  trx: Db,
  { teamId, mailboxId, folderId }: FolderRef,
  table: { firstUid: number; lastUid: number; uids: Buffer; grams: Buffer },
): Promise<void> {
  // Nothing is stored for a folder that was deleted meanwhile.
  await sql`
    insert into search_grams (team_id, mailbox_id, folder, first_uid, last_uid, uids, grams)
    select team_id, mailbox_id, id, ${table.firstUid}, ${table.lastUid}, ${table.uids}, ${table.grams} from folders
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${folderId} for share
  `.execute(trx);
}

/** Joins the tables of few messages into one of many. */
async function joinFew(db: Db, folder: FolderRef): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockTables(trx, folder);
    const few = sql`select first_uid from search_grams where ${own(folder)} and length(uids) = ${4 * FEW}
      order by first_uid limit ${MANY / FEW}`;
    const { rows: found } = await sql<{ count: number }>`select count(*) as count from (${few}) few`.execute(
      trx,
    );
    if (found[0]!.count < MANY / FEW) return;
    const { rows } = await sql<Row<'search_grams', 'first_uid' | 'last_uid' | 'uids' | 'grams'>>`
      delete from search_grams where ${own(folder)} and first_uid in (${few})
      returning first_uid, last_uid, uids, grams
    `.execute(trx);
    const sorted = rows.toSorted((a, b) => a.first_uid - b.first_uid);
    await insertTable(trx, folder, {
      firstUid: sorted[0]!.first_uid,
      lastUid: sorted.at(-1)!.last_uid,
      uids: Buffer.concat(sorted.map(({ uids }) => uids)),
      grams: joinTables(sorted.map(({ grams }) => grams)),
    });
  });
}

function packUids(uids: readonly number[]): Buffer {
  const packed = Buffer.alloc(4 * uids.length);
  for (const [no, uid] of uids.entries()) packed.writeUInt32BE(uid, 4 * no);
  return packed;
}

/**
 * Returns the UIDs of the messages that may contain the text, as it is or in the header, and all UIDs without a table.
 * Null if the text is too short to tell.
 */
export async function findCandidates(db: Db, folder: FolderRef, value: string): Promise<number[] | null> {
  const inTexts = searchedRows(Buffer.from(foldCase(value)));
  const inHeader = searchedRows(Buffer.from(foldBytes(Buffer.from(value)), 'latin1'));
  if (inTexts.length === 0 || inHeader.length === 0) return null;
  const sets = inTexts.join() === inHeader.join() ? [inTexts] : [inTexts, inHeader];
  const covered = await lastCovered(db, folder);
  const uids = new Set<number>();
  for (const rows of sets) for (const uid of await findInTables(db, folder, rows)) uids.add(uid);
  const { rows: others } = await sql<Row<'messages', 'uid'>>`
    select uid from messages where ${own(folder)} and uid > ${covered}
  `.execute(db);
  for (const { uid } of others) uids.add(uid);
  return [...uids];
}

async function findInTables(db: Db, folder: FolderRef, rows: number[]): Promise<number[]> {
  const { rows: tables } = await sql<Row<'search_grams', 'uids'> & { bits: Buffer }>`
    ${sql.raw(VARYING)} select uids, ${sql.join(
      rows.map(
        (row) =>
          sql`substring(grams from ${sql.lit(row)} * ((length(uids) / 4 + 7) / 8) + 1 for (length(uids) / 4 + 7) / 8)`,
      ),
      sql` || `,
    )} as bits
    from search_grams where ${own(folder)} order by first_uid
  `.execute(db);
  return tables.flatMap(({ uids, bits }) =>
    textsWithAll(bits, bits.length / rows.length)
      .filter((no) => 4 * no < uids.length)
      .map((no) => uids.readUInt32BE(4 * no)),
  );
}
