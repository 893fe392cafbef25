/** Reads the values that SORT and THREAD compare. */
import { sql, type RawBuilder } from 'kysely';
import type { MessageOrder } from '../../../mail/imap/order-messages.ts';
import type { SortKey } from '../../../mail/imap/sort-thread.ts';
import { VARYING, type Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { withUids } from './message-rows.ts';
import { PACKED_UID, unpackUids } from './packed-uids.ts';

/** Rows per query. A message can have hundreds of references. */
const BATCH = 2_000;

const SENT_AT = sql`coalesce(sent_at, created_at)`;
const toMs = (time: RawBuilder<unknown>) => sql`floor(date_part('epoch', ${time}) * 1000)::bigint`;

/** The sort keys that PostgreSQL compares. Times have millisecond precision, as in the other sort keys. */
const COLUMN_OF: Partial<Record<SortKey['name'], RawBuilder<unknown>>> = {
  ARRIVAL: sql`date_trunc('milliseconds', created_at)`,
  DATE: sql`date_trunc('milliseconds', ${SENT_AT})`,
  SIZE: sql`coalesce(size, 0)`,
};

/** Returns the UIDs in the order of the keys. Null if PostgreSQL cannot compare one of them as IMAP does. */
export async function sortByColumns(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
  { uids, keys }: { uids: Uint32Array; keys: SortKey[] },
): Promise<Uint32Array | null> {
  const columns = keys.flatMap(({ name, isReverse }) => {
    const column = COLUMN_OF[name];
    return column ? sql`${column} ${isReverse ? sql`desc` : sql`asc`}` : [];
  });
  if (columns.length < keys.length) return null;
  const { rows } = await sql<{ packed: Buffer | null }>`
    ${sql.raw(VARYING)} select string_agg(${PACKED_UID}, ''::bytea) as packed from (
      select uid from messages where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId}
        and ${withUids(uids)}
      order by ${sql.join(columns)}, uid
    ) m
  `.execute(db);
  return unpackUids(rows[0]!.packed);
}

/** Returns lists of `OrderRow` as JSON, sorted by UID. */
export async function readOrderRows(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
  { uids, order }: { uids: Uint32Array; order: MessageOrder },
): Promise<string[]> {
  const needed = columnsFor(order);
  const column = (name: string, value: RawBuilder<unknown>) => (needed.has(name) ? value : sql`null`);
  const row = sql.join([
    sql`uid`,
    toMs(sql`created_at`),
    toMs(SENT_AT),
    sql`size`,
    column('subject', sql`subject`),
    column('sender', sql`sender`),
    column('to', sql`to_addresses[1]`),
    column('cc', sql`cc_addresses[1]`),
    column('messageId', sql`message_id`),
    column('references', sql`reference_ids`),
    column('more', sql`more_addresses`),
  ]);
  const batches: string[] = [];
  for (let at = 0; at < uids.length; at += BATCH) {
    const asked = withUids(uids.subarray(at, at + BATCH));
    const { rows } = await sql<{ rows: string | null }>`
      select json_agg(json_build_array(${row}) order by uid)::text as rows from messages
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId} and ${asked}
    `.execute(db);
    if (rows[0]?.rows) batches.push(rows[0].rows);
  }
  return batches;
}

function columnsFor(order: MessageOrder): Set<string> {
  if (order.kind === 'thread')
    return new Set(order.algorithm === 'REFERENCES' ? ['subject', 'messageId', 'references'] : ['subject']);
  const fields = order.keys.map(({ name }) => name.toLowerCase().replace('display', ''));
  const hasAddresses = fields.some((field) => ['from', 'to', 'cc'].includes(field));
  return new Set([
    ...fields.map((field) => field.replace('from', 'sender')),
    ...(hasAddresses ? ['more'] : []),
  ]);
}
