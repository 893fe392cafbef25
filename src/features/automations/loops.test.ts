/** What goes round, in one automation and between several, comes to an end. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  LONG,
  openAutomationWorld,
  untilRun,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const POLLED = { timeout: 60_000 };

const step = (key: string) => ({ ...LONG, key });

async function startedOf(automationId: string): Promise<number> {
  return (await call('GET', `/automations/${automationId}/report`)).runs.started;
}

test('two automations that start each other end', async () => {
  const contactBookId = await addBook();
  const { contactId } = await addContact(contactBookId);
  const onTurn = (turn: string, next: string) =>
    activate({
      contactBookId,
      trigger: {
        event: 'contact.updated',
        where: { all: [{ field: 'properties.turn', op: 'equals', value: turn }] },
      },
      reentry: 'always',
      steps: [{ key: 'pass', type: 'update', properties: { turn: next, count: '{{count}}x' } }, LONG],
    });
  const [ping, pong] = [await onTurn('ping', 'pong'), await onTurn('pong', 'ping')];
  const after = await activate({ contactBookId, trigger: { event: 'after' }, steps: [LONG] });
  await call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, {
    properties: { turn: 'ping' },
  });
  // The first of the two that may not start again ends both.
  await expect.poll(async () => [await startedOf(ping), await startedOf(pong)], POLLED).toEqual([60, 60]);
  await call('POST', '/events', { name: 'after', contactId });
  await untilRun(after, { status: 'ACTIVE' });
  expect([await startedOf(ping), await startedOf(pong)]).toEqual([60, 60]);
}, 120_000);

test('events that an application sends start a run each, as often as it sends them', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const steps = [{ key: 'end', type: 'exit' }];
  const id = await activate({ contactBookId, trigger: { event: 'tick' }, reentry: 'always', steps });
  await call(
    'POST',
    '/events/batch',
    Array.from({ length: 100 }, () => ({ name: 'tick', email: address })),
  );
  await expect.poll(() => startedOf(id), POLLED).toBe(100);
}, 120_000);

test('a run ends after 10,000 steps, and counts as failed once, however often it is retried', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const wait = { key: 'wait', type: 'delay', for: '2 hours', next: 'look' };
  const look = { key: 'look', type: 'condition', where: { all: [{ field: 'email', op: 'exists' }] } };
  const id = await activate({ contactBookId, trigger: { event: 'round' }, steps: [look, wait] });
  await call('POST', '/events', { name: 'round', email: address });
  const run = await untilRun(id, { status: 'ACTIVE', step: 'wait' });
  await sql`update automation_runs set steps_done = 9998 where step = 'wait'`.execute(world.server.db);
  await call('POST', `/automation-runs/${run.id}/skip-wait`);
  await untilRun(id, { status: 'FAILED', reason: 'too_long', step: null });
  await call('POST', `/automation-runs/${run.id}/retry`);
  const reportOf = async () => (await call('GET', `/automations/${id}/report`)).runs;
  await expect.poll(reportOf, POLLED).toMatchObject({ started: 1, active: 0, failed: 1 });
});

test('who was moved by one publication is moved by the next, though it comes at once', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const id = await activate({
    contactBookId,
    trigger: { event: 'go' },
    steps: [step('a'), step('b'), step('c')],
  });
  await call('POST', '/events', { name: 'go', email: address });
  const { id: runId } = await untilRun(id, { status: 'ACTIVE', step: 'a' });
  const publish = async (steps: object[]) => {
    await call('PATCH', `/automations/${id}`, { steps });
    return call('POST', `/automations/${id}/publish`, { runs: 'move' });
  };
  await publish([step('b'), step('c')]);
  await publish([step('c')]);
  expect(await call('GET', `/automation-runs/${runId}`)).toMatchObject({
    status: 'ACTIVE',
    step: 'c',
    version: 3,
  });
  const twice = await world.team.call('POST', `/automations/${id}/publish`, { runs: 'move' });
  expect(twice.status).toBe(409);
  await publish([{ key: 'd', type: 'exit' }]);
  expect(await call('GET', `/automation-runs/${runId}`)).toMatchObject({
    status: 'EXITED',
    reason: 'step_removed',
  });
});

test('an automation that was closed when it was paused is closed when it is resumed, and takes nobody', async () => {
  const contactBookId = await addBook();
  const { address } = await addContact(contactBookId);
  const id = await activate({ contactBookId, trigger: { event: 'go' }, steps: [LONG] });
  const other = await activate({ contactBookId, trigger: { event: 'go' }, steps: [LONG] });
  await call('POST', `/automations/${id}/close`);
  await call('POST', `/automations/${id}/pause`);
  await call('POST', '/events', { name: 'go', email: address });
  await untilRun(other, { status: 'ACTIVE' });
  expect(await call('POST', `/automations/${id}/resume`)).toMatchObject({ status: 'CLOSED' });
  expect(await startedOf(id)).toBe(0);
});
