import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { enterEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { startTestServer } from '../testing/test-server.ts';

test('while the database is away answers are 503 with Retry-After; when it is back the process goes on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-outage-'));
  let postgres = await enterEmbeddedPostgres(dataDir, { durable: false });
  const server = await startTestServer({ databaseUrl: postgres.url, doors: ['http', 'worker'] });
  const { call } = await server.createTeam();
  expect((await call('GET', '/contactBooks')).status).toBe(200);

  await postgres.leave();
  const answer = await call('GET', '/contactBooks');
  expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const stringForm = await call('PATCH', '/contactBooks/cbk_00000000000000000000000000', { name: 'x' });
  expect([stringForm.status, typeof stringForm.body.error]).toEqual([503, 'string']);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(503);

  postgres = await enterEmbeddedPostgres(dataDir, { durable: false });
  await expect.poll(async () => (await call('POST', '/contactBooks', { name: 'Back' })).status).toBe(200);
  // Jobs go on as well.
  const { body: book } = await call('POST', '/contactBooks', { name: 'After' });
  const imports = `/contactBooks/${book.id}/imports`;
  const csv = 'email\nada@example.com\n';
  const { body: started } = await call('POST', imports, csv, { 'content-type': 'text/csv' });
  await expect
    .poll(async () => (await call('GET', `${imports}/${started.id}`)).body.status, { timeout: 20_000 })
    .toBe('DONE');
  await server.close();
  await postgres.leave();
  rmSync(dataDir, { recursive: true, force: true });
});
