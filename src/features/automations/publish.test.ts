import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  LONG,
  openAutomationWorld,
  sentTo,
  untilRun,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const created = { event: 'contact.created' };
const pause = (key: string, time: string) => ({ key, type: 'delay', for: time });

test('a run that is moved to a step that it has visited sends another email', async () => {
  const contactBookId = await addBook();
  const steps = [email('ask'), { key: 'wait', type: 'delay', for: '2 hours', next: 'ask' }];
  const id = await activate({ contactBookId, trigger: created, steps });
  const { address } = await addContact(contactBookId);
  await untilRun(id, { status: 'ACTIVE', step: 'wait' });
  await call('PATCH', `/automations/${id}`, { steps: [email('ask'), LONG] });
  expect(await call('GET', `/automations/${id}/publish-impact`)).toEqual({
    people: 1,
    byStep: [{ key: 'wait', waiting: 1, becomes: 'moved', to: 'ask' }],
    emailsNext24Hours: 1,
  });
  await call('POST', `/automations/${id}/publish`, { runs: 'move' });
  await untilRun(id, { status: 'ACTIVE', step: 'rest', version: 2 });
  await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(2), { timeout: 60_000 });
  const report = await call('GET', `/automations/${id}/report`);
  expect(report.steps[0]).toMatchObject({ key: 'ask', entered: 2, done: 2, email: { sent: 2 } });
});

test('the impact counts the emails of a day: those of each person, and none that come later', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: created, steps: [LONG] });
  await addContact(contactBookId);
  await addContact(contactBookId);
  const bothWait = async () =>
    expect((await call('GET', `/automations/${id}/runs?step=rest`)).items).toHaveLength(2);
  await vi.waitFor(bothWait, { timeout: 60_000 });
  const impactOf = async (steps: object[]) => {
    await call('PATCH', `/automations/${id}`, { steps });
    return (await call('GET', `/automations/${id}/publish-impact`)).emailsNext24Hours;
  };
  const yes = { all: [{ field: 'email', op: 'exists' }] };
  const fork = { key: 'fork', type: 'condition', where: yes, next: { yes: 'two', no: null } };
  expect(await impactOf([LONG, email('one')])).toBe(0);
  expect(await impactOf([pause('rest', '1 second'), email('one')])).toBe(2);
  expect(await impactOf([pause('rest', '1 hour'), email('one'), pause('b', '22 hours'), email('two')])).toBe(
    4,
  );
  expect(await impactOf([pause('rest', '2 hours'), email('one'), pause('b', '23 hours'), email('two')])).toBe(
    2,
  );
  expect(await impactOf([pause('rest', '1 hour'), fork, email('two')])).toBe(2);
  expect(await impactOf([pause('rest', '7 hours'), email('one', { next: 'rest' })])).toBe(6);
});

test('a run that is moved exits as the new version says', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: created, exitOn: [], steps: [LONG] });
  const { contactId } = await addContact(contactBookId);
  await untilRun(id, { status: 'ACTIVE', step: 'rest' });
  await call('PATCH', `/automations/${id}`, { exitOn: ['unsubscribed'] });
  await call('POST', `/automations/${id}/publish`, { runs: 'move' });
  const isWaiting = async () => {
    const { dueAt } = await untilRun(id, { status: 'ACTIVE', step: 'rest', version: 2 });
    expect(new Date(dueAt).getTime()).toBeGreaterThan(Date.now() + 3_600_000);
  };
  await vi.waitFor(isWaiting, { timeout: 60_000 });
  await call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, { subscribed: false });
  const { items } = await call('GET', `/automations/${id}/runs`);
  expect(items[0]).toMatchObject({ status: 'EXITED', reason: 'unsubscribed' });
});

test('publish and resume need no body', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: created, steps: [LONG] });
  await call('PATCH', `/automations/${id}`, { steps: [email('one')] });
  expect(await call('POST', `/automations/${id}/publish`)).toMatchObject({ version: 2 });
  await call('POST', `/automations/${id}/pause`);
  expect(await call('POST', `/automations/${id}/resume`)).toMatchObject({ status: 'ACTIVE' });
});
