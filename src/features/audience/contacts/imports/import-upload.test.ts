import { sql } from 'kysely';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../testing/test-database.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../../testing/test-server.ts';
import { dropStaleUploads } from './import-upload.ts';
import type { ContactImport } from './imports.schema.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
});
afterAll(() => server.close());

const CSV = { 'content-type': 'text/csv' };

async function createBook(owner: TestTeam = team): Promise<string> {
  const { body } = await owner.call('POST', '/contactBooks', { name: 'Imported' });
  return `/contactBooks/${body.id}`;
}

async function importFile(book: string, file: string): Promise<ContactImport> {
  const { body } = await team.call('POST', `${book}/imports`, file, CSV);
  return waitUntilFinished(book, body.id);
}

async function waitUntilFinished(book: string, importId: string): Promise<ContactImport> {
  for (;;) {
    const { body } = await team.call('GET', `${book}/imports/${importId}`);
    if (body.finishedAt) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function countUploads(): Promise<number> {
  const { rows } = await sql`select 1 from contact_imports where status = 'UPLOADING'`.execute(server.db);
  return rows.length;
}

describe('an upload', () => {
  test.each([
    ['application/json', 400],
    ['multipart/form-data; boundary=x', 400],
    ['text/csv; charset=iso-8859-1', 400],
    ['text/csv; header=present; charset=utf-8', 200],
    ['TEXT/PLAIN', 200],
    ['application/csv', 200],
    ['application/octet-stream', 200],
    ['application/vnd.ms-excel', 200],
  ])('of the type %s gets %i', async (type, status) => {
    const answer = await team.call('POST', `${await createBook()}/imports`, 'email\n', {
      'content-type': type,
    });
    expect(answer.status).toBe(status);
  });

  test('of an empty file is 400 and leaves nothing', async () => {
    const book = await createBook();
    expect((await team.call('POST', `${book}/imports`, '', CSV)).status).toBe(400);
    expect((await team.call('GET', `${book}/imports`)).body.items).toEqual([]);
    expect(await countUploads()).toBe(0);
  });

  test('of more than 1 GiB is 413 before the body is sent', async () => {
    const book = await createBook();
    const headers = { authorization: `Bearer ${team.key}`, 'content-length': 1024 ** 3 + 1, ...CSV };
    const sent = request(`${server.url}/api/v1${book}/imports`, { method: 'POST', headers });
    const status = await new Promise((resolve, reject) => {
      sent.on('response', (answer) => resolve(answer.statusCode));
      sent.on('error', reject);
      sent.write('email\n');
    });
    sent.destroy();
    expect(status).toBe(413);
  });

  test('that is interrupted is never shown, and its remains are dropped after an hour', async () => {
    const book = await createBook();
    const stop = new AbortController();
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(Buffer.alloc(2 * 1024 * 1024, 'x'));
        await new Promise((resolve) => setTimeout(resolve, 200));
        stop.abort();
      },
    });
    const headers = { authorization: `Bearer ${team.key}`, ...CSV };
    const options = { method: 'POST', headers, body, duplex: 'half', signal: stop.signal } as RequestInit;
    await expect(fetch(`${server.url}/api/v1${book}/imports`, options)).rejects.toThrow();
    expect((await team.call('GET', `${book}/imports`)).body.items).toEqual([]);
    await expect.poll(() => countUploads()).toBe(0);

    const bookKey = sql`(select id from contact_books order by id desc limit 1)`;
    for (const [id, age] of [
      ['0190a0a0-0000-7000-8000-000000000001', '59 minutes'],
      ['0190a0a0-0000-7000-8000-000000000002', '61 minutes'],
    ]) {
      await sql`
        insert into contact_imports (team_id, contact_book_id, id, status, mapping, requested_by, updated_at)
        values (${team.teamId}, ${bookKey}, ${id}, 'UPLOADING', '{}', 'x', now() - ${age}::interval)
      `.execute(server.db);
    }
    expect((await team.call('GET', `${book}/imports`)).body.items).toEqual([]);
    await dropStaleUploads(server.db);
    expect(await countUploads()).toBe(1);
  });

  test('repeated with an Idempotency-Key is imported once', async () => {
    const book = await createBook();
    const headers = { ...CSV, 'idempotency-key': 'import-1' };
    const first = await team.call('POST', `${book}/imports`, 'email\na@example.com\n', headers);
    const again = await team.call('POST', `${book}/imports`, 'email\na@example.com\n', headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await team.call('POST', `${book}/imports`, 'email\nb@example.com\n', headers);
    expect(other.status).toBe(422);
    await waitUntilFinished(book, first.body.id);
    expect((await team.call('GET', `${book}/imports`)).body.items).toHaveLength(1);
    const { body } = await team.call('GET', `${book}/contacts`);
    expect(body.items).toMatchObject([{ email: 'a@example.com' }]);
  });
});

describe('reading imports', () => {
  test('is not possible for other teams or for sending keys', async () => {
    const book = await createBook();
    const result = await importFile(book, 'email\na@example.com\n');
    const stranger = await server.createTeam();
    const ownBook = await createBook(stranger);
    for (const path of [
      `${book}/imports`,
      `${book}/imports/${result.id}`,
      `${book}/imports/${result.id}/refusals`,
      `${ownBook}/imports/${result.id}`,
      `${ownBook}/imports/nonsense`,
    ]) {
      expect((await stranger.call('GET', path)).status).toBe(404);
    }
    expect((await stranger.call('POST', `${book}/imports`, 'email\n', CSV)).status).toBe(404);
    expect((await team.call('GET', `${await createBook()}/imports/${result.id}`)).status).toBe(404);

    const { body } = await team.call('POST', '/api-keys', { name: 'Sender', permission: 'sending' });
    const headers = { authorization: `Bearer ${body.key}`, ...CSV };
    expect((await server.call('POST', `${book}/imports`, 'email\n', headers)).status).toBe(403);
    expect((await server.call('GET', `${book}/imports/${result.id}`, undefined, headers)).status).toBe(403);
  });

  test('lists them newest first, page by page, without the rejected rows', async () => {
    const book = await createBook();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await importFile(book, 'email\nx\n')).id);
    const first = (await team.call('GET', `${book}/imports?limit=2`)).body;
    const second = (await team.call('GET', `${book}/imports?limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
    expect(first.items[0]).toMatchObject({ refused: 1, refusals: [] });
  });
});

test('deleting a book also deletes its running imports', async () => {
  const book = await createBook();
  const lines = Array.from({ length: 30_000 }, (_, index) => `p${index}@example.com`).join('\n');
  const { body } = await team.call('POST', `${book}/imports`, `email\n${lines}`, CSV);
  expect((await team.call('DELETE', book)).status).toBe(200);
  expect((await team.call('GET', `${book}/imports/${body.id}`)).status).toBe(404);
  await expect.poll(async () => (await sql`select 1 from jobs`.execute(server.db)).rows.length).toBe(0);
});

test('another worker continues an import after a restart, and every row counts once', async () => {
  const database = await createTestDatabase();
  const first = await startTestServer({ doors: ['http', 'worker'], databaseUrl: database.url });
  const owner = await first.createTeam();
  const book = await createBook(owner);
  const rows = 120_000;
  const lines = Array.from({ length: rows }, (_, index) =>
    index % 100 === 0 ? 'bad' : `p${index % 110_000}@example.com`,
  );
  const { body } = await owner.call('POST', `${book}/imports`, `email\n${lines.join('\n')}`, CSV);
  await expect
    .poll(async () => (await owner.call('GET', `${book}/imports/${body.id}`)).body.rows)
    .toBeGreaterThan(0);
  await first.close();

  const second = await startTestServer({ doors: ['http', 'worker'], databaseUrl: database.url });
  const call = (path: string) =>
    second.call('GET', path, undefined, { authorization: `Bearer ${owner.key}` });
  const before = (await call(`${book}/imports/${body.id}`)).body;
  expect(before.progress).toBeLessThan(1);
  await expect
    .poll(async () => (await call(`${book}/imports/${body.id}`)).body.status, { timeout: 80_000 })
    .toBe('DONE');
  const after = (await call(`${book}/imports/${body.id}`)).body;
  expect(after).toMatchObject({ rows, created: 108_900, updated: 9_900, refused: 1_200 });
  expect((await call(book)).body._count.contacts).toBe(108_900);
  await second.close();
  await database.drop();
}, 120_000);
