/** The database's clock decides what is due, even if the clocks of processes are wrong or it was set back itself. */
import { sql } from 'kysely';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { startDatabaseClock } from '../platform/database/database-clock.ts';
import { openDatabase } from '../platform/database/database.ts';
import { createLog } from '../platform/log.ts';
import { startPosthorn } from '../testing/posthorn-process.ts';
import { startSmtpSink } from '../testing/smtp-sink.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createCall, startTestServer } from '../testing/test-server.ts';

vi.setConfig({ testTimeout: 90_000 });

const DAYS_MS = 2 * 24 * 60 * 60 * 1000;

afterEach(() => vi.restoreAllMocks());

/** Returns the NODE_OPTIONS for a process whose clock is wrong by this much. */
function shiftClock(ms: number): string {
  const code = `const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + ${ms}) : super(...given); }
      static now() { return Real.now() + ${ms}; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

test.each([
  ['ahead', DAYS_MS],
  ['behind', -DAYS_MS],
])('a process whose clock is two days %s sends at the right time', async (_, shiftMs) => {
  const sink = await startSmtpSink();
  const server = await startTestServer();
  const team = await server.createTeam();
  await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
  const port = await findFreePort();
  const shifted = startPosthorn(['serve', '--doors', 'http,worker'], {
    NODE_OPTIONS: shiftClock(shiftMs),
    DATABASE_URL: server.config.databaseUrl!,
    DATA_DIR: server.config.dataDir,
    PORT: String(port),
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
  });
  try {
    await shifted.says(String(port));
    const call = createCall(`http://127.0.0.1:${port}`, team.key);
    const email = { from: 'a@shop.test', subject: 'Hello', text: 'Hello' };
    const soon = new Date(Date.now() + 1_000).toISOString();
    const book = (await call('POST', '/contactBooks', { name: 'Readers' })).body.id;
    await call('POST', `/contactBooks/${book}/contacts`, { email: 'reader@example.org' });
    const campaign = { name: 'N', from: 'a@shop.test', subject: 'N', contactBookId: book, html: '<p>N</p>' };
    const answers = [
      await call('POST', '/emails', { ...email, to: 'undo@example.org', undoSeconds: 1 }),
      await call('POST', '/emails', { ...email, to: 'soon@example.org', scheduledAt: soon }),
      await call('POST', '/campaigns', { ...campaign, scheduledAt: soon }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await sink.waitForMessages(3, 20_000);
    const held = await call('POST', '/emails', { ...email, to: 'held@example.org', undoSeconds: 120 });
    const { body } = await call('GET', `/emails/${held.body.emailId}`);
    const heldForMs = Date.parse(body.scheduledAt) - Date.now();
    expect([body.status, Math.round(heldForMs / 60_000)]).toEqual(['SCHEDULED', 2]);
  } finally {
    shifted.child.kill();
    await shifted.ended;
    await server.close();
    await sink.close();
  }
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test('after the clock was set back, work that was due does not wait for the old time', async () => {
  const sink = await startSmtpSink();
  const relay = {
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    DESTINATION_RATES: 'default=60000',
  };
  const http = await startTestServer({ env: relay });
  const team = await http.createTeam();
  await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(http.db);
  const email = { from: 'a@shop.test', subject: 'Hello', text: 'Hello' };
  await team.call('POST', '/emails', { ...email, to: 'queued@example.org' });
  await team.call('POST', '/emails', { ...email, to: 'undo@example.org', undoSeconds: 1 });
  const fields = { name: 'Readers', doubleOptInEnabled: true };
  const { body: book } = await team.call('POST', '/contactBooks', fields);
  await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'sign-up@example.org' });
  const { body: readers } = await team.call('POST', '/contactBooks', { name: 'Readers' });
  await team.call('POST', `/contactBooks/${readers.id}/contacts`, { email: 'reader@example.org' });
  const campaign = {
    name: 'N',
    from: 'a@shop.test',
    subject: 'N',
    contactBookId: readers.id,
    html: '<p>N</p>',
  };
  await team.call('POST', '/campaigns', { ...campaign, sendNow: true });

  // These rows look as if they were written by a clock two days ahead of the current one.
  const later = sql.lit('2 days');
  await sql`update deliveries set due_at = due_at + ${later}::interval`.execute(http.db);
  await sql`
    update emails set created_at = created_at + ${later}::interval, scheduled_at = scheduled_at + ${later}::interval
  `.execute(http.db);
  await sql`
    update jobs set due_at = due_at + ${later}::interval,
      created_at = created_at + ${later}::interval
  `.execute(http.db);
  await sql`
    update campaigns set rate_per_minute = 60, rate_used_to = now() + ${later}::interval, failures = 1,
      next_try_at = now() + ${later}::interval
  `.execute(http.db);
  await sql`
    insert into destination_rates (destination, next_at) values ('example.org', now() + ${later}::interval)
  `.execute(http.db);
  await sql`
    insert into destination_connections (destination, slot, worker_id, expires_at)
    values ('example.org', 1, gen_random_uuid(), now() + ${later}::interval)
  `.execute(http.db);

  const worker = await startTestServer({
    doors: ['worker'],
    env: { ...relay, DATA_DIR: http.config.dataDir },
    databaseUrl: http.config.databaseUrl!,
  });
  await sink.waitForMessages(4, 20_000);
  const { rows } = await sql`
    select from destination_connections where expires_at > now() + interval '1 day'`.execute(http.db);
  expect(rows).toEqual([]);
  await worker.close();
  await http.close();
  await sink.close();
});

test('a running process notices that the clock of the database was set back', async () => {
  const testDatabase = await createTestDatabase();
  const { db, close } = openDatabase(testDatabase.url, { connections: 1, onError: () => {} });
  let calls = 0;
  const clock = await startDatabaseClock(db, createLog('silent'), async () => void (calls += 1));
  expect(calls).toBe(1);
  // This has the same effect as setting the database's clock back.
  const realNow = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + 60_000);
  await expect.poll(() => calls).toBe(2);
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(5_000);
  await clock.close();
  await close();
  await testDatabase.drop();
});
