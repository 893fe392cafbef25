import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction, openDatabase, type Database, type Db } from '../../platform/database/database.ts';
import { decodeId, newUuid } from '../../platform/ids.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import { findEnd, readEvents, START, type StreamPosition, type RecordedEvent } from './read-events.ts';
import { recordEvents } from './record-events.ts';

let server: TestServer;
let team: TestTeam;
/** Has more connections than the test server, because several transactions are open at the same time. */
let writing: Database;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  writing = openDatabase(server.config.databaseUrl!, { connections: 8, onError: () => {} });
});
afterAll(async () => {
  await writing.close();
  await server.close();
});
beforeEach(async () => {
  team = await server.createTeam();
});

/** Records an event with a number, by which the tests recognise it. */
function record(db: Db, no: number, teamId = team.teamId): Promise<void> {
  return recordEvents(db, teamId, [
    { type: 'campaign.sent', subjectId: newUuid(), data: { no }, notice: { no } },
  ]);
}

const numbersOf = (events: RecordedEvent[]) => events.map(({ data }) => data!.no as number);

/** Opens a transaction that has recorded an event and ends on request. */
async function open(no: number): Promise<{ end: () => Promise<void>; fail: () => Promise<void> }> {
  let release!: (error: Error | null) => void;
  const released = new Promise<Error | null>((resolve) => (release = resolve));
  let recorded!: () => void;
  const isRecorded = new Promise<void>((resolve) => (recorded = resolve));
  const work = inTransaction(writing.db, async (trx) => {
    await record(trx, no);
    recorded();
    const error = await released;
    if (error) throw error;
  });
  await isRecorded;
  return {
    end: () => (release(null), work),
    fail: () => (release(new Error('no')), work.catch(() => {})),
  };
}

async function read(after: StreamPosition, limit = 100): Promise<RecordedEvent[]> {
  return readEvents(server.db, { teamId: team.teamId, after, limit });
}

/** Reads all events after the position, once the transactions of other parts of the server have ended. */
async function readUntil(after: StreamPosition, count: number): Promise<RecordedEvent[]> {
  let events: RecordedEvent[] = [];
  await expect.poll(async () => (events = await read(after)).length).toBe(count);
  return events;
}

test('events that commit late are read late, in one order, and none is missed or read twice', async () => {
  const first = await open(1);
  await record(writing.db, 2);
  const third = await open(3);
  await record(writing.db, 4);
  // The second and fourth are committed, but the first, which precedes them, may still be committed.
  expect(await read(START)).toEqual([]);
  await first.end();
  const before = await readUntil(START, 2);
  expect(numbersOf(before)).toEqual([1, 2]);
  const position = before.at(-1)!.position;
  expect(await read(position)).toEqual([]);
  await third.end();
  expect(numbersOf(await readUntil(position, 2))).toEqual([3, 4]);
  expect(numbersOf(await readUntil(START, 4))).toEqual([1, 2, 3, 4]);
});

test('events that are rolled back are not in the stream and delay no reader', async () => {
  const failing = await open(1);
  await record(writing.db, 2);
  await failing.fail();
  expect(numbersOf(await readUntil(START, 1))).toEqual([2]);
});

test('a reader that continues from its position while many write reads each event once, in the order of each team', async () => {
  const other = await server.createTeam();
  const teams = [team.teamId, other.teamId];
  const start = await findEnd(server.db);
  const perWriter = 10;
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let at = 0; at < perWriter; at++) {
      const no = writer * 1_000 + at;
      const failed = inTransaction(writing.db, async (trx) => {
        for (const teamId of teams) await record(trx, no, teamId);
        // Some transactions take longer than others, and some fail.
        if (at % 3 === 0) await sql`select pg_sleep(0.005)`.execute(trx);
        if (at % 10 === 9) throw new Error('rolled back');
      });
      await failed.catch(() => {});
    }
  });
  // One of each writer's ten events is rolled back.
  const wanted = 2 * 6 * 9;
  const seen: RecordedEvent[] = [];
  let after = start;
  /** Reads with a small limit, which ends within transactions. Only the position is kept, as after a restart. */
  async function readOn(): Promise<number> {
    const events = await readEvents(server.db, { after: { ...after }, limit: 7 });
    seen.push(...events.filter(({ teamId }) => teams.includes(teamId)));
    after = events.at(-1)?.position ?? after;
    return seen.length;
  }
  await expect.poll(readOn, { interval: 5, timeout: 30_000 }).toBe(wanted);
  await Promise.all(writers);
  expect(await readOn()).toBe(wanted);
  for (const teamId of teams) {
    const own = seen.filter((event) => event.teamId === teamId);
    expect(own.length).toBe(wanted / 2);
    expect(new Set(own.map(({ position }) => position.id)).size).toBe(wanted / 2);
    // Each writer made its events one after the other.
    for (let writer = 0; writer < 6; writer++) {
      const ofWriter = numbersOf(own).filter((no) => Math.floor(no / 1_000) === writer);
      expect(ofWriter).toEqual(ofWriter.toSorted((a, b) => a - b));
    }
    const whole = await readEvents(server.db, { teamId, after: start, limit: 1_000 });
    expect(own.map(({ position }) => position)).toEqual(whole.map(({ position }) => position));
  }
});

test('transactions are ordered as numbers, also where one has a digit more', async () => {
  for (const xid of ['10', '9', '100', '99']) {
    await sql`
      insert into events (team_id, id, xid, type, data)
      values (${team.teamId}, ${newUuid()}, ${xid}::xid8, 'campaign.sent', ${JSON.stringify({ no: Number(xid) })}::jsonb)
    `.execute(server.db);
  }
  const seen: number[] = [];
  for (let after: StreamPosition | undefined = START; after;) {
    const events: RecordedEvent[] = await read(after, 1);
    seen.push(...numbersOf(events));
    after = events[0]?.position;
  }
  expect(seen).toEqual([9, 10, 99, 100]);
});

test('the stream has the events of emails, domains and contacts, and one event for many contacts', async () => {
  const domain = (await team.call('POST', '/domains', { name: `s${team.teamId}.test` })).body;
  await team.call('PUT', `/domains/${domain.id}/verify`);
  const email = { from: `a@s${team.teamId}.test`, to: 'b@example.com', subject: 'x', text: 'x' };
  const { emailId } = (await team.call('POST', '/emails', email)).body;
  await expect.poll(async () => (await team.call('GET', `/emails/${emailId}`)).body.status).toBe('DELIVERED');
  const book = (await team.call('POST', '/contactBooks', { name: 'x' })).body.id;
  const path = `/contactBooks/${book}/contacts`;
  const people = Array.from({ length: 500 }, (_, no) => ({ email: `p${no}@example.com` }));
  await team.call('POST', `${path}/bulk`, people);
  const { contactId } = (await team.call('POST', path, { email: 'p0@example.com', subscribed: false })).body;
  await team.call('DELETE', `${path}/${contactId}`);

  const events = await readUntil(START, 8);
  expect(events.map(({ type }) => type)).toEqual([
    'domain.verified',
    'email.queued',
    'email.sent',
    'email.delivered',
    'contact.created',
    'contact.updated',
    'contact.unsubscribed',
    'contact.deleted',
  ]);
  const [verified, queued, , delivered, created, , unsubscribed] = events;
  expect(verified!.data).toEqual({ domainId: domain.id });
  expect(queued!.subjectId).toBe(decodeId('eml', emailId));
  expect(delivered).toMatchObject({ subjectId: queued!.subjectId, recipient: 'b@example.com' });
  expect(created!.subjectId).toBe(decodeId('cbk', book));
  expect(new Set(created!.contactIds).size).toBe(500);
  expect(unsubscribed!.contactIds).toEqual([decodeId('con', contactId)]);
});
