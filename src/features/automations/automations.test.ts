import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  sentTo,
  sink,
  untilRun,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);
beforeEach(() => sink.reset());

test('an event starts a run, whose emails have merge tags of contact and event and the headers of a campaign', async () => {
  const contactBookId = await addBook();
  const { address, contactId } = await addContact(contactBookId);
  const id = await activate({
    contactBookId,
    trigger: { event: 'order.placed', where: { all: [{ field: 'event.total', op: 'greater', value: 10 }] } },
    steps: [
      email('thanks', {
        subject: 'Order {{event.no}}',
        html: '<p>{{firstName}} paid {{event.total}} {{event.note}}</p>',
      }),
    ],
  });
  await call('POST', '/events', { name: 'order.placed', email: address, data: { total: 5, no: 1 } });
  const sent = await call('POST', '/events', {
    name: 'order.placed',
    email: address,
    data: { total: 42, no: 2, note: '<b>{{firstName}}</b>' },
    id: `order ${address}`,
  });
  expect(sent).toMatchObject({ name: 'order.placed', contactId, duplicate: false });
  const run = await untilRun(id, { status: 'DONE', contactId, email: address });
  expect(run.event).toMatchObject({ id: sent.id, name: 'order.placed', data: { total: 42 } });
  expect(run.history).toMatchObject([{ key: 'thanks', type: 'email', result: 'sent' }]);
  await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(1), { timeout: 60_000 });
  const [message] = await sentTo(address);
  expect(message!.subject).toBe('Order 2');
  expect(message!.html).toContain('Grace paid 42 &lt;b&gt;{{firstName}}&lt;/b&gt;');
  const headers = new Map(message!.headers.map(({ key, value }) => [key, value]));
  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(headers.get('list-id')).toContain(contactBookId);

  const again = await call('POST', '/events', {
    name: 'order.placed',
    email: address,
    id: `order ${address}`,
  });
  expect(again).toEqual({ ...sent, duplicate: true });
  const report = await call('GET', `/automations/${id}/report`);
  expect(report.runs).toMatchObject({ started: 1, done: 1, active: 0 });
  expect(report.steps[0]).toMatchObject({ key: 'thanks', entered: 1, done: 1, email: { sent: 1 } });
});

test('an email of a step is in the language of the contact, from the step or its template', async () => {
  const contactBookId = await addBook();
  const translations = {
    de: { subject: 'Hallo {{firstName}}', html: '<p>Willkommen</p>' },
    'pt-br': { subject: 'Oi', html: '<p>Bem-vindo</p>' },
  };
  const template = await call('POST', '/templates', {
    name: 'Welcome',
    subject: 'Template',
    html: '<p>Welcome</p>',
    translations: { de: { subject: 'Vorlage', html: '<p>Aus der Vorlage</p>' } },
  });
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      email('own', { subject: 'Hello {{firstName}}', html: '<p>Welcome</p>', translations }),
      email('template', { subject: undefined, html: undefined, templateId: template.id }),
    ],
  });
  const expected = {
    'de-AT': ['Hallo Grace', 'Vorlage'],
    'pt-BR': ['Oi', 'Template'],
    fr: ['Hello Grace', 'Template'],
  };
  for (const [language, subjects] of Object.entries(expected)) {
    const { address, contactId } = await addContact(contactBookId, { properties: { language } });
    await untilRun(id, { status: 'DONE', contactId });
    await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(2), { timeout: 60_000 });
    expect((await sentTo(address)).map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted());
  }
});

test('everyone enters once, unless the automation may be entered again', async () => {
  const contactBookId = await addBook();
  const steps = [{ key: 'end', type: 'exit' }];
  const once = await activate({ contactBookId, trigger: { event: 'ping' }, steps });
  const always = await activate({ contactBookId, trigger: { event: 'ping' }, steps, reentry: 'always' });
  const { address } = await addContact(contactBookId);
  await call(
    'POST',
    '/events/batch',
    [1, 2, 3].map(() => ({ name: 'ping', email: address })),
  );
  await vi.waitFor(
    async () => {
      expect((await call('GET', `/automations/${always}/runs`)).items).toHaveLength(3);
    },
    { timeout: 60_000 },
  );
  expect((await call('GET', `/automations/${once}/runs`)).items).toHaveLength(1);
});

test('delays, conditions and splits lead through the steps', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      { key: 'pause', type: 'delay', for: '1 second' },
      {
        key: 'is-pro',
        type: 'condition',
        where: { all: [{ field: 'properties.plan', op: 'equals', value: 'pro' }] },
        next: { yes: 'mark', no: 'out' },
      },
      {
        key: 'mark',
        type: 'update',
        properties: { seen: '{{firstName}} of {{plan}}' },
        topics: {},
        next: 'share',
      },
      { key: 'share', type: 'split', shares: { a: 0, b: 1 }, next: { a: 'out', b: null } },
      { key: 'out', type: 'exit', reason: 'not for you' },
    ],
  });
  const { contactId } = await addContact(contactBookId, { properties: { plan: 'pro' } });
  const run = await untilRun(id, { status: 'DONE' });
  expect(run.history.map(({ key, result }: { key: string; result: string }) => `${key} ${result}`)).toEqual([
    'pause done',
    'is-pro yes',
    'mark done',
    'share b',
  ]);
  const contact = await call('GET', `/contactBooks/${contactBookId}/contacts/${contactId}`);
  expect(contact.properties).toEqual({ plan: 'pro', seen: 'Grace of pro' });
  await addContact(contactBookId);
  await untilRun(id, { status: 'EXITED', reason: 'not for you' });
});

describe('waits', () => {
  test('an event ends a wait, and one that happened earlier in the run counts', async () => {
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'trial.started' },
      steps: [
        {
          key: 'first',
          type: 'wait',
          event: 'project.created',
          timeout: '1 day',
          next: { received: 'second', timeout: null },
        },
        {
          key: 'second',
          type: 'wait',
          event: 'project.created',
          timeout: '1 day',
          next: { received: 'end', timeout: null },
        },
        { key: 'end', type: 'exit', reason: 'active' },
      ],
    });
    const { address } = await addContact(contactBookId);
    await call('POST', '/events', { name: 'trial.started', email: address });
    await untilRun(id, { status: 'ACTIVE', step: 'first' });
    await call('POST', '/events', { name: 'project.created', email: address });
    await untilRun(id, { status: 'EXITED', reason: 'active' });
  });

  test('a wait can be skipped, and a run cancelled', async () => {
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'start' },
      steps: [
        {
          key: 'wait',
          type: 'wait',
          event: 'never',
          timeout: '3 days',
          next: { received: null, timeout: 'rest' },
        },
        { key: 'rest', type: 'delay', for: '2 weeks' },
      ],
    });
    const { address } = await addContact(contactBookId);
    await call('POST', '/events', { name: 'start', email: address });
    const run = await untilRun(id, { status: 'ACTIVE', step: 'wait' });
    await call('POST', `/automation-runs/${run.id}/skip-wait`);
    await untilRun(id, { status: 'ACTIVE', step: 'rest' });
    expect(await call('POST', `/automation-runs/${run.id}/cancel`)).toMatchObject({ status: 'CANCELLED' });
    expect((await world.team.call('POST', `/automation-runs/${run.id}/cancel`)).status).toBe(409);
  });
});

test('a paused automation keeps the events that start runs, and moves nothing', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [email('hello')],
  });
  await call('POST', `/automations/${id}/pause`);
  const { address } = await addContact(contactBookId);
  await untilRun(id, { status: 'ACTIVE', step: 'hello', heldBy: 'paused' });
  expect(await sentTo(address)).toEqual([]);
  expect(await call('POST', `/automations/${id}/resume`, { overdue: 'now' })).toMatchObject({
    status: 'ACTIVE',
  });
  await untilRun(id, { status: 'DONE' });
});

test('changes of a live automation are a draft, and publishing moves runs by the keys of their steps', async () => {
  const contactBookId = await addBook();
  const steps = [
    { key: 'pause', type: 'delay', for: '3 days' },
    { key: 'old', type: 'exit' },
  ];
  const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
  await addContact(contactBookId);
  await untilRun(id, { status: 'ACTIVE', step: 'pause', version: 1 });
  const draft = await call('PATCH', `/automations/${id}`, {
    steps: [
      { key: 'pause', type: 'delay', for: '1 second' },
      { key: 'new', type: 'exit', reason: 'new way' },
    ],
  });
  expect(draft).toMatchObject({ hasDraft: true, version: 1 });
  const impact = await call('GET', `/automations/${id}/publish-impact`);
  expect(impact).toMatchObject({ people: 1, byStep: [{ key: 'pause', waiting: 1, becomes: 'same' }] });
  expect(await call('POST', `/automations/${id}/publish`, { runs: 'move' })).toMatchObject({
    version: 2,
    hasDraft: false,
  });
  await untilRun(id, { status: 'EXITED', reason: 'new way', version: 2 });
  const { items } = await call('GET', `/automations/${id}/versions`);
  expect(items.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
  expect(await call('POST', `/automations/${id}/versions/1/restore`)).toMatchObject({
    hasDraft: true,
    steps,
  });
});

test('simulating takes the same decisions with a clock of its own, and changes nothing', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const { id } = await call('POST', '/automations', {
    name: 'Trial',
    contactBookId,
    trigger: { event: 'trial.started' },
    steps: [
      email('hello', { subject: 'Plan {{event.plan}}' }),
      { key: 'pause', type: 'delay', for: '3 days' },
      {
        key: 'reply',
        type: 'wait',
        event: 'replied',
        timeout: '1 week',
        next: { received: null, timeout: 'two' },
      },
      email('two'),
    ],
  });
  const input = { email: address, event: { plan: 'pro' }, startAt: '2026-11-01T09:00:00Z' };
  const { path, end } = await call('POST', `/automations/${id}/simulate`, input);
  expect(end).toBe('done');
  expect(path.map(({ key, at, result }: Record<string, string>) => `${key} ${at} ${result}`)).toEqual([
    'hello 2026-11-01T09:00:00.000Z sent',
    'pause 2026-11-04T09:00:00.000Z done',
    'reply 2026-11-11T09:00:00.000Z timeout',
    'two 2026-11-11T09:00:00.000Z sent',
  ]);
  expect(path[0].email).toMatchObject({ subject: 'Plan pro' });
  const assumed = await call('POST', `/automations/${id}/simulate`, {
    ...input,
    assume: { reply: 'received' },
  });
  expect(assumed.path).toHaveLength(3);
  expect(await sentTo(address)).toEqual([]);
});

test('people who are there already are enrolled once, and a dry run starts nothing', async () => {
  const contactBookId = await addBook();
  const known = await addContact(contactBookId);
  await call('POST', '/events', { name: 'signed.up', email: known.address, data: { plan: 'pro' } });
  const id = await activate({
    contactBookId,
    trigger: { event: 'signed.up' },
    steps: [{ key: 'pause', type: 'delay', for: '1 day' }],
  });
  const dry = await call('POST', `/automations/${id}/enroll`, { contactBookId, dryRun: true });
  expect(dry).toEqual({ enrolled: 1, skipped: {} });
  expect((await call('GET', `/automations/${id}/runs`)).items).toEqual([]);
  const events = { name: 'signed.up', from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  expect(await call('POST', `/automations/${id}/enroll`, { events })).toEqual({ enrolled: 1, skipped: {} });
  const again = await call('POST', `/automations/${id}/enroll`, { contactIds: [known.contactId] });
  expect(again).toEqual({ enrolled: 0, skipped: { reentry: 1 } });
  const { sentences } = await call('GET', `/automations/${id}/explain?email=${known.address}`);
  expect(sentences.join(' ')).toMatch(/Entered on .* by the event signed.up/);
});

test('a step whose template was deleted holds the run until it is mended', async () => {
  const contactBookId = await addBook();
  const { id: templateId } = await call('POST', '/templates', { name: 'T', subject: 'Hi', html: '<p>x</p>' });
  const steps = [email('hello', { templateId, subject: undefined, html: undefined })];
  const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
  await call('DELETE', `/templates/${templateId}`);
  await addContact(contactBookId);
  const run = await untilRun(id, {
    status: 'ACTIVE',
    step: 'hello',
    heldBy: expect.stringContaining('Template'),
  });
  await call('PATCH', `/automations/${id}`, { steps: [email('hello')] });
  await call('POST', `/automations/${id}/publish`, { runs: 'move' });
  await untilRun(id, { id: run.id, status: 'DONE' });
});

test('a template that was edited to need a value holds the run until it is mended', async () => {
  const contactBookId = await addBook();
  const template = {
    name: 'T',
    subject: 'Your {{plan}}',
    html: '<p>{{plan}} {{firstName}} {{event.seats}}</p>',
  };
  const { id: templateId } = await call('POST', '/templates', template);
  const step = { templateId, subject: undefined, html: undefined, variables: { plan: 'Pro' } };
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [email('hello', step)],
  });
  await addContact(contactBookId);
  const first = await untilRun(id, { status: 'DONE' });
  await call('PATCH', `/templates/${templateId}`, { html: '<p>{{plan}} until {{ends_on}}</p>' });
  await addContact(contactBookId);
  const heldBy = expect.stringContaining('no value for {{ends_on}}');
  const held = await untilRun(id, { status: 'ACTIVE', step: 'hello', heldBy });
  await call('PATCH', `/templates/${templateId}`, {
    html: '<p>{{plan}} until {{ends_on,fallback=May}}{% if note %}{{note}}{% endif %}</p>',
  });
  await untilRun(id, { id: held.id, status: 'DONE' });
  expect(held.id).not.toBe(first.id);
});
