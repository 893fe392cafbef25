import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { startPosthorn, type PosthornProcess } from '../testing/posthorn-process.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

const PEOPLE = 1_000;

let own: TestDatabase;
let server: TestServer;
let team: TestTeam;
let workers: PosthornProcess[];
let holder: pg.Client;

beforeEach(async () => {
  own = await createTestDatabase();
  server = await startTestServer({ databaseUrl: own.url });
  team = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'shop.test' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  workers = [];
  holder = new pg.Client({ connectionString: own.url });
  await holder.connect();
});
afterEach(async () => {
  await holder.end();
  for (const { child, ended } of workers) {
    child.kill('SIGKILL');
    await ended;
  }
  await server.close();
  await own.drop();
});

async function startWorker(): Promise<PosthornProcess> {
  const { dataDir, databaseUrl } = server.config;
  const worker = startPosthorn(['serve', '--doors', 'worker'], {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl!,
    LOG_LEVEL: 'warn',
  });
  workers.push(worker);
  await worker.says('Posthorn is running');
  return worker;
}

/** Adds people to a double opt-in book. The job that sends confirmations blocks on a row that this test locks. */
async function postPeople(): Promise<void> {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News', doubleOptInEnabled: true });
  const people = Array.from({ length: PEOPLE }, (_, i) => ({ email: `person${1000 + i}@example.org` }));
  expect((await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, people)).status).toBe(200);
  await holder.query('begin');
  await holder.query(
    `select from contacts where email = 'person${1000 + PEOPLE / 2}@example.org' for update`,
  );
}

async function count(what: 'asked' | 'mails' | 'waiting'): Promise<number> {
  const { rows } = await sql<Record<typeof what, number>>`
    select (select count(distinct address) from email_recipients where team_id = ${team.teamId}) as asked,
      (select count(*) from emails where team_id = ${team.teamId}) as mails,
      (select count(*) from jobs j
        where j.name = 'send-confirmations') as waiting
  `.execute(server.db);
  return rows[0]![what];
}

async function countBlocked(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%confirmation_sent_at%'`.execute(server.db);
  return rows.length;
}

/** Waits until a job blocks on the locked row. */
async function untilHeld(): Promise<void> {
  await expect.poll(() => countBlocked(), { timeout: 30_000, interval: 100 }).toBe(1);
}

async function expectEveryoneAskedOnce(): Promise<void> {
  // The take-over needs seconds. Counting all the time would hold it up.
  await expect.poll(() => count('waiting'), { timeout: 40_000, interval: 200 }).toBe(0);
  expect([await count('asked'), await count('mails')]).toEqual([PEOPLE, PEOPLE]);
}

test('another process continues the jobs and the queue of a killed one, and everyone gets one confirmation', async () => {
  await postPeople();
  const first = await startWorker();
  await untilHeld();
  await startWorker();
  first.child.kill('SIGKILL');
  await first.ended;
  await holder.query('commit');
  await expectEveryoneAskedOnce();
});

test('a process that is stopped during a long job exits in time, and the job continues at the next start', async () => {
  await postPeople();
  const first = await startWorker();
  await untilHeld();
  const toldAt = performance.now();
  first.child.kill('SIGTERM');
  const { code } = await first.ended;
  expect([code, performance.now() - toldAt < 10_000]).toEqual([0, true]);
  await holder.query('commit');
  await startWorker();
  await expectEveryoneAskedOnce();
});

test('a job that sent confirmations but could not be recorded as done does not send them again a day later', async () => {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News', doubleOptInEnabled: true });
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$
  `.execute(server.db);
  await sql`
    create trigger refuse before delete on jobs for each row execute function refuse()
  `.execute(server.db);
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, [{ email: 'ada@example.org' }]);
  const first = await startTestServer({ databaseUrl: own.url, doors: ['worker'] });
  await expect.poll(() => count('mails')).toBe(1);
  await first.close();
  await sql`drop trigger refuse on jobs`.execute(server.db);
  await sql`update contacts set confirmation_sent_at = now() - interval '1 day'`.execute(server.db);

  const second = await startTestServer({ databaseUrl: own.url, doors: ['worker'] });
  await expect.poll(() => count('waiting')).toBe(0);
  expect(await count('mails')).toBe(1);
  await second.close();
});
