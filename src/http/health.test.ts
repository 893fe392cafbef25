/** /healthz is 503 soon while the database does not respond. Other requests wait for it much longer. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { inTransaction } from '../platform/database/database.ts';
import { openEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { startDatabaseProxy } from '../testing/servers/database-proxy.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

/** Returns the status of the health check, once it has come before the response to a request that was made earlier. */
async function healthBeforeOthers({ url }: TestServer, { call }: TestTeam): Promise<number | string> {
  const others = call('GET', '/contactBooks').then(() => 'the other request was answered first');
  return Promise.race([fetch(`${url}/healthz`).then(({ status }) => status), others]);
}

async function expectHealthy({ url }: TestServer): Promise<void> {
  await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
}

test('the health check is 503 while the processes of PostgreSQL are stopped, and 200 afterwards', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-still-'));
  const postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const server = await startTestServer({ databaseUrl: postgres.url });
  const team = await server.createTeam();
  await expectHealthy(server);
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity`.execute(server.db);
  const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const pids = [postmaster, ...rows.map(({ pid }) => pid)];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    expect(await healthBeforeOthers(server, team)).toBe(503);
    expect(await healthBeforeOthers(server, team)).toBe(503);
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await expectHealthy(server);
  await server.close();
  await postgres.leave();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the health check is 503 while connections to the database are silent, and 200 on new connections', async () => {
  const database = await createTestDatabase();
  const { proxy, close } = await startDatabaseProxy(database.url);
  const server = await startTestServer({ databaseUrl: proxy.url });
  const team = await server.createTeam();
  await expectHealthy(server);
  proxy.holds = true;
  proxy.cutOff();
  expect(await healthBeforeOthers(server, team)).toBe(503);
  proxy.holds = false;
  await expectHealthy(server);
  close();
  await server.close();
  await database.drop();
});

test('the health check is 503 while all connections of the pool are busy', async () => {
  const server = await startTestServer({ env: { DATABASE_CONNECTIONS: '2' } });
  const team = await server.createTeam();
  let writes: Promise<unknown>[] = [];
  await inTransaction(server.db, async (trx) => {
    await sql`lock table contact_books in access exclusive mode`.execute(trx);
    writes = [1, 2, 3].map(() => team.call('POST', '/contactBooks', { name: 'Waits' }));
    await expect
      .poll(async () => {
        const { rows } = await sql`select from pg_locks where not granted`.execute(server.db);
        return rows.length;
      })
      .toBe(2);
    expect(await healthBeforeOthers(server, team)).toBe(503);
  });
  await Promise.all(writes);
  await expectHealthy(server);
  await server.close();
});
