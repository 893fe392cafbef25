import type { Resend } from 'resend';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from 'kysely';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;
let teams = 0;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  resend = connectResend(server, team.key);
  await team.call('POST', '/domains', { name: `shop${(teams += 1)}.test` });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
});

const INVALID = { statusCode: 422 };
const MISSING = { statusCode: 404, name: 'not_found' };

type Steps = Parameters<Resend['automations']['create']>[0]['steps'];
type Connections = Parameters<Resend['automations']['create']>[0]['connections'];

const START = { key: 'start', type: 'trigger' as const, config: { eventName: 'user.created' } };

async function welcome() {
  const template = (
    await resend.templates.create({ name: 'Hi', subject: 'Hi', html: '<p>Hi {{{plan}}}</p>' })
  ).data!;
  const segment = (await resend.segments.create({ name: 'VIP' })).data!;
  const steps: Steps = [
    START,
    { key: 'pause', type: 'delay', config: { duration: '1 second' } },
    {
      key: 'is-pro',
      type: 'condition',
      config: {
        type: 'or',
        rules: [
          { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' },
          {
            type: 'and',
            rules: [
              { type: 'rule', field: 'event.seats', operator: 'gte', value: 10 },
              { type: 'rule', field: 'contact.unsubscribed', operator: 'eq', value: false },
              { type: 'rule', field: 'contact.email', operator: 'ends_with', value: '.org' },
            ],
          },
        ],
      },
    },
    {
      key: 'hello',
      type: 'send_email',
      config: {
        template: { id: template.id, variables: { plan: { var: 'event.plan' }, seats: 3 } },
        subject: 'Welcome',
        from: `Ada <ada@shop${teams}.test>`,
        replyTo: `help@shop${teams}.test`,
      },
    },
    { key: 'vip', type: 'add_to_segment', config: { segmentId: segment.id } },
    {
      key: 'name',
      type: 'contact_update',
      config: {
        firstName: { var: 'event.name' },
        lastName: null,
        properties: { plan: { var: 'event.plan' } },
      },
    },
    {
      key: 'login',
      type: 'wait_for_event',
      config: {
        eventName: 'user.login',
        timeout: '3 days',
        filterRule: { type: 'rule', field: 'event.device', operator: 'exists' },
      },
    },
  ];
  const connections: Connections = [
    { from: 'start', to: 'pause', type: 'default' },
    { from: 'pause', to: 'is-pro', type: 'default' },
    { from: 'is-pro', to: 'hello', type: 'condition_met' },
    { from: 'is-pro', to: 'vip', type: 'condition_not_met' },
    { from: 'hello', to: 'vip', type: 'default' },
    { from: 'vip', to: 'name', type: 'default' },
    { from: 'name', to: 'login', type: 'default' },
  ];
  return { steps, connections, segment };
}

/** As the API shows them. */
function toSnake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnake);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toSnake(each),
    ]),
  );
}

test('an automation is created, shown as it was given, changed, duplicated, stopped and removed', async () => {
  const { steps, connections } = await welcome();
  const { data: created, error } = await resend.automations.create({ name: 'Welcome', steps, connections });
  expect(error).toBeNull();
  expect(created).toEqual({ object: 'automation', id: expect.stringMatching(/^aut_/) });
  const { id } = created!;
  const { data: shown } = await resend.automations.get(id);
  expect(shown).toEqual({
    object: 'automation',
    id,
    name: 'Welcome',
    status: 'disabled',
    created_at: expect.any(String),
    updated_at: expect.any(String),
    steps: toSnake(steps),
    connections,
  });
  expect((await team.call('GET', `/automations/${id}`)).body).toMatchObject({
    reentry: 'always',
    exitOn: [],
    status: 'DRAFT',
  });
  expect((await resend.automations.list({ status: 'enabled' })).data).toEqual({
    object: 'list',
    has_more: false,
    data: [],
  });
  expect((await resend.automations.update(id, { status: 'enabled', name: 'Hello' })).data).toEqual(created);
  expect((await resend.automations.list({ status: 'enabled' })).data!.data).toMatchObject([
    { id, name: 'Hello', status: 'enabled' },
  ]);
  const changed = { steps: [START], connections: [] };
  expect((await resend.automations.update(id, changed)).error).toMatchObject(INVALID);
  const short = {
    steps: [START, { key: 'end', type: 'delay' as const, config: { duration: '2 days' } }],
    connections: [{ from: 'start', to: 'end' }],
  };
  expect((await resend.automations.update(id, short)).error).toBeNull();
  expect((await team.call('GET', `/automations/${id}`)).body).toMatchObject({ version: 2, hasDraft: false });
  const copy = (await resend.automations.duplicate(id)).data!;
  expect((await resend.automations.get(copy.id)).data).toMatchObject({
    status: 'disabled',
    steps: [{ key: 'start' }, { key: 'end' }],
    connections: [{ from: 'start', to: 'end', type: 'default' }],
  });
  expect((await resend.automations.stop(id)).data).toEqual({ object: 'automation', id, status: 'disabled' });
  expect((await team.call('GET', `/automations/${id}`)).body.status).toBe('PAUSED');
  await resend.automations.update(id, { status: 'enabled' });
  expect((await team.call('GET', `/automations/${id}`)).body.status).toBe('ACTIVE');
  expect((await resend.automations.remove(id)).data).toEqual({ object: 'automation', id, deleted: true });
  expect((await resend.automations.get(id)).error).toMatchObject(MISSING);
  const other = connectResend(server, (await server.createTeam()).key);
  expect((await other.automations.get(copy.id)).error).toMatchObject(MISSING);
});

test('an event starts a run of someone who becomes a contact, and the run is shown', async () => {
  const { steps, connections, segment } = await welcome();
  const { data, error } = await resend.automations.create({
    name: 'Welcome',
    status: 'enabled',
    steps,
    connections,
  });
  expect(error).toBeNull();
  const automationId = data!.id;
  const payload = { plan: 'pro', name: 'Ada' };
  expect(
    (await resend.events.send({ event: 'user.created', email: 'ada@example.com', payload })).data,
  ).toEqual({
    object: 'event',
    event: 'user.created',
  });
  const runId = await vi.waitFor(
    async () => {
      const { data: runs } = await resend.automations.runs.list({
        automationId,
        status: ['running', 'failed'],
      });
      expect(runs!.data).toMatchObject([{ status: 'running', completed_at: null }]);
      return runs!.data[0]!.id;
    },
    { timeout: 30_000 },
  );
  await vi.waitFor(
    async () => {
      const { data: run } = await resend.automations.runs.get({ automationId, runId });
      expect(run!.steps.map(({ key, type, status }) => [key, type, status])).toEqual([
        ['start', 'trigger', 'completed'],
        ['pause', 'delay', 'completed'],
        ['is-pro', 'condition', 'completed'],
        ['hello', 'send_email', 'completed'],
        ['vip', 'add_to_segment', 'completed'],
        ['name', 'contact_update', 'completed'],
        ['login', 'wait_for_event', 'waiting'],
      ]);
      expect(run!.steps[3]!.output).toMatchObject({ email_id: expect.stringMatching(/^eml_/) });
    },
    { timeout: 30_000 },
  );
  const { data: contact } = await resend.contacts.get({ email: 'ada@example.com' });
  expect(contact).toMatchObject({ first_name: 'Ada', properties: { plan: { value: 'pro' } } });
  expect((await resend.contacts.segments.list({ contactId: contact!.id })).data!.data).toMatchObject([
    { id: segment.id },
  ]);
  await resend.events.send({ event: 'user.login', contactId: contact!.id, payload: {} });
  await resend.events.send({ event: 'user.login', contactId: contact!.id, payload: { device: 'phone' } });
  await vi.waitFor(
    async () => {
      const { data: runs } = await resend.automations.runs.list({ automationId, status: 'completed' });
      expect(runs!.data).toMatchObject([{ id: runId, completed_at: expect.any(String) }]);
    },
    { timeout: 30_000 },
  );
  const { error: wrong } = await resend.automations.runs.get({
    automationId: 'aut_01kbd8x4zvf7m8rk2q3w5t6y7h',
    runId,
  });
  expect(wrong).toMatchObject(MISSING);
});

test('definitions of events are created, listed, changed and removed, and hold', async () => {
  const schema = { total: 'number', at: 'date' } as const;
  expect((await resend.events.create({ name: 'order.placed', schema })).data).toEqual({
    object: 'event',
    id: 'order.placed',
  });
  expect((await resend.events.create({ name: 'order.placed' })).error).toMatchObject({ statusCode: 409 });
  await resend.events.create({ name: 'order.paid', schema: null });
  const first = (await resend.events.list({ limit: 1 })).data!;
  expect(first).toMatchObject({
    object: 'list',
    has_more: true,
    data: [{ name: 'order.paid', schema: null }],
  });
  const rest = (await resend.events.list({ after: first.data[0]!.id })).data!;
  expect(rest).toMatchObject({ has_more: false, data: [{ id: 'order.placed', schema }] });
  expect((await resend.events.get('order.placed')).data).toMatchObject({ object: 'event', schema });
  const wrong = { event: 'order.placed', email: 'ada@example.com', payload: { total: 'many' } };
  expect((await resend.events.send(wrong)).error).toMatchObject(INVALID);
  expect((await resend.events.update('order.placed', { schema: null })).data).toMatchObject({
    object: 'event',
  });
  expect((await resend.events.send(wrong)).error).toBeNull();
  expect((await resend.events.remove('order.placed')).data).toMatchObject({ deleted: true });
  expect((await resend.events.get('order.placed')).error).toMatchObject(MISSING);
  expect((await resend.events.update('order.placed', { schema: null })).error).toMatchObject(MISSING);
});

test.each([
  ['no trigger', [{ key: 'a', type: 'delay', config: { duration: '1 day' } }], [], 'steps'],
  ['an unknown step', [START], [{ from: 'start', to: 'gone' }], 'connections.0.to'],
  [
    'a way out that the step does not have',
    [START, { key: 'a', type: 'delay', config: { duration: '1 day' } }],
    [
      { from: 'start', to: 'a' },
      { from: 'a', to: 'a', type: 'timeout' },
    ],
    'connections.1.type',
  ],
  [
    'a step that nothing leads to',
    [START, { key: 'a', type: 'delay', config: { duration: '1 day' } }],
    [],
    'connections',
  ],
  [
    'two ways at once',
    [
      START,
      { key: 'a', type: 'delay', config: { duration: '1 day' } },
      { key: 'b', type: 'delay', config: { duration: '1 day' } },
    ],
    [
      { from: 'start', to: 'a' },
      { from: 'start', to: 'b' },
    ],
    'connections.1',
  ],
  ['an event of ours', [{ ...START, config: { eventName: 'email.openned' } }], [], 'trigger'],
  [
    'a contact that is deleted',
    [START, { key: 'a', type: 'contact_delete', config: {} }],
    [{ from: 'start', to: 'a' }],
    'steps.1.type',
  ],
  [
    'a segment that is a filter',
    [START, { key: 'a', type: 'add_to_segment', config: { segmentId: 'FILTER' } }],
    [{ from: 'start', to: 'a' }],
    'steps.1.config.segment_id',
  ],
  [
    'an unknown operator',
    [
      START,
      { key: 'a', type: 'condition', config: { type: 'rule', field: 'event.x', operator: 'like', value: 1 } },
    ],
    [{ from: 'start', to: 'a' }],
    'steps.1.config.operator',
  ],
])('%s is rejected with 422, and nothing is stored', async (_name, steps, connections, path) => {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Contacts' });
  const { body: filter } = await team.call('POST', '/segments', {
    name: 'Filter',
    contactBookId: book.id,
    filter: { all: [{ field: 'email', op: 'exists' }] },
  });
  const given = JSON.parse(JSON.stringify(steps).replace('FILTER', filter.id)) as Steps;
  const { error } = await resend.automations.create({
    name: 'Bad',
    status: 'enabled',
    steps: given,
    connections: connections as Connections,
  });
  expect(error).toMatchObject(INVALID);
  expect(error!.message).toContain(path);
  expect((await resend.automations.list()).data!.data).toEqual([]);
});
