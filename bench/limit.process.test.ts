import { afterAll, beforeAll, expect, test } from 'vitest';
import { contactBookKey } from '../src/features/audience/contact-books/contact-books.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';
import { closeAll } from './cleanup.ts';
import { startLimit } from './limit.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => {
  await closeAll();
  await server.close();
});

test('the limit program runs the statements of the real operations', async () => {
  const { teamId, call } = await server.createTeam();
  const { body: book } = await call('POST', '/contactBooks', { name: 'Limit' });
  const port = await startLimit(server.config.databaseUrl!, teamId);
  const contact = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', properties: {} };

  const created = await fetch(`http://127.0.0.1:${port}/createContact/${contactBookKey(book.id)}`, {
    method: 'POST',
    body: JSON.stringify(contact),
  });

  expect(created.status, await created.text()).toBe(200);
  expect((await call('GET', `/contactBooks/${book.id}`)).body._count.contacts).toBe(1);
});
