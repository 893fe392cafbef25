import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { startTestServer } from '../testing/test-server.ts';
import { sendVendorRequest, vendorRequests } from '../testing/clients/vendor-requests.ts';

test('while the database is down responses are 503 with Retry-After, and the process recovers when it is back', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-outage-'));
  let postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const server = await startTestServer({ databaseUrl: postgres.url, doors: ['http', 'worker'] });
  const { call, key } = await server.createTeam();
  expect((await call('GET', '/contactBooks')).status).toBe(200);

  await postgres.leave();
  const answer = await call('GET', '/contactBooks');
  expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const stringForm = await call('PATCH', '/contactBooks/cbk_00000000000000000000000000', { name: 'x' });
  expect([stringForm.status, typeof stringForm.body.error]).toEqual([503, 'string']);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(503);
  for (const [vendor, request] of Object.entries(vendorRequests(key, 'shop.test'))) {
    const refused = await sendVendorRequest(server, request);
    expect([refused.status, refused.body], vendor).toEqual([503, request.error]);
    expect(Number(refused.headers.get('retry-after')), vendor).toBeGreaterThan(0);
  }

  postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  await expect.poll(async () => (await call('POST', '/contactBooks', { name: 'Back' })).status).toBe(200);
  // Jobs run again as well.
  const { body: book } = await call('POST', '/contactBooks', { name: 'After' });
  const imports = `/contactBooks/${book.id}/imports`;
  const csv = 'email\nada@example.com\n';
  const { body: started } = await call('POST', imports, csv, { 'content-type': 'text/csv' });
  await expect.poll(async () => (await call('GET', `${imports}/${started.id}`)).body.status).toBe('DONE');
  await server.close();
  await postgres.leave();
  rmSync(dataDir, { recursive: true, force: true });
});

test('temporary errors of a running database are 503 too', async () => {
  const server = await startTestServer();
  const { call } = await server.createTeam();
  await sql`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = new.name; end
    $$`.execute(server.db);
  await sql`create trigger refuse before insert on contact_books for each row execute function refuse()`.execute(
    server.db,
  );
  const answers: Record<string, number> = {};
  // These mean: out of memory, cancelled by an operator or a timeout, disk failure, standby, internal error, disk full. The
  // last one makes the server reject all writes.
  for (const name of ['53200', '57014', '58030', '25006', 'XX000', '53100']) {
    const { status, body } = await call('POST', '/contactBooks', { name });
    answers[name] = status;
    // Whoever asks for too much is told so, instead of that the database is away.
    if (name === '57014') expect(body.error.message).toMatch(/took too long .* Request less at once/);
  }
  expect(answers).toEqual({ 53100: 503, 53200: 503, 57014: 503, 58030: 503, 25006: 503, XX000: 500 });
  await server.close();
});
