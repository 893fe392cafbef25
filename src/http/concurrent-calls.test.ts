/** Tests that concurrent calls that create or change the same object each get the response of the contract. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { invite, PASSWORD, setUpOwner } from '../testing/people.ts';
import type { Answer } from '../testing/test-server.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const AT_ONCE = 4;

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return world.team.call(method, path, body);
}

async function atOnce(ask: (at: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ask(at)));
}

function statusesOf(answers: Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}

const ALL_GO = [200, 200, 200, 200];
const ONE_GOES = [200, 409, 409, 409];

test('concurrent calls each create their own object if duplicates are allowed', async () => {
  const book = (await call('POST', '/contactBooks', { name: 'Same' })).body.id;
  const makes: Record<string, object> = {
    '/contactBooks': { name: 'Same' },
    '/topics': { name: 'Same' },
    '/segments': {
      name: 'Same',
      contactBookId: book,
      filter: { all: [{ field: 'email', op: 'contains', value: 'a' }] },
    },
    '/templates': { name: 'Same', subject: 'Same', html: '<p>Same</p>' },
    '/api-keys': { name: 'Same', permission: 'full' },
    '/webhooks': { url: 'https://example.com/same', events: ['contact.created'] },
  };
  for (const [path, body] of Object.entries(makes)) {
    const answers = await atOnce(() => call('POST', path, body));
    expect([path, statusesOf(answers)]).toEqual([path, ALL_GO]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(AT_ONCE);
  }
});

test('of concurrent calls that create a unique object one succeeds, and the others get an error', async () => {
  expect(statusesOf(await atOnce(() => call('POST', '/domains', { name: 'twice.test' })))).toEqual(ONE_GOES);
  const address = { address: 'twice@harbour.test' };
  expect(statusesOf(await atOnce(() => call('POST', '/mailboxes', address)))).toEqual(ONE_GOES);
});

test('concurrent calls for the same contact or suppression create one of each', async () => {
  const book = (await call('POST', '/contactBooks', { name: 'One' })).body.id;
  const contacts = await atOnce((at) =>
    call('POST', `/contactBooks/${book}/contacts`, { email: 'one@example.org', firstName: `A${at}` }),
  );
  expect(statusesOf(contacts)).toEqual(ALL_GO);
  expect(new Set(contacts.map(({ body }) => body.contactId)).size).toBe(1);
  const people = Array.from({ length: 50 }, (_, at) => ({ email: `p${at}@example.org` }));
  const bulks = await atOnce((at) =>
    call('POST', `/contactBooks/${book}/contacts/bulk`, at % 2 ? people : people.toReversed()),
  );
  expect(statusesOf(bulks)).toEqual(ALL_GO);
  expect((await call('GET', `/contactBooks/${book}`)).body._count.contacts).toBe(51);
  const suppressed = await atOnce(() => call('POST', '/suppressions', { email: 'one@example.org' }));
  expect(statusesOf(suppressed)).toEqual(ALL_GO);
  expect(new Set(suppressed.map(({ body }) => body.id)).size).toBe(1);
});

test('when several contacts change to the same address, one gets it', async () => {
  const book = (await call('POST', '/contactBooks', { name: 'Moves' })).body.id;
  const ids = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, at) => {
      const { body } = await call('POST', `/contactBooks/${book}/contacts`, { email: `m${at}@example.org` });
      return body.contactId;
    }),
  );
  const answers = await atOnce((at) =>
    call('PUT', `/contactBooks/${book}/contacts/${ids[at]}`, { email: 'same@example.org' }),
  );
  expect(statusesOf(answers)).toEqual(ONE_GOES);
});

test('when several mailboxes become catch-all at the same time, all calls get a response and one mailbox is the catch-all', async () => {
  const boxes = await Promise.all(Array.from({ length: AT_ONCE }, () => world.freshMailbox()));
  for (let round = 0; round < 5; round++) {
    const answers = await atOnce((at) => call('PATCH', `/mailboxes/${boxes[at]!.id}`, { catch_all: true }));
    expect(statusesOf(answers)).toEqual(ALL_GO);
    expect(await countCatchAll()).toBe(1);
  }
  const made = await atOnce((at) =>
    call('POST', '/mailboxes', { address: `all${at}@harbour.test`, catch_all: true }),
  );
  expect(statusesOf(made)).toEqual(ALL_GO);
  expect(await countCatchAll()).toBe(1);
});

async function countCatchAll(): Promise<number> {
  const { body } = await call('GET', '/mailboxes?limit=100');
  return body.items.filter((mailbox: { catch_all: boolean }) => mailbox.catch_all).length;
}

test('concurrent calls do not create more saved replies than the limit', async () => {
  const { id } = await world.freshMailbox();
  const path = `/mailboxes/${id}/saved-replies`;
  const reply = { name: 'Same', html: '<p>Same</p>' };
  for (let at = 0; at < 98; at++) await call('POST', path, reply);
  expect(statusesOf(await atOnce(() => call('POST', path, reply)))).toEqual([200, 200, 400, 400]);
});

test('concurrent calls that schedule, pause, resume or delete a campaign cause no server error', async () => {
  const book = (await call('POST', '/contactBooks', { name: 'News' })).body.id;
  await call('POST', `/contactBooks/${book}/contacts`, { email: 'reader@example.org' });
  const draft = { name: 'N', from: 'n@harbour.test', subject: 'N', contactBookId: book, html: '<p>N</p>' };
  const campaigns = await atOnce(() => call('POST', '/campaigns', draft));
  expect(statusesOf(campaigns)).toEqual(ALL_GO);
  const path = `/campaigns/${campaigns[0]!.body.id}`;
  const later = { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
  expect(statusesOf(await atOnce(() => call('POST', `${path}/schedule`, later)))).toEqual(ALL_GO);
  expect(statusesOf(await atOnce(() => call('POST', `${path}/pause`)))).toEqual(ALL_GO);
  expect(statusesOf(await atOnce(() => call('POST', `${path}/resume`)))).toEqual(ONE_GOES);
  const now = await atOnce(() => call('POST', `${path}/schedule`, {}));
  expect(statusesOf(now)).toEqual(ONE_GOES);
  const ends = await atOnce((at) => call(at % 2 ? 'DELETE' : 'POST', at % 2 ? path : `${path}/pause`));
  expect(ends.filter(({ status }) => status >= 500)).toEqual([]);
});

test('concurrent invitations of one person succeed, and one of concurrent acceptances does', async () => {
  const owner = await setUpOwner(world.server);
  const email = 'newcomer@people.example';
  const invitations = await atOnce(() => owner.call('POST', '/invitations', { email, role: 'member' }));
  expect(statusesOf(invitations)).toEqual(ALL_GO);
  const token = await invite(owner, 'member', email);
  const joins = await atOnce(() =>
    world.server.call('POST', '/auth/accept-invitation', { token, name: 'New', password: PASSWORD }),
  );
  expect(joins.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(joins.filter(({ status }) => status >= 500)).toEqual([]);
});
