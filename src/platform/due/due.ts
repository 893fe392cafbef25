/**
 * Work that is due: read this file first. A row of a table is work that some process has to do, at or after a time. This
 * is how deliveries, batches of campaigns, calls of webhooks, connections to destinations and jobs share that work:
 *
 *   due      The row waits, and its time has come. Urgent work comes before batches of it, and bulk last.
 *   leased   One process has claimed the row: its ID is in `leased_by`, and nobody else takes the row until the lease
 *            ends. Claims use SKIP LOCKED, so processes never wait for each other.
 *   renewed  The process renews all its leases together every few seconds (lease-holder.ts), but only those of rows
 *            that it knows. After a failover that lost the last writes, the database may list others under its ID.
 *   done     The process deletes the row, or changes it so that it is not due, in a statement that requires its lease.
 *   retried  After a failure the row gets a later time, with growing gaps (retry-schedule.ts), and no lease.
 *   freed    The process gives the row back. If it died, the others notice and free its leases within seconds
 *            (database/presence.ts). If it stands still, the lease ends, and the process begins nothing more when it
 *            goes on (lease-state.ts).
 *
 * So a row is worked on by one process at a time, and again after a crash: whoever uses this must bear a repetition.
 * Work that is done in one transaction needs no lease: it locks its row with FOR UPDATE SKIP LOCKED until the commit.
 *
 * The claim itself is a statement of each feature, because its order and its conditions differ. It sets LEASE_END, and
 * takes only rows for which `isFree` is true. All the rest is here.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { LEASE_SECONDS } from './lease-state.ts';

/** A table whose rows are leased. */
export interface LeasedTable<Key extends string = string> {
  name: keyof Tables;
  /** The columns that identify a row, with their types. */
  key: Readonly<Record<Key, 'integer' | 'bigint' | 'smallint' | 'uuid' | 'text'>>;
  /** The column with the ID of the process; usually `leased_by`. */
  holder: string;
  /** The column with the end of the lease. A row whose `due_at` says it is simply due again then. */
  endsAt: string;
  /** What becomes of a row that is freed: it is due now, it has no end of a lease, or it is deleted. */
  whenFreed: 'is-due' | 'has-no-end' | 'is-deleted';
}

/** The end of a lease that begins now. */
export const LEASE_END = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

/** A condition that nobody has leased a row, whose columns are `leased_by` and `leased_until`. */
export function isFree(alias: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`(${column('leased_by')} is null or ${column('leased_until')} < now())`;
}

/** Returns the IDs of all processes that have leased something. */
export async function findHolders(db: Db, tables: readonly LeasedTable[]): Promise<string[]> {
  if (tables.length === 0) return [];
  const each = tables.map(
    ({ name, holder }) =>
      sql`select distinct ${sql.ref(holder)}::text as id from ${sql.table(name)} where ${sql.ref(holder)} is not null`,
  );
  const { rows } = await sql<{ id: string }>`${sql.join(each, sql` union `)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Frees everything that these processes have leased in the table, and returns how many rows that was. */
export async function freeLeases(db: Db, table: LeasedTable, holderIds: readonly string[]): Promise<number> {
  const theirs = sql`${sql.ref(table.holder)} = any(${holderIds}::uuid[])`;
  return changeLeases(db, table, theirs, free(table));
}

/**
 * Gives back rows that this process has leased and does not work on. It waits for a renewal that has locked them:
 * otherwise they would stay leased.
 */
export async function giveBack<Key extends string>(
  db: Db,
  table: LeasedTable<Key>,
  holderId: string,
  keys: readonly Record<Key, unknown>[],
): Promise<void> {
  if (keys.length > 0)
    await changeLeases(db, table, isMine(table, holderId, keys), free(table), sql`for update`);
}

/** Renews the leases of these rows, and returns how many are still leased by this process. */
export async function renewLeases<Key extends string>(
  db: Db,
  table: LeasedTable<Key>,
  holderId: string,
  keys: readonly Record<Key, unknown>[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const renew = (mine: RawBuilder<unknown>) =>
    sql`update ${sql.table(table.name)} t set ${sql.ref(table.endsAt)} = ${LEASE_END} from mine where ${mine}`;
  return changeLeases(db, table, isMine(table, holderId, keys), renew);
}

/**
 * SKIP LOCKED prevents deadlocks: a locked row is being finished or given back, and waiting for it while other rows are
 * locked could block the transaction that does so. The next renewal runs long before the lease ends.
 */
async function changeLeases(
  db: Db,
  { name, key }: LeasedTable,
  condition: RawBuilder<unknown>,
  change: (isMine: RawBuilder<unknown>) => RawBuilder<unknown>,
  lock: RawBuilder<unknown> = sql`for update skip locked`,
): Promise<number> {
  const columns = Object.keys(key);
  const isSame = sql.join(
    columns.map((column) => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`mine.${column}`)}`),
    sql` and `,
  );
  const result = await sql`
    with mine as (
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)}
      where ${condition} ${lock}
    ) ${change(isSame)}`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

function free({ name, holder, endsAt, whenFreed }: LeasedTable) {
  return (isMine: RawBuilder<unknown>) => {
    if (whenFreed === 'is-deleted') return sql`delete from ${sql.table(name)} t using mine where ${isMine}`;
    const end = whenFreed === 'is-due' ? sql`now()` : sql`null`;
    return sql`update ${sql.table(name)} t set ${sql.ref(holder)} = null, ${sql.ref(endsAt)} = ${end} from mine where ${isMine}`;
  };
}

function isMine<Key extends string>(
  { key, holder }: LeasedTable<Key>,
  holderId: string,
  keys: readonly Record<Key, unknown>[],
): RawBuilder<unknown> {
  const columns = Object.keys(key) as Key[];
  const arrays = columns.map((column) => sql`${keys.map((one) => one[column])}::${sql.raw(key[column])}[]`);
  return sql`${sql.ref(holder)} = ${holderId}::uuid
    and (${sql.join(columns.map((column) => sql.ref(column)))}) in (select * from unnest(${sql.join(arrays)}))`;
}
