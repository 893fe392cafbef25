import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../testing/test-server.ts';
import { MOST_SIGN_UPS } from '../contacts/upsert-contacts.ts';

test('confirmations of concurrent sign-ups are urgent; those of a bulk list are not', async () => {
  const server = await startTestServer();
  const { call } = await server.createTeam();
  const { body: book } = await call('POST', '/contactBooks', { name: 'News', doubleOptInEnabled: true });
  const contacts = `/contactBooks/${book.id}/contacts`;
  const people = Array.from({ length: MOST_SIGN_UPS * 8 }, (_, no) => ({ email: `p${no}@example.com` }));
  await Promise.all(people.map((person) => call('POST', contacts, person)));
  const { rows: kinds } = await sql<{ kind: string }>`
    select distinct name as kind from jobs`.execute(server.db);
  expect(kinds).toEqual([{ kind: 'confirm-sign-ups' }]);

  const list = people.map((_, no) => ({ email: `list${no}@example.com` }));
  await call('POST', `${contacts}/bulk`, list);
  const { rows: queues } = await sql<{ queue: string }>`
    select queue from jobs where queue is not null`.execute(server.db);
  expect(queues).toEqual([{ queue: expect.stringMatching(/^confirmations \d+$/) }]);
  await server.close();
});
