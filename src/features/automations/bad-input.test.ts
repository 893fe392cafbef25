import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openWorld,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(() => openWorld({ allowPrivate: false }));
afterAll(closeAutomationWorld);

async function pathsOf(path: string, body: unknown): Promise<string[]> {
  const answer = await world.team.call('POST', path, body);
  expect(answer.status).toBe(400);
  return answer.body.error.issues.map((issue: { path: string }) => issue.path);
}

describe('bad input', () => {
  test.each([
    ['an unknown next', [{ key: 'a', type: 'delay', for: '1 day', next: 'x' }], '/steps/0/next'],
    [
      'a step that nothing leads to',
      [
        { key: 'a', type: 'exit' },
        { key: 'b', type: 'exit' },
      ],
      '/steps/1',
    ],
    ['a quick circle', [{ key: 'a', type: 'delay', for: '59 minutes', next: 'a' }], '/steps/0/next'],
    [
      'the same key twice',
      [
        { key: 'a', type: 'delay', for: '1 day' },
        { key: 'a', type: 'exit' },
      ],
      '/steps/1/key',
    ],
    ['a bad duration', [{ key: 'a', type: 'delay', for: '2 years' }], '/steps/0/for'],
    [
      'an unknown way out',
      [{ key: 'a', type: 'wait', event: 'x', timeout: '1 day', next: { maybe: null } }],
      '/steps/0/next/maybe',
    ],
    [
      'a bad filter',
      [{ key: 'a', type: 'condition', where: { all: [{ field: 'x', op: 'y' }] } }],
      '/steps/0/where/all/0/field',
    ],
  ])('%s is rejected with its path', async (_name, steps, path) => {
    const contactBookId = await addBook();
    const { status, body } = await world.team.call('POST', '/automations', {
      name: 'Bad',
      contactBookId,
      trigger: { event: 'x' },
      steps,
    });
    expect(status).toBe(400);
    expect(body.error.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });

  const bad = { all: [{ field: 'x', op: 'y' }] };
  test.each([
    ['a trigger', { trigger: { event: 'x', where: bad } }, '/trigger/where/all/0/field'],
    ['a trigger by date', { trigger: { date: { at: '09:00' } } }, '/trigger/date/property'],
    ['an exit', { exitOn: ['replied', { event: 'x', where: bad }] }, '/exitOn/1/where/all/0/field'],
    ['a trigger of no kind', { trigger: { color: 'red' } }, '/trigger'],
    ['an exit of no kind', { exitOn: ['bored'] }, '/exitOn/0'],
  ])('what is wrong with %s is named with its path', async (_name, fields, path) => {
    const contactBookId = await addBook();
    expect(await pathsOf('/automations', { name: 'Bad', contactBookId, ...fields })).toEqual([path]);
  });

  test('fields that we do not know are ignored, as everywhere', async () => {
    const steps = [{ key: 'a', type: 'exit', color: 'deep red' }];
    const trigger = { event: 'x', color: 'deep red' };
    const made = await call('POST', '/automations', {
      name: 'Red',
      contactBookId: await addBook(),
      trigger,
      steps,
    });
    expect(made).toMatchObject({ trigger: { event: 'x' }, steps: [{ key: 'a', type: 'exit' }] });
    expect(JSON.stringify(made)).not.toMatch(/color|deep red/);
  });

  test('a rate that is too low for the hours that are left is a warning', async () => {
    const contactBookId = await addBook();
    await addContact(contactBookId);
    await addContact(contactBookId);
    const check = async (to: string) => {
      const steps = [email('a', { quietHours: { from: '22:00', to } })];
      const input = { name: 'Slow', contactBookId, trigger: { event: 'x' }, steps, ratePerMinute: 1 };
      const { id } = await call('POST', '/automations', input);
      return (await call('GET', `/automations/${id}/check`)).warnings.map(
        ({ path }: { path: string }) => path,
      );
    };
    expect(await check('21:59')).toEqual(['/steps/0/quietHours']);
    expect(await check('21:58')).toEqual([]);
  });

  test('a simulation takes the data of an event, or the event as runs show it', async () => {
    const contactBookId = await addBook();
    const { contactId } = await addContact(contactBookId);
    const steps = [email('a', { subject: 'Plan {{event.plan}}' })];
    const { id } = await call('POST', '/automations', { name: 'Plans', contactBookId, steps });
    const data = { plan: 'pro' };
    for (const event of [data, { name: 'ordered', data }, { id: null, name: 'ordered', data }]) {
      const { path } = await call('POST', `/automations/${id}/simulate`, { contactId, event });
      expect(path[0].email.subject).toBe('Plan pro');
    }
  });

  test('wrong data are named by their place in the request, also in a batch of one', async () => {
    await call('PUT', '/event-definitions/defined', { schema: { total: 'number' } });
    const event = { name: 'defined', email: 'a@example.org', data: { total: 'x' } };
    expect(await pathsOf('/events', event)).toEqual(['/data/total']);
    expect(await pathsOf('/events/batch', [event])).toEqual(['/0/data/total']);
  });

  test('a date of an event is a day or a time that exists', async () => {
    await call('PUT', '/event-definitions/dated', { schema: { at: 'date' } });
    const event = { name: 'dated', email: 'a@example.org' };
    for (const at of ['2028-02-29', '2026-11-15T09:30:00Z', null])
      await call('POST', '/events', { ...event, data: { at } });
    for (const at of ['2026-02-30', '2026-11-15T09:30:00', 'soon', 5])
      expect(await pathsOf('/events', { ...event, data: { at } })).toEqual(['/data/at']);
  });

  test('what does not exist is rejected when the automation is activated', async () => {
    const contactBookId = await addBook();
    const steps = [
      email('a', {
        templateId: 'tpl_01kbd8x4zvf7m8rk2q3w5t6y7h',
        from: 'a@other.test',
        topicId: 'top_01kbd8x4zvf7m8rk2q3w5t6y7h',
      }),
    ];
    const { id } = await call('POST', '/automations', {
      name: 'Bad',
      contactBookId,
      trigger: { event: 'x' },
      steps,
    });
    const check = await call('GET', `/automations/${id}/check`);
    expect(check.errors.map(({ path }: { path: string }) => path)).toEqual([
      '/steps/0/templateId',
      '/steps/0/topicId',
      '/steps/0/from',
    ]);
    expect((await world.team.call('POST', `/automations/${id}/activate`)).status).toBe(400);
    expect((await call('GET', `/automations/${id}`)).status).toBe('DRAFT');
  });

  test.each([
    'http://127.0.0.1:9/x',
    'http://localhost/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://2130706433/',
  ])('a webhook step that calls %s is rejected, as webhooks are', async (url) => {
    const contactBookId = await addBook();
    const hook = { key: 'hook', type: 'webhook', url };
    const input = { name: 'Private', contactBookId, trigger: { event: 'x' }, steps: [hook] };
    const { id } = await call('POST', '/automations', input);
    expect((await call('GET', `/automations/${id}/check`)).errors).toMatchObject([
      { path: '/steps/0/url', step: 'hook' },
    ]);
    expect(await pathsOf(`/automations/${id}/activate`, undefined)).toEqual(['/steps/0/url']);
    await call('PATCH', `/automations/${id}`, { steps: [{ ...hook, url: 'https://example.com/x' }] });
    await call('POST', `/automations/${id}/activate`);
    await call('PATCH', `/automations/${id}`, { steps: [hook] });
    expect(await pathsOf(`/automations/${id}/publish`, undefined)).toEqual(['/steps/0/url']);
  });

  test.each([
    ['a name in upper case', { name: 'Order', email: 'a@example.org' }],
    ['a name of our own', { name: 'email.opened', email: 'a@example.org' }],
    ['no person', { name: 'x' }],
    ['two persons', { name: 'x', email: 'a@example.org', contactId: 'con_x' }],
    ['too much data', { name: 'x', email: 'a@example.org', data: { long: 'x'.repeat(16 * 1024) } }],
  ])('an event with %s is rejected', async (_name, event) => {
    expect((await world.team.call('POST', '/events', event)).status).toBe(400);
  });

  test('automations and runs of other teams do not exist', async () => {
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'x' },
      steps: [{ key: 'a', type: 'exit' }],
    });
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/activate'],
      ['GET', '/runs'],
      ['GET', '/report'],
    ])
      expect((await world.other.call(method!, `/automations/${id}${path}`)).status).toBe(404);
  });
});
