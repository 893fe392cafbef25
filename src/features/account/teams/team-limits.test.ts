import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_TEAM_LIMITS, type LimitedNoun } from '../../instance/facts.ts';
import { makePng } from '../../../testing/images.ts';
import {
  startTestServer,
  type Answer,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';

const LIMIT = 3;
const limits = Object.keys(DEFAULT_TEAM_LIMITS).map((noun) => `${noun}=${LIMIT}`);

let server: TestServer;
let team: TestTeam;
let contactBookId: string;
let mailboxId: string;
let templateId: string;

beforeAll(async () => {
  server = await startTestServer({ env: { TEAM_LIMITS: limits.join(', ') } });
  team = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(server.db);
  contactBookId = (await team.call('POST', '/contactBooks', { name: 'Book' })).body.id;
  templateId = (await team.call('POST', '/templates', { name: 'Feed', html: '<p>x</p>' })).body.id;
  mailboxId = (await team.call('POST', '/mailboxes', { address: 'box@shop.test' })).body.id;
});
afterAll(() => server.close());

const filter = { all: [{ field: 'properties.city', op: 'equals', value: 'London' }] };

/** Creates one more of the noun under a unique name. */
const CREATE: Record<LimitedNoun, (no: number) => Promise<Answer>> = {
  domains: (no) => team.call('POST', '/domains', { name: `d${no}.test` }),
  mailboxes: (no) => team.call('POST', '/mailboxes', { address: `box${no}@shop.test` }),
  drafts: () => team.call('POST', `/mailboxes/${mailboxId}/drafts`, { subject: 'x' }),
  contactBooks: (no) => team.call('POST', '/contactBooks', { name: `Book ${no}` }),
  contactImports: (no) =>
    team.call('POST', `/contactBooks/${contactBookId}/imports`, `email\na${no}@example.org\n`, {
      'content-type': 'text/csv',
    }),
  segments: (no) => team.call('POST', '/segments', { name: `S ${no}`, contactBookId, filter }),
  forms: (no) => team.call('POST', '/forms', { name: `F ${no}`, contactBookId }),
  topics: (no) => team.call('POST', '/topics', { name: `T ${no}` }),
  templates: (no) => team.call('POST', '/templates', { name: `T ${no}`, subject: 'x', html: '<p>x</p>' }),
  media: (no) => team.call('POST', '/media', makePng(1, 1, [no, 0, 0]), { 'content-type': 'image/png' }),
  campaigns: (no) =>
    team.call('POST', '/campaigns', {
      name: `C ${no}`,
      from: 'a@shop.test',
      subject: 'x',
      contactBookId,
      html: '<p>x</p>',
    }),
  feeds: (no) =>
    team.call('POST', '/feeds', {
      url: `https://feeds.example/${no}`,
      contactBookId,
      templateId,
      from: 'a@shop.test',
    }),
  automations: (no) => team.call('POST', '/automations', { name: `A ${no}`, contactBookId }),
  suppressions: (no) => team.call('POST', '/suppressions', { email: `s${no}@example.org` }),
  apiKeys: (no) => team.call('POST', '/api-keys', { name: `K ${no}`, permission: 'sending' }),
  sendPolicies: (no) => team.call('POST', '/send-policies', { name: `Policy ${no}`, mode: 'free' }),
  webhooks: (no) => team.call('POST', '/webhooks', { url: `https://example.com/${no}`, events: ['*'] }),
  members: (no) => team.call('POST', '/invitations', { email: `m${no}@example.org`, role: 'member' }),
};

test.each(Object.keys(CREATE) as LimitedNoun[])(
  'the limit on %s holds for concurrent requests too',
  async (noun) => {
    const answers = await Promise.all(Array.from({ length: LIMIT + 3 }, (_, no) => CREATE[noun](no)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 400]));
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
      expect(body.error.message).toMatch(/^Your team has reached the limit of 3 .*TEAM_LIMITS/);
    }
    // The setup created one key, domain, book, mailbox and template.
    const before = ['apiKeys', 'domains', 'contactBooks', 'mailboxes', 'templates'].includes(noun) ? 1 : 0;
    expect(answers.length - refused.length).toBe(LIMIT - before);
    expect((await CREATE[noun](100)).status).toBe(400);
  },
);

test('a conflict takes precedence over the limit, and a deletion frees a slot', async () => {
  expect((await team.call('POST', '/domains', { name: 'shop.test' })).status).toBe(409);
  expect((await team.call('POST', '/mailboxes', { address: 'box@shop.test' })).status).toBe(409);
  const unknown = { name: 'x', contactBookId: 'cbk_00000000000000000000000000', filter };
  expect((await team.call('POST', '/segments', unknown)).status).toBe(404);
  // Adding an existing suppression again does not raise the count.
  const { items } = (await team.call('GET', '/suppressions')).body;
  expect((await team.call('POST', '/suppressions', { email: items[0].email })).status).toBe(200);

  const { body } = await team.call('GET', '/topics');
  await team.call('DELETE', `/topics/${body.items[0].id}`);
  expect((await CREATE.topics(200)).status).toBe(200);
  expect((await CREATE.topics(201)).status).toBe(400);
});

test('a request rejected by the limit does not use up its Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'limit' };
  expect((await team.call('POST', '/topics', { name: 'Later' }, key)).status).toBe(400);
  const { body } = await team.call('GET', '/topics');
  await team.call('DELETE', `/topics/${body.items[0].id}`);
  expect((await team.call('POST', '/topics', { name: 'Later' }, key)).status).toBe(200);
});
