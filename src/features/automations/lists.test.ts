import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  untilRun,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

test('the list shows how many people and emails each automation has, and finds them by name', async () => {
  const contactBookId = await addBook();
  const pause = { key: 'pause', type: 'delay', for: '1 day' };
  const steps = [email('hello'), { key: 'known', type: 'condition', where: NEVER, next: WAYS }, pause];
  const fields = { contactBookId, trigger: { event: 'go' }, steps, reentry: 'always' };
  const id = await activate({ ...fields, name: 'Spring series' });
  await call('POST', '/automations', { ...fields, name: 'Other' });
  const [one, two] = [await addContact(contactBookId), await addContact(contactBookId)];
  await call('POST', '/events/batch', [
    { name: 'go', email: one.address },
    { name: 'go', email: two.address },
  ]);
  await untilRun(id, { step: 'pause' }, `?contactId=${one.contactId}`);
  const run = await untilRun(id, { step: 'pause' }, `?contactId=${two.contactId}`);
  await call('POST', `/automation-runs/${run.id}/skip-wait`);
  await untilRun(id, { status: 'DONE' }, `?contactId=${two.contactId}`);

  const { items } = await call('GET', '/automations?search=SPRING');
  expect(items).toMatchObject([{ id, counts: { started: 2, active: 1, done: 1, emails: 2 } }]);
  expect((await call('GET', '/automations?search=%25')).items).toEqual([]);

  const ofOne = await call('GET', `/automation-runs?contactId=${one.contactId}`);
  expect(ofOne.items).toMatchObject([{ automationId: id, automationName: 'Spring series', step: 'pause' }]);
  const done = await call('GET', `/automation-runs?contactId=${one.contactId}&status=DONE`);
  expect(done.items).toEqual([]);
  expect((await world.team.call('GET', '/automation-runs')).status).toBe(400);
});

const NEVER = { all: [{ field: 'lastName', op: 'equals', value: 'Nobody' }] };
const WAYS = { yes: null, no: 'pause' };
