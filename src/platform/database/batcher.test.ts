import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

const MANY = 40;

let server: TestServer;
let team: TestTeam;
let contacts: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  const { body } = await team.call('POST', '/contactBooks', { name: 'Book' });
  contacts = `/contactBooks/${body.id}/contacts`;
});
afterAll(() => server.close());

function atOnce<Result>(work: (at: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: MANY }, (_, at) => work(at)));
}

test('concurrent requests each get their own response', async () => {
  const created = await atOnce((at) =>
    team.call('POST', contacts, { email: `own${at}@example.com`, firstName: `Own ${at}` }),
  );
  const read = await atOnce((at) => team.call('GET', `${contacts}/${created[at]!.body.contactId}`));
  expect(read.map(({ body }) => body.firstName)).toEqual(read.map((_, at) => `Own ${at}`));
});

test('concurrent changes to one contact are all applied', async () => {
  const { body } = await team.call('POST', contacts, { email: 'busy@example.com' });
  await atOnce((at) =>
    team.call('PATCH', `${contacts}/${body.contactId}`, { properties: { [`p${at}`]: at } }),
  );
  const { body: contact } = await team.call('GET', `${contacts}/${body.contactId}`);
  expect(Object.keys(contact.properties)).toHaveLength(MANY);
});

function part(name: string) {
  return { email: 'full@example.com', properties: { [name]: 'x'.repeat(16_000) } };
}

test('an invalid request fails alone and not the requests batched with it', async () => {
  const { body } = await team.call('POST', contacts, part('a'));
  for (const name of ['b', 'c', 'd']) await team.call('POST', contacts, part(name));
  const posted = await atOnce((at) =>
    team.call('POST', contacts, at === 20 ? part('e') : { email: `beside${at}@example.com` }),
  );
  expect(posted.filter(({ status }) => status !== 200)).toHaveLength(1);
  expect(posted[20]!.status).toBe(400);

  const ids = posted.map((answer) => answer.body.contactId ?? body.contactId);
  const changed = await atOnce((at) =>
    team.call(
      'PATCH',
      `${contacts}/${ids[at]}`,
      at === 20 ? { properties: part('e').properties } : { firstName: 'New' },
    ),
  );
  expect(changed.map(({ status }) => status)).toEqual(changed.map((_, at) => (at === 20 ? 400 : 200)));
  const gone = await atOnce((at) =>
    team.call('PATCH', `${contacts}/${at === 7 ? 'con_00000000000000000000000000' : ids[at]}`, {
      lastName: 'L',
    }),
  );
  expect(gone.map(({ status }) => status)).toEqual(gone.map((_, at) => (at === 7 ? 404 : 200)));
});

test('concurrent emails keep their own content, and another team’s book is not found', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'gather.test' });
  expect(domain.id).toBeGreaterThan(0);
  await team.call('PUT', `/domains/${domain.id}/verify`);
  const sent = await atOnce((at) =>
    team.call('POST', '/emails', {
      from: at === 3 ? 'a@elsewhere.test' : 'a@gather.test',
      to: `to${at}@example.org`,
      subject: `Number ${at}`,
      text: `begin ${'é'.repeat(at * 10)} end of ${at}`,
    }),
  );
  expect(sent.map(({ status }) => status)).toEqual(sent.map((_, at) => (at === 3 ? 400 : 200)));
  const read = await atOnce((at) => team.call('GET', `/emails/${(sent[at]!.body.emailId ?? '') as string}`));
  for (const [at, { body }] of read.entries()) {
    if (at === 3) continue;
    expect(body).toMatchObject({ subject: `Number ${at}`, to: [`to${at}@example.org`] });
    expect(body.text.trim()).toBe(`begin ${'é'.repeat(at * 10)} end of ${at}`);
  }
  const stranger = await server.createTeam();
  const answers = await atOnce((at) =>
    (at % 2 === 0 ? team : stranger).call('GET', contacts.replace('/contacts', '')),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 2 === 0 ? 200 : 404)));
});

test('an error while building a batch fails its calls, and later calls succeed', async () => {
  let isBroken = true;
  const double = createBatcher<number, number>({
    keyOf: () => 'all',
    nameOf(item) {
      if (isBroken) throw new Error('no name');
      return String(item);
    },
    work: async (_db, items) => items.map((item) => item * 2),
  });
  const outcomes = await Promise.allSettled([double(server.db, 1), double(server.db, 2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await Promise.all([double(server.db, 3), double(server.db, 4)])).toEqual([6, 8]);
});
