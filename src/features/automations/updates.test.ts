import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  sentTo,
  untilRun,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const GREETING = { subject: 'Hello {{firstName}}', html: '<p>You are {{plan,fallback=nothing}}.</p>' };

function resultsOf(steps: { key: string; result: string }[]): string[] {
  return steps.map(({ key, result }) => `${key} ${result}`);
}

test('an email after an update has the new values, in the run and in the simulation', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'go' },
    steps: [
      { key: 'change', type: 'update', firstName: 'Bea', properties: { plan: 'pro' } },
      {
        key: 'is-pro',
        type: 'condition',
        where: { all: [{ field: 'properties.plan', op: 'equals', value: 'pro' }] },
        next: { yes: 'hello', no: null },
      },
      email('hello', GREETING),
    ],
  });
  const { address, contactId } = await addContact(contactBookId);
  const simulation = await call('POST', `/automations/${id}/simulate`, { email: address });
  const expected = ['change done', 'is-pro yes', 'hello sent'];
  expect(resultsOf(simulation.path)).toEqual(expected);
  expect(simulation.path[2].email.subject).toBe('Hello Bea');
  const untouched = await call('GET', `/contactBooks/${contactBookId}/contacts/${contactId}`);
  expect(untouched).toMatchObject({ firstName: 'Grace', properties: {} });
  await call('POST', '/events', { name: 'go', email: address });
  const run = await untilRun(id, { status: 'DONE' });
  expect(resultsOf(run.history)).toEqual(expected);
  await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(1), { timeout: 60_000 });
  const [message] = await sentTo(address);
  expect([message!.subject, message!.html]).toEqual(['Hello Bea', expect.stringContaining('You are pro.')]);
});

test('a run whose step unsubscribes the contact ends there, as does another run that is due with it', async () => {
  const contactBookId = await addBook();
  const input = { contactBookId, trigger: { event: 'go' } };
  const leave = { key: 'leave', type: 'update', subscribed: false };
  const id = await activate({ ...input, steps: [leave, email('hello')] });
  const stays = await activate({ ...input, exitOn: [], steps: [leave, email('hello')] });
  const other = await activate({
    ...input,
    steps: [{ key: 'pause', type: 'delay', for: '2 seconds' }, email('hello')],
  });
  const { address } = await addContact(contactBookId);
  const simulation = await call('POST', `/automations/${id}/simulate`, { email: address });
  expect(simulation).toMatchObject({ path: [{ key: 'leave', result: 'done' }], end: 'exited: unsubscribed' });
  await call('POST', '/events', { name: 'go', email: address });
  const run = await untilRun(id, { status: 'EXITED', reason: 'unsubscribed' });
  expect(resultsOf(run.history)).toEqual(['leave done']);
  const skipped = await untilRun(stays, { status: 'DONE' });
  expect(resultsOf(skipped.history)).toEqual(['leave done', 'hello skipped: unsubscribed']);
  await untilRun(other, { status: 'EXITED', reason: 'unsubscribed' });
  const report = await call('GET', `/automations/${id}/report`);
  expect(report).toMatchObject({ runs: { exited: 1, active: 0 }, exits: { unsubscribed: 1 } });
  expect(await sentTo(address)).toEqual([]);
});
