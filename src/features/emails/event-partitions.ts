/** Events are kept in one partition a month: made ahead of their month, and dropped whole when their time is over. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';

const MONTHS_AHEAD = 2;

/** As migrations/0001_baseline.sql has it: a small sample of each column, and none of the data. */
const SAMPLES = ['team_id', 'email_id', 'id', 'status', 'recipient', 'created_at', 'data'].map(
  (column) => sql`alter column ${sql.ref(column)} set statistics ${sql.lit(column === 'data' ? 0 : 10)}`,
);

export async function keepEventPartitions(db: Db, retentionDays: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('event partitions'))`.execute(trx);
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) await makePartition(trx, ahead);
    await dropOld(trx, retentionDays);
  });
}

/** What came for this month before its partition was there is in the default one, and moves over. */
async function makePartition(trx: Db, monthsAhead: number): Promise<void> {
  const { rows } = await sql<{ name: string; first: string; next: string; exists: boolean }>`
    select name, first, next, to_regclass(name) is not null as exists from (
      select to_char(month, '"email_events_"YYYY_MM') as name,
        to_char(month, 'YYYY-MM-DD') || ' 00:00+00' as first,
        to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00+00' as next
      from (select date_trunc('month', now() at time zone 'utc') + make_interval(months => ${monthsAhead}::integer) as month) m
    ) named
  `.execute(trx);
  const { name, first, next, exists } = rows[0]!;
  if (exists) return;
  // Who is about to write into the default one waits, and then finds the new one.
  await sql`lock table email_events in share row exclusive mode`.execute(trx);
  const table = sql.table(name);
  await sql`create table ${table} (like email_events including all)`.execute(trx);
  await sql`alter table ${table} ${sql.join(SAMPLES)}`.execute(trx);
  await sql`
    with moved as (
      delete from email_events_default
      where created_at >= ${first}::timestamptz and created_at < ${next}::timestamptz returning *
    )
    insert into ${table} select * from moved
  `.execute(trx);
  await sql`
    alter table email_events attach partition ${table} for values from (${sql.lit(first)}) to (${sql.lit(next)})
  `.execute(trx);
}

async function dropOld(trx: Db, retentionDays: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'email_events'::regclass and c.relname ~ '^email_events_\\d{4}_\\d\\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
        <= (now() at time zone 'utc') - make_interval(days => ${retentionDays}::integer)
  `.execute(trx);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(trx);
  await sql`
    delete from email_events_default where created_at < now() - make_interval(days => ${retentionDays}::integer)
  `.execute(trx);
}
