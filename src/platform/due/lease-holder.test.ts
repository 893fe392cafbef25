import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { createPresence, type Presence } from '../database/presence.ts';
import { createLog } from '../log.ts';
import { freeLeases, giveBack, type LeasedTable } from './due.ts';
import { startLeaseHolder, type LeaseHolder } from './lease-holder.ts';

/** Stands for any table with leases. */
const BATCHES: LeasedTable<'team_id' | 'campaign_id' | 'no'> = {
  name: 'campaign_batches',
  key: { team_id: 'integer', campaign_id: 'uuid', no: 'integer' },
  holder: 'leased_by',
  endsAt: 'leased_until',
  whenFreed: 'has-no-end',
};

const CAMPAIGN = randomUUID();
let own: TestDatabase;
let database: Database;
const presences: Presence[] = [];
const holders: LeaseHolder[] = [];

beforeEach(async () => {
  own = await createTestDatabase();
  database = openDatabase(own.url, { connections: 8, onError: () => {} });
  await sql`
    insert into campaign_batches (team_id, campaign_id, no, contact_book_id, contact_ids, address_keys, first_key, last_key)
    select 1, ${CAMPAIGN}, no, ${CAMPAIGN}, '{}', '{}', '', '' from generate_series(1, 3) no
  `.execute(database.db);
});
afterEach(async () => {
  for (const holder of holders.splice(0)) holder.close();
  for (const presence of presences.splice(0)) presence.close();
  await database.close();
  await own.drop();
});

/** Acts as a process of its own. */
async function startProcess(): Promise<{ holder: LeaseHolder; presence: Presence; registry: Registry }> {
  const presence = createPresence(database.pool);
  presences.push(presence);
  const registry = new Registry();
  const holder = await startLeaseHolder({
    db: database.db,
    log: createLog('fatal'),
    presence,
    registry,
    upkeepMs: 100,
  });
  holders.push(holder);
  return { holder, presence, registry };
}

async function lease(holderId: string, seconds: number): Promise<void> {
  await sql`
    update campaign_batches set leased_by = ${holderId}, leased_until = now() + make_interval(secs => ${seconds})
  `.execute(database.db);
}

const keyOf = (no: number) => ({ team_id: 1, campaign_id: CAMPAIGN, no });

async function readLeases(): Promise<{ no: number; by: string | null; isLong: boolean | null }[]> {
  const { rows } = await sql<{ no: number; by: string | null; isLong: boolean | null }>`
    select no, leased_by as by, leased_until > now() + interval '15 seconds' as "isLong"
    from campaign_batches order by no`.execute(database.db);
  return rows;
}

test('a process renews the leases of the rows that it knows, and no others', async () => {
  const { holder, registry } = await startProcess();
  await lease(holder.id, 10);
  holder.hold({ table: BATCHES, listKnown: () => [keyOf(1), keyOf(3)] });
  await expect
    .poll(async () => (await readLeases()).map(({ isLong }) => isLong), { timeout: 20_000 })
    .toEqual([true, false, true]);
  expect(await registry.metrics()).toContain('posthorn_leases{table="campaign_batches"} 2');
});

test('the leases of a process that has died are freed, and those of a live one are kept', async () => {
  const { holder, registry } = await startProcess();
  const other = await startProcess();
  await lease(other.holder.id, 3_600);
  let freed = 0;
  const hold = { table: BATCHES, listKnown: () => [], onFreed: () => void (freed += 1) };
  holder.hold(hold);
  await holder.renew();
  expect((await readLeases()).map(({ by }) => by)).toEqual(Array(3).fill(other.holder.id));
  other.holder.close();
  other.presence.close();
  await expect
    .poll(async () => (await readLeases()).map(({ by }) => by), { timeout: 20_000 })
    .toEqual([null, null, null]);
  await expect.poll(() => freed).toBe(1);
  expect(await registry.metrics()).toContain('posthorn_leases_freed_total{table="campaign_batches"} 3');
});

test('a process gives back only what it has leased itself', async () => {
  const [mine, theirs] = [randomUUID(), randomUUID()];
  await lease(mine, 20);
  await sql`update campaign_batches set leased_by = ${theirs} where no = 2`.execute(database.db);
  await giveBack(database.db, BATCHES, mine, [keyOf(1), keyOf(2)]);
  expect((await readLeases()).map(({ by }) => by)).toEqual([null, theirs, mine]);
  expect(await freeLeases(database.db, BATCHES, [mine])).toBe(1);
});

test('a row that another transaction has locked is skipped instead of waited for', async () => {
  const mine = randomUUID();
  await lease(mine, 20);
  await database.db.transaction().execute(async (trx) => {
    await sql`select from campaign_batches where no = 1 for update`.execute(trx);
    expect(await freeLeases(database.db, BATCHES, [mine])).toBe(2);
  });
});

test('a process that gives back a row waits for the renewal that has locked it', async () => {
  const mine = randomUUID();
  await lease(mine, 20);
  let given = Promise.resolve();
  await database.db.transaction().execute(async (trx) => {
    await sql`select from campaign_batches where no = 1 for update`.execute(trx);
    given = giveBack(database.db, BATCHES, mine, [keyOf(1)]);
    await expect
      .poll(async () => {
        const { rows } =
          await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
            database.db,
          );
        return rows.length;
      })
      .toBe(1);
  });
  await given;
  expect((await readLeases())[0]!.by).toBe(null);
});
