import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
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
