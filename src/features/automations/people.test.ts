/** What becomes of runs when their people change, are in several books, or are erased. */
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DAY_MS } from '../../platform/durations.ts';
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
  world,
} from '../../testing/fixtures/automation-world.ts';
import { lookAtContacts } from './engine/look-at-contacts.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const POLLED = { timeout: 60_000 };

async function runsOf(automationId: string) {
  return (await call('GET', `/automations/${automationId}/runs`)).items;
}

test('concurrent events of one person start one run, and the same event starts it once', async () => {
  const contactBookId = await addBook();
  const steps = [LONG];
  const afterEnd = await activate({ contactBookId, trigger: { event: 'go' }, steps, reentry: 'after_end' });
  const always = await activate({ contactBookId, trigger: { event: 'go' }, steps, reentry: 'always' });
  const { address } = await addContact(contactBookId);
  const ids = ['a', 'a', 'b', 'b', 'c'].map((name) => `${name} ${address}`);
  const answers = await Promise.all(
    ids.map((id) => call('POST', '/events', { name: 'go', email: address, id })),
  );
  expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(2);
  await vi.waitFor(async () => expect(await runsOf(always)).toHaveLength(3), { timeout: 60_000 });
  const [run, ...others] = await runsOf(afterEnd);
  expect(others).toEqual([]);
  await call('POST', `/automation-runs/${run.id}/cancel`);
  await call('POST', '/events', { name: 'go', email: address });
  await vi.waitFor(async () => expect(await runsOf(afterEnd)).toHaveLength(2), { timeout: 60_000 });
});

test('two events of one request start one run', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: { event: 'go' }, steps: [LONG], reentry: 'after_end' });
  const last = await activate({ contactBookId, trigger: { event: 'last' }, steps: [LONG] });
  const { address } = await addContact(contactBookId);
  const events = ['go', 'go', 'last'].map((name) => ({ name, email: address }));
  await call('POST', '/events/batch', events);
  await untilRun(last, { status: 'ACTIVE' });
  expect(await runsOf(id)).toHaveLength(1);
});

test('of two runs of a person that are due together, one sees what the other has changed', async () => {
  const contactBookId = await addBook();
  const taken = { field: 'properties.taken', op: 'exists' };
  const id = await activate({
    contactBookId,
    trigger: { event: 'go' },
    reentry: 'always',
    steps: [
      { key: 'look', type: 'condition', where: { all: [taken] }, next: { yes: 'second', no: 'take' } },
      { key: 'take', type: 'update', properties: { taken: true } },
      { ...LONG, key: 'first' },
      { ...LONG, key: 'second' },
    ],
  });
  const people = await Promise.all(Array.from({ length: 5 }, () => addContact(contactBookId)));
  const events = people.map(({ address }) => ({ name: 'go', email: address }));
  await call('POST', '/events/batch', [...events, ...events]);
  const stepsOf = async () => (await runsOf(id)).map(({ step }: { step: string | null }) => step).toSorted();
  const expected = [...people.map(() => 'first'), ...people.map(() => 'second')];
  await vi.waitFor(async () => expect(await stepsOf()).toEqual(expected), POLLED);
});

test('the next email goes to the new address of the contact, unless that is suppressed', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'go' },
    steps: [LONG, email('one')],
  });
  const move = async (to: string) => {
    const { address, contactId } = await addContact(contactBookId);
    await call('POST', '/events', { name: 'go', email: address });
    const { id: runId } = await untilRun(id, { status: 'ACTIVE', step: 'rest', email: address });
    await call('PUT', `/contactBooks/${contactBookId}/contacts/${contactId}`, { email: to });
    await call('POST', `/automation-runs/${runId}/skip-wait`);
    const { history } = await untilRun(id, { status: 'DONE', email: to });
    return { address, result: history[1].result };
  };
  const { address, result } = await move('moved@example.org');
  expect(result).toBe('sent');
  await expect.poll(async () => (await sentTo('moved@example.org')).length, POLLED).toBe(1);
  expect(await sentTo(address)).toEqual([]);
  await call('POST', '/suppressions', { email: 'blocked@example.org' });
  expect((await move('blocked@example.org')).result).toBe('skipped: suppressed');
});

test('an address in two books is two contacts with a run each, and one person for the frequency cap', async () => {
  await call('PATCH', '/team', { frequencyCap: { count: 1, hours: 24 } });
  try {
    const [one, two] = [await addBook(), await addBook()];
    const { address } = await addContact(one);
    await call('POST', `/contactBooks/${two}/contacts`, { email: address });
    const input = { trigger: { event: 'both' }, steps: [email('news')] };
    const first = await activate({ contactBookId: one, ...input });
    const second = await activate({ contactBookId: two, ...input });
    await call('POST', '/events', { name: 'both', email: address });
    const outcomes = async () =>
      [...(await runsOf(first)), ...(await runsOf(second))]
        .map(({ status, heldBy }) => `${status} ${heldBy}`)
        .toSorted();
    await expect.poll(outcomes, POLLED).toEqual(['ACTIVE frequency_cap', 'DONE null']);
    await expect.poll(async () => (await sentTo(address)).length, POLLED).toBe(1);
  } finally {
    await call('PATCH', '/team', { frequencyCap: null });
  }
});

test('a birthday on 29 February is on 28 February in other years, once', async () => {
  const contactBookId = await addBook();
  const now = new Date();
  const lastOfFebruary = [now.getUTCFullYear() - 1, now.getUTCFullYear(), now.getUTCFullYear() + 1]
    .map((year) => new Date(Date.UTC(year, 2, 0)))
    .filter((day) => day.getUTCDate() === 28);
  const today = new Date(now.toISOString().slice(0, 10)).getTime();
  const offsets = lastOfFebruary.map((day) => Math.round((today - day.getTime()) / DAY_MS));
  const offset = offsets.find((days) => Math.abs(days) <= 366)!;
  const id = await activate({
    contactBookId,
    trigger: {
      date: {
        property: 'birthday',
        offset: `${offset} days`,
        at: now.toISOString().slice(11, 16),
        yearly: true,
      },
    },
    steps: [LONG],
    reentry: 'always',
  });
  const add = (birthday: string) => addContact(contactBookId, { properties: { birthday } });
  const leapling = await add('1992-02-29');
  await add('1992-03-01');
  for (let look = 0; look < 2; look += 1) {
    await sql`
      update automations set looked_at = now() - interval '2 minutes' where looks_each_minute`.execute(
      world.server.db,
    );
    await lookAtContacts(world.server.db, pino({ level: 'silent' }));
  }
  expect(await runsOf(id)).toMatchObject([{ contactId: leapling.contactId }]);
});

test('a person who is erased in the middle of a run leaves the counts and nothing else', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'order' },
    steps: [email('one', { subject: 'For {{firstName}}' }), LONG],
  });
  const { address } = await addContact(contactBookId, { firstName: 'Wilhelmina' });
  await call('POST', '/events', { name: 'order', email: address, data: { street: 'Elm Street' } });
  const { id: runId } = await untilRun(id, { status: 'ACTIVE', step: 'rest' });
  await expect.poll(async () => (await sentTo(address)).length, POLLED).toBe(1);
  await call('DELETE', `/contacts?email=${address}`);
  await untilRun(id, { status: 'EXITED', reason: 'contact_deleted', email: null });
  await expect
    .poll(async () => {
      await sql`update jobs set due_at = now() where leased_by is null`.execute(world.server.db);
      const { rows } = await sql`
        select 1 from automation_runs r where to_jsonb(r)::text ~* ${`${address}|Elm Street`}
        union all select 1 from automation_emails e where to_jsonb(e)::text ~* 'Wilhelmina'
        union all select 1 from custom_events e where to_jsonb(e)::text ~* ${`${address}|Elm Street`}
      `.execute(world.server.db);
      return rows.length;
    }, POLLED)
    .toBe(0);
  expect(await call('GET', `/automation-runs/${runId}`)).toMatchObject({ email: null, event: null });
  const { runs, steps, exits } = await call('GET', `/automations/${id}/report`);
  expect(runs).toMatchObject({ started: 1, active: 0, exited: 1 });
  expect(exits).toEqual({ contact_deleted: 1 });
  expect(steps[0]).toMatchObject({ entered: 1, done: 1, email: { sent: 1 } });
});
