import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

async function resultsOf(runId: string): Promise<string[]> {
  const { history } = await call('GET', `/automation-runs/${runId}`);
  return history.map(({ key, result }: { key: string; result: string }) => `${key} ${result}`);
}

test('the filter of a wait asks about the event that is waited for', async () => {
  const contactBookId = await addBook();
  const box = await world.freshMailbox();
  const steps = [
    {
      key: 'order',
      type: 'wait',
      event: 'mailbox.message.received',
      where: { all: [{ field: 'event.subject', op: 'contains', value: 'order' }] },
      timeout: '1 day',
      next: { received: 'paid', timeout: null },
    },
    {
      key: 'paid',
      type: 'wait',
      event: 'paid',
      where: { all: [{ field: 'event.total', op: 'greater', value: 10 }] },
      timeout: '1 day',
      next: { received: 'end', timeout: null },
    },
    { key: 'end', type: 'exit', reason: 'ordered' },
  ];
  const id = await activate({ contactBookId, trigger: { event: 'begin' }, steps });
  const { address } = await addContact(contactBookId);
  await call('POST', '/events', { name: 'begin', email: address, data: { subject: 'order', total: 11 } });
  await untilRun(id, { status: 'ACTIVE', step: 'order' });
  const write = (subject: string) =>
    world.write(
      box.address,
      [
        `From: ${address}`,
        `To: ${box.address}`,
        `Subject: ${subject}`,
        `Message-ID: <${subject}>`,
        '',
        'Hi',
      ].join('\r\n'),
      address,
    );
  const { dueAt } = await untilRun(id, { status: 'ACTIVE', step: 'order' });
  await write('greetings');
  await call('POST', '/events', { name: 'paid', email: address, data: { total: 5 } });
  // Once the run has been looked at because of the message, it waits on.
  await untilRun(id, { status: 'ACTIVE', step: 'order', dueAt });
  await write('an-order');
  await untilRun(id, { status: 'ACTIVE', step: 'paid' });
  await call('POST', '/events', { name: 'paid', email: address, data: { total: 12 } });
  await untilRun(id, { status: 'EXITED', reason: 'ordered' });
});

const PERSON =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const BOT = 'Googlebot/2.1 (+http://www.google.com/bot.html)';

/** Clicks the link of the first email to the address. */
async function click(address: string, userAgent: string) {
  await vi.waitFor(async () => expect(await sentTo(address)).not.toEqual([]), { timeout: 60_000 });
  const [{ html = '' } = {}] = await sentTo(address);
  const { pathname } = new URL(/href="([^"]*\/t\/c\/[^"]*)"/.exec(html)![1]!);
  const headers = { 'User-Agent': userAgent };
  await fetch(`${world.server.url}${pathname}`, { redirect: 'manual', headers });
}

describe('clicks', () => {
  beforeAll(async () => {
    const [{ id }] = await call('GET', '/domains');
    await call('PATCH', `/domains/${id}`, { clickTracking: true, openTracking: true });
  });

  const html = '<p><a href="https://shop.example/tea">Tea</a></p>';

  test('of a person end a wait at once, and those of a bot do not', async () => {
    const contactBookId = await addBook();
    const tea = { all: [{ field: 'event.link', op: 'endsWith', value: '/tea' }] };
    const steps = [
      email('news', { html }),
      {
        key: 'click',
        type: 'wait',
        event: 'clicked',
        timeout: '5 days',
        next: { received: 'which', timeout: null },
      },
      { key: 'which', type: 'wait', event: 'email.clicked', where: tea, timeout: '5 days' },
      { key: 'asked', type: 'condition', where: { all: [{ field: 'step.news', op: 'clicked' }] } },
    ];
    const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
    const { address } = await addContact(contactBookId);
    await click(address, BOT);
    const { dueAt } = await untilRun(id, { status: 'ACTIVE', step: 'click', heldBy: null });
    expect(Date.parse(dueAt)).toBeGreaterThan(Date.now() + 86_400_000);
    await click(address, PERSON);
    const { history } = await untilRun(id, { status: 'DONE' });
    expect(history.map(({ key, result }: Record<string, string>) => `${key} ${result}`)).toEqual([
      'news sent',
      'click received',
      'which received',
      'asked yes',
    ]);
  });

  test('and opens of an email to one person start an automation', async () => {
    const contactBookId = await addBook();
    const steps = [{ key: 'end', type: 'exit', reason: 'read' }];
    const [clicked, opened] = await Promise.all(
      ['email.clicked', 'email.opened'].map((event) =>
        activate({ contactBookId, trigger: { event }, steps }),
      ),
    );
    const { address } = await addContact(contactBookId);
    const letter = { from: 'Ada <ada@harbour.test>', subject: 'Tea', html };
    const both = await addContact(contactBookId);
    const other = await addContact(contactBookId);
    await call('POST', '/emails', { ...letter, to: [both.address, other.address] });
    await click(both.address, PERSON);
    await call('POST', '/emails', { ...letter, to: address });
    await click(address, PERSON);
    for (const id of [clicked!, opened!]) {
      await untilRun(id, { status: 'EXITED', reason: 'read', email: address });
      expect((await call('GET', `/automations/${id}/runs`)).items).toHaveLength(1);
    }
  });
});

test('of an event and the end of its wait at the same moment one wins, and the other does nothing', async () => {
  const contactBookId = await addBook();
  const people = await Promise.all(Array.from({ length: 20 }, () => addContact(contactBookId)));
  const wait = { key: 'wait', type: 'wait', event: 'paid', timeout: '1 day' };
  const next = { received: 'thanks', timeout: 'late' };
  const id = await activate({
    contactBookId,
    trigger: { event: 'ask' },
    steps: [
      { ...wait, next },
      { key: 'thanks', type: 'exit' },
      { key: 'late', type: 'exit' },
    ],
  });
  const send = (name: string) =>
    call(
      'POST',
      '/events/batch',
      people.map(({ address }) => ({ name, email: address })),
    );
  await send('ask');
  await vi.waitFor(
    async () =>
      expect(
        (await call('GET', `/automations/${id}/runs`)).items.filter(
          ({ step }: { step: string }) => step === 'wait',
        ),
      ).toHaveLength(20),
    { timeout: 60_000 },
  );
  // The waits end now, as if they had begun a day ago.
  const endWaits = sql`
    update automation_runs set due_at = now(), entered_at = entered_at - interval '1 day' where due_at > now()
  `.execute(world.server.db);
  await Promise.all([endWaits, send('paid')]);
  const ended = await vi.waitFor(
    async () => {
      const runs = (await call('GET', `/automations/${id}/runs`)).items;
      expect(runs.filter(({ status }: { status: string }) => status === 'ACTIVE')).toEqual([]);
      return runs;
    },
    { timeout: 60_000 },
  );
  for (const run of ended)
    expect([
      ['wait received', 'thanks exit'],
      ['wait timeout', 'late exit'],
    ]).toContainEqual(await resultsOf(run.id));
  const { ways } = (await call('GET', `/automations/${id}/report`)).steps[0];
  expect((ways.received ?? 0) + (ways.timeout ?? 0)).toBe(20);
});
