import { sql } from 'kysely';
import { pino } from 'pino';
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
  world,
} from '../../testing/fixtures/automation-world.ts';
import { lookAtContacts } from './engine/look-at-contacts.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

const END = { key: 'end', type: 'exit' };

async function untilSent(address: string, count: number) {
  await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(count), { timeout: 60_000 });
  return sentTo(address);
}

async function resultsOf(runId: string): Promise<string[]> {
  const { history } = await call('GET', `/automation-runs/${runId}`);
  return history.map(({ key, result }: { key: string; result: string }) => `${key} ${result}`);
}

async function runsOf(automationId: string) {
  return (await call('GET', `/automations/${automationId}/runs`)).items;
}

/** Triggers by segment and date are looked at once a minute. */
async function look(automationId: string): Promise<void> {
  await sql`
    update automations set looked_at = looked_at - interval '1 minute' where looks_each_minute`.execute(
    world.server.db,
  );
  await lookAtContacts(world.server.db, pino({ level: 'silent' }));
  await call('GET', `/automations/${automationId}`);
}

test('whoever has left a topic misses its emails, and a suppressed address all of them', async () => {
  const contactBookId = await addBook();
  const { id: topicId } = await call('POST', '/topics', { name: 'Tips', defaultSubscription: 'opt_in' });
  const id = await activate({
    contactBookId,
    trigger: { event: 'go' },
    steps: [email('tips', { topicId }), email('news'), email('receipt', { kind: 'transactional' })],
    exitOn: [],
  });
  const { address } = await addContact(contactBookId);
  await call('POST', '/events', { name: 'go', email: address });
  const { id: runId } = await untilRun(id, { status: 'DONE', email: address });
  expect(await resultsOf(runId)).toEqual(['tips skipped: left_topic', 'news sent', 'receipt sent']);

  const suppressed = await addContact(contactBookId);
  await call('POST', '/suppressions', { email: suppressed.address });
  await call('POST', '/events', { name: 'go', email: suppressed.address });
  const skipped = await untilRun(id, { status: 'DONE', email: suppressed.address });
  expect(await resultsOf(skipped.id)).toEqual(
    ['tips', 'news', 'receipt'].map((key) => `${key} skipped: suppressed`),
  );

  const gone = await addContact(contactBookId, { subscribed: false });
  await call('POST', '/events', { name: 'go', email: gone.address });
  const left = await untilRun(id, { status: 'DONE', email: gone.address });
  expect(await resultsOf(left.id)).toEqual([
    'tips skipped: unsubscribed',
    'news skipped: unsubscribed',
    'receipt sent',
  ]);
  expect((await call('GET', `/automations/${id}/report`)).steps[0]).toMatchObject({ entered: 3, skipped: 3 });
});

test('a reply counts by what it refers to, not by its sender; a follow-up is in the same thread', async () => {
  const contactBookId = await addBook();
  const box = await world.freshMailbox();
  const from = { from: undefined, mailboxId: box.id };
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      email('one', from),
      { key: 'pause', type: 'delay', for: '1 second' },
      email('two', { ...from, sameThread: true }),
      LONG,
    ],
    exitOn: ['replied'],
  });
  const { address } = await addContact(contactBookId);
  await untilRun(id, { status: 'ACTIVE', step: 'rest' });
  const sent = await untilSent(address, 2);
  const second = sent.find(({ subject }) => subject === 'Re: About one')!;
  const first = sent.find(({ subject }) => subject === 'About one')!;
  expect(second.inReplyTo).toBe(first.messageId);
  expect(await world.threads(box.id)).toHaveLength(1);
  const reply = (sender: string, more: string[]) =>
    world.write(
      box.address,
      [
        `From: ${sender}`,
        `To: ${box.address}`,
        'Subject: Re: About one',
        `Message-ID: <${sender}>`,
        ...more,
        '',
        'Hi',
      ].join('\r\n'),
      sender,
    );
  await reply('stranger@example.net', []);
  expect((await runsOf(id))[0]).toMatchObject({ status: 'ACTIVE' });
  await reply('at-home@example.net', [`References: <x@y.z> ${first.messageId}`]);
  await untilRun(id, { status: 'EXITED', reason: 'replied' });
});

test('an out-of-office message that refers to nothing holds the runs of its sender, until someone retries', async () => {
  const contactBookId = await addBook();
  const box = await world.freshMailbox();
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      email('one', { from: undefined, mailboxId: box.id }),
      { key: 'pause', type: 'delay', for: '1 second' },
      LONG,
    ],
    exitOn: ['replied'],
    holdOnAutoReply: '2 days',
  });
  const { address } = await addContact(contactBookId);
  await untilSent(address, 1);
  const lines = [
    `From: ${address}`,
    `To: ${box.address}`,
    'Subject: Away',
    'Auto-Submitted: auto-replied',
    `Message-ID: <away${address}>`,
    '',
    'Away',
  ];
  await world.write(box.address, lines.join('\r\n'), address);
  const run = await untilRun(id, { status: 'ACTIVE', heldBy: 'auto_reply' });
  expect(new Date(run.dueAt).getTime()).toBeGreaterThan(Date.now() + 47 * 3_600_000);
  await call('POST', `/automation-runs/${run.id}/retry`);
  await untilRun(id, { status: 'ACTIVE', step: 'rest' });
});

test('an event that happened before the run began ends no wait, one that is told late does', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'begin' },
    steps: [
      {
        key: 'wait',
        type: 'wait',
        event: 'paid',
        timeout: '1 day',
        next: { received: null, timeout: 'end' },
      },
      END,
    ],
  });
  const { address } = await addContact(contactBookId);
  await call('POST', '/events', { name: 'begin', email: address });
  const run = await untilRun(id, { status: 'ACTIVE', step: 'wait' });
  await call('POST', '/events', { name: 'paid', email: address, occurredAt: '2026-01-01T00:00:00Z' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await runsOf(id))[0]).toMatchObject({ status: 'ACTIVE', step: 'wait' });
  await call('POST', '/events', { name: 'paid', email: address, occurredAt: run.startedAt });
  await untilRun(id, { status: 'DONE' });
});

test('a loop with a wait counts its visits, and each visit has an email of its own', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'begin' },
    steps: [
      email('ask', { subject: 'Again?' }),
      {
        key: 'wait',
        type: 'wait',
        event: 'again',
        timeout: '2 hours',
        next: { received: 'ask', timeout: null },
      },
    ],
  });
  const { address } = await addContact(contactBookId);
  await call('POST', '/events', { name: 'begin', email: address });
  for (let visit = 1; visit <= 3; visit += 1) {
    await untilSent(address, visit);
    await untilRun(id, { status: 'ACTIVE', step: 'wait' });
    if (visit < 3) await call('POST', '/events', { name: 'again', email: address });
  }
  const messageIds = (await sentTo(address)).map(({ messageId }) => messageId);
  expect(new Set(messageIds).size).toBe(3);
  const [run] = await runsOf(id);
  await call('POST', `/automation-runs/${run.id}/skip-wait`);
  await untilRun(id, { status: 'DONE' });
  expect((await call('GET', `/automations/${id}/report`)).steps[1].ways).toEqual({ received: 2, timeout: 1 });
});

test('a pause of a month moves what was waited for, and nobody gets several emails at once', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      { key: 'first', type: 'delay', for: '2 days' },
      email('one'),
      { key: 'second', type: 'delay', for: '2 days' },
      email('two'),
    ],
  });
  const { address } = await addContact(contactBookId);
  // A run that has just started is due today.
  const dueAt = expect.not.stringContaining(new Date().toISOString().slice(0, 10));
  const before = await untilRun(id, { status: 'ACTIVE', step: 'first', dueAt });
  await call('POST', `/automations/${id}/pause`);
  expect((await world.team.call('POST', `/automations/${id}/activate`)).status).toBe(409);
  // As if the pause had begun a month ago.
  await sql`
    update automation_runs set started_at = started_at - interval '31 days', entered_at = entered_at - interval '31 days',
      due_at = due_at - interval '31 days'`.execute(world.server.db);
  await sql`update automations set paused_at = paused_at - interval '31 days' where paused_at is not null`.execute(
    world.server.db,
  );
  await call('POST', `/automations/${id}/resume`, {});
  const after = await untilRun(id, { status: 'ACTIVE', step: 'first' });
  expect(Math.abs(new Date(after.dueAt).getTime() - new Date(before.dueAt).getTime())).toBeLessThan(60_000);
  expect(await sentTo(address)).toEqual([]);
});

test('a sender whose domain is no longer verified holds the run, with an event, until it is', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: { event: 'go' }, steps: [email('one')] });
  const { address } = await addContact(contactBookId);
  await sql`update domains set status = 'FAILED', held = false where name = 'harbour.test'`.execute(
    world.server.db,
  );
  try {
    await call('POST', '/events', { name: 'go', email: address });
    const run = await untilRun(id, { status: 'ACTIVE', heldBy: expect.stringContaining('harbour.test') });
    const { sentences } = await call('GET', `/automations/${id}/explain?email=${address}`);
    expect(sentences.join(' ')).toContain('held by');
    const { rows } = await sql`
      select 1 from events where type = 'automation.step.failed' and contact_ids is not null`.execute(
      world.server.db,
    );
    expect(rows).not.toEqual([]);
    await sql`update domains set status = 'SUCCESS', held = true`.execute(world.server.db);
    await call('POST', `/automation-runs/${run.id}/retry`);
    await untilRun(id, { status: 'DONE' });
  } finally {
    await sql`update domains set status = 'SUCCESS', held = true`.execute(world.server.db);
  }
});

test('a team caps its marketing emails over all automations, and transactional ones go', async () => {
  const contactBookId = await addBook();
  await call('PATCH', '/team', { frequencyCap: { count: 1, hours: 24 } });
  try {
    expect((await call('GET', '/team')).frequencyCap).toEqual({ count: 1, hours: 24 });
    const id = await activate({
      contactBookId,
      trigger: { event: 'contact.created' },
      steps: [email('receipt', { kind: 'transactional' }), email('one'), email('two')],
    });
    const { address } = await addContact(contactBookId);
    const run = await untilRun(id, { status: 'ACTIVE', step: 'two', heldBy: 'frequency_cap' });
    expect(new Date(run.dueAt).getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    await untilSent(address, 2);
    expect((await world.team.call('PATCH', '/team', { frequencyCap: { count: 0, hours: 1 } })).status).toBe(
      400,
    );
  } finally {
    await call('PATCH', '/team', { frequencyCap: null });
  }
});

test('a segment starts those who begin to match it, and one who flaps between two looks does not', async () => {
  const contactBookId = await addBook();
  const { id: segmentId } = await call('POST', '/segments', {
    name: 'Pro',
    contactBookId,
    filter: { all: [{ field: 'properties.plan', op: 'equals', value: 'pro' }] },
  });
  const known = await addContact(contactBookId, { properties: { plan: 'pro' } });
  const id = await activate({ contactBookId, trigger: { segmentId }, steps: [LONG], reentry: 'always' });
  const { contactId } = await addContact(contactBookId);
  const setPlan = (contact: string, plan: string) =>
    call('PATCH', `/contactBooks/${contactBookId}/contacts/${contact}`, { properties: { plan } });
  await look(id);
  expect(await runsOf(id)).toEqual([]);
  await setPlan(known.contactId, 'free');
  await setPlan(known.contactId, 'pro');
  await setPlan(contactId, 'pro');
  await look(id);
  await look(id);
  expect(await runsOf(id)).toMatchObject([{ contactId }]);
  await setPlan(contactId, 'free');
  await look(id);
  await setPlan(contactId, 'pro');
  await look(id);
  expect(await runsOf(id)).toHaveLength(2);
});

test('a date starts those whose day it is, at the time of their zone, once', async () => {
  const contactBookId = await addBook();
  const now = new Date();
  const at = now.toISOString().slice(11, 16);
  const day = new Date(now.getTime() + 7 * 86_400_000).toISOString().slice(0, 10);
  const id = await activate({
    contactBookId,
    trigger: { date: { property: 'birthday', offset: '-1 week', at, yearly: true } },
    steps: [LONG],
    reentry: 'always',
  });
  const add = (birthday: string, timezone?: string) =>
    addContact(contactBookId, { properties: { birthday, ...(timezone ? { timezone } : {}) } });
  const due = await add(`1990-${day.slice(5)}`);
  await add(`1990-${day.slice(5)}`, 'Asia/Tokyo');
  await add('not a date');
  await add('1990-13-45');
  await sql`update automations set looked_at = now() - interval '2 minutes' where looks_each_minute`.execute(
    world.server.db,
  );
  await look(id);
  await sql`update automations set looked_at = now() - interval '2 minutes' where looks_each_minute`.execute(
    world.server.db,
  );
  await look(id);
  expect(await runsOf(id)).toMatchObject([{ contactId: due.contactId }]);
});

test('an import starts nothing, unless it says so', async () => {
  const contactBookId = await addBook();
  const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps: [LONG] });
  const importCsv = async (address: string, query: string) => {
    const { status, body } = await world.team.call(
      'POST',
      `/contactBooks/${contactBookId}/imports?consent=confirmed${query}`,
      `email\n${address}\n`,
      { 'content-type': 'text/csv' },
    );
    expect(status, JSON.stringify(body)).toBe(200);
  };
  await importCsv('silent@import.example', '');
  await importCsv('loud@import.example', '&triggerAutomations=true');
  await untilRun(id, { status: 'ACTIVE', email: 'loud@import.example' });
  expect(await runsOf(id)).toHaveLength(1);
});

test('a goal takes a run past the steps before it, and one that is deleted ends it', async () => {
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      { key: 'nag', type: 'delay', for: '2 days', next: 'late' },
      { key: 'bought', type: 'goal', event: 'order.placed' },
      LONG,
      { key: 'late', type: 'exit', reason: 'late' },
    ],
  });
  const { address } = await addContact(contactBookId);
  await untilRun(id, { status: 'ACTIVE', step: 'nag' });
  await call('POST', '/events', { name: 'order.placed', email: address });
  const run = await untilRun(id, { status: 'ACTIVE', step: 'rest' });
  expect(await resultsOf(run.id)).toEqual(['bought reached']);
  const contact = (await runsOf(id))[0].contactId;
  await call('DELETE', `/contactBooks/${contactBookId}/contacts/${contact}`);
  await untilRun(id, { status: 'EXITED', reason: 'contact_deleted', email: null });
});
