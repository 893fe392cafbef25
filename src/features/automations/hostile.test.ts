import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  openAutomationWorld,
  untilRun,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const END = [{ key: 'end', type: 'exit' }];

/** Fails if the automations of other teams stand still. */
async function expectOthersRun(): Promise<void> {
  const { call: callOther } = world.other;
  const { body: book } = await callOther('POST', '/contactBooks', { name: 'Others' });
  await callOther('POST', `/contactBooks/${book.id}/contacts`, { email: 'bystander@example.org' });
  const { body: automation } = await callOther('POST', '/automations', {
    name: 'Bystander',
    contactBookId: book.id,
    trigger: { event: 'pong' },
    steps: END,
  });
  expect((await callOther('POST', `/automations/${automation.id}/activate`)).status).toBe(200);
  await callOther('POST', '/events', { name: 'pong', email: 'bystander@example.org' });
  await vi.waitFor(
    async () => {
      const { body } = await callOther('GET', `/automations/${automation.id}/runs`);
      expect(body.items).toMatchObject([{ status: 'EXITED' }]);
    },
    { timeout: 60_000, interval: 50 },
  );
}

test.each([
  ['a field of our own imports', { importId: 'x' }],
  ['names of JavaScript', JSON.parse('{"__proto__": {"total": 1}, "constructor": 2, "toString": null}')],
  ['values of other types', { total: 'NaN', at: 'infinity', list: [1, { total: '1e999' }] }],
])('an event whose data have %s starts a run and stops nobody', async (_what, data) => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const parts = [
    { field: 'event.total', op: 'greater', value: 1 },
    { field: 'event.at', op: 'before', value: '2026-11-15T09:30:00Z' },
    { field: 'event.__proto__', op: 'exists' },
    { field: 'event.list', op: 'contains', value: '{%_\\' },
    { field: 'properties.__proto__', op: 'notExists' },
  ];
  const id = await activate({
    contactBookId,
    trigger: { event: 'ping', where: { any: [...parts, { field: 'email', op: 'exists' }] } },
    steps: [
      { key: 'look', type: 'condition', where: { any: parts } },
      { key: 'change', type: 'update', properties: JSON.parse('{"__proto__": "{{event.total}}"}') },
      ...END,
    ],
  });
  await call('POST', '/events', { name: 'ping', email: address, data });
  await untilRun(id, { status: 'EXITED' });
  await expectOthersRun();
});

test('an event that cannot be acted on is skipped, and the events around it are not', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const broken = await activate({
    contactBookId,
    trigger: { event: 'bang', where: { all: [{ field: 'email', op: 'exists' }] } },
    steps: END,
  });
  await sql`
    update automation_versions set definition = jsonb_set(definition, '{trigger,where}', '{"all": [{"field": "gone"}]}')
    where definition -> 'trigger' ->> 'event' = 'bang'`.execute(world.server.db);
  const fine = await activate({ contactBookId, trigger: { event: 'ping' }, steps: END });
  await call('POST', '/events/batch', [
    { name: 'bang', email: address },
    { name: 'ping', email: address },
  ]);
  await untilRun(fine, { status: 'EXITED' });
  expect((await call('GET', `/automations/${broken}/runs`)).items).toEqual([]);
  await expectOthersRun();
});

test('an event named like a property of JavaScript is waited for', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const id = await activate({
    contactBookId,
    trigger: { event: 'ping' },
    steps: [{ key: 'a', type: 'wait', event: 'constructor', timeout: '1 day' }, ...END],
  });
  await call('POST', '/events', { name: 'ping', email: address });
  await untilRun(id, { status: 'ACTIVE', step: 'a' });
  await call('POST', '/events', { name: 'constructor', email: address });
  const run = await untilRun(id, { status: 'EXITED' });
  expect(run.history[0]).toMatchObject({ key: 'a', result: 'received' });
  const steps = [{ key: 'constructor', type: 'exit' }];
  const { status } = await world.team.call('POST', '/automations', { name: 'Bad', contactBookId, steps });
  expect(status).toBe(400);
});

test('an address with a brace runs through an automation', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: { event: 'ping' }, steps: END });
  await call('POST', '/events', { name: 'ping', email: 'a{b@example.org', contactBookId });
  await untilRun(id, { status: 'EXITED', email: 'a{b@example.org' });
});

test('an automation that updates the contacts that start it ends', async () => {
  const contactBookId = await addBook();
  const { contactId } = await addContact(contactBookId);
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.updated' },
    reentry: 'always',
    steps: [
      { key: 'change', type: 'update', firstName: '{{firstName}}x' },
      { key: 'wait', type: 'delay', for: '300 days' },
    ],
  });
  await call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, { lastName: 'Hopper' });
  await expectOthersRun();
  const started = async () => (await call('GET', `/automations/${id}/report`)).runs.started;
  await vi.waitFor(async () => expect(await started()).toBe(60), { timeout: 60_000, interval: 200 });
  await expectOthersRun();
  expect(await started()).toBe(60);
}, 120_000);

test('few automations can start with the same event, and a team has a thousand at most', async () => {
  const contactBookId = await addBook();
  const input = { name: 'Many', contactBookId, trigger: { event: 'many' }, steps: END };
  for (let count = 0; count < 20; count += 1) await activate(input);
  const { id } = await call('POST', '/automations', input);
  expect(await world.team.call('POST', `/automations/${id}/activate`)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('At most 20 live automations') } },
  });
  await sql`
    insert into automations (team_id, id, name, contact_book_id, definition)
    select a.team_id, gen_random_uuid(), 'Many', a.contact_book_id, a.definition
    from automations a, generate_series(1, 1000)
    where a.id = (select id from automations where definition -> 'trigger' ->> 'event' = 'many' limit 1)
  `.execute(world.server.db);
  const { status, body } = await world.team.call('POST', '/automations', input);
  expect([status, body.error.message]).toEqual([
    400,
    'A team can have at most 1000 automations. Delete one first.',
  ]);
  expect((await world.team.call('POST', `/automations/${id}/duplicate`)).status).toBe(400);
  await sql`update automations set deleted_at = now() where name = 'Many'`.execute(world.server.db);
}, 120_000);

test('more people than one transaction takes are enrolled, each once', async () => {
  const contactBookId = await addBook();
  const contacts = Array.from({ length: 1_201 }, (_, at) => ({ email: `many${at}@example.org` }));
  await call('POST', `/contactBooks/${contactBookId}/contacts/bulk`, contacts);
  const id = await activate({ contactBookId, trigger: { event: 'never' }, steps: END });
  const enroll = (fields: object) => call('POST', `/automations/${id}/enroll`, fields);
  expect(await enroll({ contactBookId, dryRun: true })).toEqual({ enrolled: 1_201, skipped: {} });
  const people = contacts.slice(0, 600).flatMap(({ email }) => [email, email]);
  await call(
    'POST',
    '/events/batch',
    people.slice(0, 1_000).map((email) => ({ name: 'past', email, contactBookId })),
  );
  const events = { name: 'past', from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  expect(await enroll({ events, dryRun: true })).toEqual({ enrolled: 500, skipped: { reentry: 500 } });
  expect(await enroll({ events })).toEqual({ enrolled: 500, skipped: { reentry: 500 } });
  expect(await enroll({ contactBookId, spreadMinutes: 60 })).toEqual({
    enrolled: 701,
    skipped: { reentry: 500 },
  });
}, 120_000);

async function heldNotices(): Promise<object[]> {
  const { items } = await call('GET', '/notices');
  return items.filter(({ kind }: { kind: string }) => kind === 'automation');
}

test('many people whom a broken step holds cost little, and all go on when it is mended', async () => {
  const people = 700;
  const contactBookId = await addBook();
  const contacts = Array.from({ length: people }, (_, at) => ({ email: `held${at}@example.org` }));
  await call('POST', `/contactBooks/${contactBookId}/contacts/bulk`, contacts);
  const template = { name: 'T', alias: 'greeting', subject: 'Hi', html: '<p>x</p>' };
  const { id: templateId } = await call('POST', '/templates', template);
  const step = { key: 'hello', type: 'email', from: 'Ada <ada@harbour.test>', templateId: 'greeting' };
  const id = await activate({ contactBookId, trigger: { event: 'go' }, steps: [step] });
  await call('DELETE', `/templates/${templateId}`);
  await call('POST', `/automations/${id}/enroll`, { contactBookId });
  await vi.waitFor(
    async () => {
      expect(await heldNotices()).toMatchObject([
        {
          kind: 'automation',
          id,
          message: `${people} people wait in the automation “Welcome” until a step is mended: Template not found.`,
        },
      ]);
    },
    { timeout: 60_000 },
  );
  await expectOthersRun();
  // They are tried less often than each minute. The first one that succeeds releases the others.
  await sql`
    update automation_runs set attempts = 20, due_at = case when no = 1 then now() else now() + interval '1 hour' end
    from (
      select id as run, row_number() over (order by id) as no from automation_runs
      where status = 'ACTIVE' and held_by = 'Template not found'
    ) n
    where id = run`.execute(world.server.db);
  const { rows } = await vi.waitFor(
    async () => {
      const found = await sql<{ later: number }>`
        select extract(epoch from due_at - now())::float8 as later from automation_runs
        where status = 'ACTIVE' and attempts = 21`.execute(world.server.db);
      expect(found.rows).toHaveLength(1);
      return found;
    },
    { timeout: 30_000 },
  );
  expect(rows[0]!.later).toBeGreaterThan(100);
  await call('POST', '/templates', template);
  await sql`update automation_runs set due_at = now() where status = 'ACTIVE' and attempts = 21`.execute(
    world.server.db,
  );
  await vi.waitFor(
    async () => expect((await call('GET', `/automations/${id}/report`)).runs.done).toBe(people),
    { timeout: 60_000 },
  );
  expect(await heldNotices()).toEqual([]);
}, 180_000);
