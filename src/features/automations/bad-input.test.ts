import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  activate,
  addBook,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

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
    ['an unknown field', [{ key: 'a', type: 'exit', color: 'red' }], '/steps/0/color'],
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
