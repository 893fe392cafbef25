import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { keepEventPartitions } from './event-partitions.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http'] });
});
afterAll(() => server.close());

async function addEvent(age: string): Promise<void> {
  await sql`
    insert into events (team_id, subject_id, id, type, created_at)
    values (1, gen_random_uuid(), gen_random_uuid(), 'email.sent', now() - ${age}::interval)
  `.execute(server.db);
}

async function partitions(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; events: number }>`
    select c.relname as name, (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || c.relname, false, true, '')))[1]::text::int as events
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass order by 1
  `.execute(server.db);
  return Object.fromEntries(rows.map(({ name, events }) => [name, events]));
}

function monthName(ahead: number): string {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
  return `events_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

test('events move into the partition of their month, and months past the retention period are dropped', async () => {
  const months = [monthName(0), monthName(1), monthName(2)];
  expect(Object.keys(await partitions())).toEqual([...months, 'events_default']);
  await sql`drop table ${sql.join(months.map((month) => sql.table(month)))}`.execute(server.db);
  await addEvent('0 days');
  await addEvent('500 days');
  await keepEventPartitions(server.db, 365);
  expect(await partitions()).toEqual({
    [months[0]!]: 1,
    [months[1]!]: 0,
    [months[2]!]: 0,
    events_default: 0,
  });

  const old = new Date(Date.now() - 500 * 86_400_000).toISOString().slice(0, 7);
  await sql`
    create table ${sql.table(`events_${old.replace('-', '_')}`)} partition of events
    for values from (${sql.lit(`${old}-01`)}) to (${sql.lit(`${old}-28`)})
  `.execute(server.db);
  await Promise.all([keepEventPartitions(server.db, 365), keepEventPartitions(server.db, 365)]);
  expect(Object.keys(await partitions())).toEqual([...months, 'events_default']);
});

test('concurrent writes succeed while a partition is created', async () => {
  for (let round = 0; round < 20; round++) {
    await sql`drop table if exists ${sql.table(monthName(0))}`.execute(server.db);
    let isMade = false;
    const write = async () => {
      while (!isMade) await addEvent('0 days');
    };
    const writers = Promise.all([write(), write(), write(), write()]);
    await keepEventPartitions(server.db, 365);
    isMade = true;
    await writers;
    expect((await partitions())['events_default']).toBe(0);
  }
});
