/** Events have one partition per month, created ahead of time and dropped as a whole after the retention period. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';

const MONTHS_AHEAD = 2;

/** Must match migrations/0002_one-stream-of-events.sql. */
const SAMPLE_SIZES = {
  team_id: 10,
  id: 10,
  subject_id: 10,
  xid: 10,
  created_at: 10,
  type: 10,
  recipient: 10,
  contact_ids: 0,
  data: 0,
};
const SAMPLES = Object.entries(SAMPLE_SIZES).map(
  ([column, size]) => sql`alter column ${sql.ref(column)} set statistics ${sql.lit(size)}`,
);

export async function keepEventPartitions(db: Db, retentionDays: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    await makePartitions(trx);
    await dropOld(trx, retentionDays);
  });
}

/**
 * A query that is being planned while events move to a new partition does not see them. So the partitions exist before
 * the first event.
 */
export async function makeEventPartitions(db: Db): Promise<void> {
  await inTransaction(db, makePartitions);
}

async function makePartitions(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('event partitions'))`.execute(trx);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) await makePartition(trx, ahead);
}

/** Moves events that are already in the default partition to the new one. */
async function makePartition(trx: Db, monthsAhead: number): Promise<void> {
  const { rows } = await sql<{ name: string; first: string; next: string; exists: boolean }>`
    select name, first, next, to_regclass(name) is not null as exists from (
      select to_char(month, '"events_"YYYY_MM') as name,
        to_char(month, 'YYYY-MM-DD') || ' 00:00+00' as first,
        to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00+00' as next
      from (select date_trunc('month', now() at time zone 'utc') + make_interval(months => ${monthsAhead}::integer) as month) m
    ) named
  `.execute(trx);
  const { name, first, next, exists } = rows[0]!;
  if (exists) return;
  // Writers to the default partition wait for this lock, and then use the new partition.
  await sql`lock table events in share row exclusive mode`.execute(trx);
  const table = sql.table(name);
  await sql`create table ${table} (like events including all)`.execute(trx);
  await sql`alter table ${table} ${sql.join(SAMPLES)}`.execute(trx);
  await sql`
    with moved as (
      delete from events_default
      where created_at >= ${first}::timestamptz and created_at < ${next}::timestamptz returning *
    )
    insert into ${table} select * from moved
  `.execute(trx);
  await sql`
    alter table events attach partition ${table} for values from (${sql.lit(first)}) to (${sql.lit(next)})
  `.execute(trx);
}

async function dropOld(trx: Db, retentionDays: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass and c.relname ~ '^events_\\d{4}_\\d\\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
        <= (now() at time zone 'utc') - make_interval(days => ${retentionDays}::integer)
  `.execute(trx);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(trx);
  await sql`
    delete from events_default where created_at < now() - make_interval(days => ${retentionDays}::integer)
  `.execute(trx);
}
