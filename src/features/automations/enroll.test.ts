import { afterAll, beforeAll, expect, test } from 'vitest';
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

const END = { key: 'end', type: 'exit' };

test('past events enrol those whom they would have started', async () => {
  const contactBookId = await addBook();
  const [small, large] = [await addContact(contactBookId), await addContact(contactBookId)];
  const orders = [
    { email: small.address, total: 5 },
    { email: large.address, total: 6 },
    { email: large.address, total: 70 },
  ];
  for (const { email, total } of orders)
    await call('POST', '/events', { name: 'ordered', email, data: { total } });
  const where = { all: [{ field: 'event.total', op: 'greater', value: 10 }] };
  const id = await activate({ contactBookId, trigger: { event: 'ordered', where }, steps: [END] });
  const events = { name: 'ordered', from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  const expected = { enrolled: 1, skipped: { not_matching: 2 } };
  expect(await call('POST', `/automations/${id}/enroll`, { events, dryRun: true })).toEqual(expected);
  expect(await call('POST', `/automations/${id}/enroll`, { events })).toEqual(expected);
  const run = await untilRun(id, { status: 'EXITED', email: large.address });
  expect(run.event.data).toEqual({ total: 70 });
});

test('a dry run with an Idempotency-Key starts nothing', async () => {
  const contactBookId = await addBook();
  await addContact(contactBookId);
  const id = await activate({ contactBookId, trigger: { event: 'go' }, steps: [END] });
  const body = { contactBookId, dryRun: true };
  const { body: dry } = await world.team.call('POST', `/automations/${id}/enroll`, body, {
    'idempotency-key': 'try it out',
  });
  expect(dry).toEqual({ enrolled: 1, skipped: {} });
  expect((await call('GET', `/automations/${id}/runs`)).items).toEqual([]);
  expect((await call('GET', `/automations/${id}/report`)).runs.started).toBe(0);
  expect(await call('POST', `/automations/${id}/enroll`, { contactBookId })).toEqual(dry);
});

test('people are enrolled again as the re-entry rule allows', async () => {
  const contactBookId = await addBook();
  const { contactId } = await addContact(contactBookId);
  const input = { contactBookId, trigger: { event: 'go' } };
  const wait = { key: 'wait', type: 'delay', for: '1 day' };
  const enroll = (id: string) => call('POST', `/automations/${id}/enroll`, { contactIds: [contactId] });
  const [yes, no] = [
    { enrolled: 1, skipped: {} },
    { enrolled: 0, skipped: { reentry: 1 } },
  ];

  const once = await activate({ ...input, steps: [END] });
  expect(await enroll(once)).toEqual(yes);
  await untilRun(once, { status: 'EXITED' });
  expect(await enroll(once)).toEqual(no);

  const afterEnd = await activate({ ...input, steps: [wait], reentry: 'after_end' });
  expect(await enroll(afterEnd)).toEqual(yes);
  expect(await enroll(afterEnd)).toEqual(no);
  const { id: runId } = await untilRun(afterEnd, { status: 'ACTIVE' });
  await call('POST', `/automation-runs/${runId}/cancel`);
  expect(await enroll(afterEnd)).toEqual(yes);

  const always = await activate({ ...input, steps: [wait], reentry: 'always' });
  expect([await enroll(always), await enroll(always)]).toEqual([yes, yes]);
});
