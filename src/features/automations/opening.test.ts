import { sql } from 'kysely';
import { pino } from 'pino';
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
import { lookAtContacts } from './engine/look-at-contacts.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const steps = [{ key: 'end', type: 'exit' }];

/** The reader of the stream cannot read while this runs. */
async function whileReaderLags<Result>(act: () => Promise<Result>): Promise<Result> {
  return world.server.db.transaction().execute(async (trx) => {
    await sql`select from stream_readers where name = 'automations' for update`.execute(trx);
    return act();
  });
}

async function peopleOf(automationId: string): Promise<string[]> {
  const { items } = await call('GET', `/automations/${automationId}/runs`);
  return items.map((run: { email: string }) => run.email);
}

test('what happened before the activation starts nobody, though it is read later', async () => {
  const contactBookId = await addBook();
  const id = await whileReaderLags(async () => {
    await addContact(contactBookId);
    return activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
  });
  const { address } = await addContact(contactBookId);
  await untilRun(id, { email: address });
  expect(await peopleOf(id)).toEqual([address]);
});

test('what happened while it was closed starts nobody when it is opened again', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
  await call('POST', `/automations/${id}/close`);
  await whileReaderLags(async () => {
    await addContact(contactBookId);
    await call('POST', `/automations/${id}/activate`);
  });
  const { address } = await addContact(contactBookId);
  await untilRun(id, { email: address });
  expect(await peopleOf(id)).toEqual([address]);
});

test('what happened while it was paused starts runs', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
  await call('POST', `/automations/${id}/pause`);
  const { address } = await whileReaderLags(async () => {
    const contact = await addContact(contactBookId);
    await call('POST', `/automations/${id}/resume`, {});
    return contact;
  });
  await untilRun(id, { email: address });
});

test('an event before the publication of a new trigger starts nobody, and one of the same trigger does', async () => {
  const contactBookId = await addBook();
  const [early, late] = [await addContact(contactBookId), await addContact(contactBookId)];
  const id = await activate({ contactBookId, trigger: { event: 'first' }, steps });
  const publish = async (changes: object) => {
    await call('PATCH', `/automations/${id}`, changes);
    await call('POST', `/automations/${id}/publish`, {});
  };
  await whileReaderLags(async () => {
    await call('POST', '/events', { name: 'second', email: early.address });
    await publish({ trigger: { event: 'second' } });
    await call('POST', '/events', { name: 'second', email: late.address });
    await publish({ reentry: 'always' });
  });
  await untilRun(id, { email: late.address });
  expect(await peopleOf(id)).toEqual([late.address]);
});

test('contacts that began to match a segment while it was closed start no run', async () => {
  const contactBookId = await addBook();
  const filter = { all: [{ field: 'firstName', op: 'equals', value: 'Vip' }] };
  const { id: segmentId } = await call('POST', '/segments', { name: 'Vip', contactBookId, filter });
  const id = await activate({ contactBookId, trigger: { segmentId }, steps });
  await call('POST', `/automations/${id}/close`);
  await addContact(contactBookId, { firstName: 'Vip' });
  await call('POST', `/automations/${id}/activate`);
  const { address } = await addContact(contactBookId, { firstName: 'Vip' });
  await sql`update automations set looked_at = looked_at - interval '1 minute'`.execute(world.server.db);
  await lookAtContacts(world.server.db, pino({ level: 'silent' }));
  await untilRun(id, { email: address });
  expect(await peopleOf(id)).toEqual([address]);
});
