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
