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

function series(fields: object = {}) {
  return [
    email('one', { mailboxId: undefined, ...fields }),
    { key: 'pause', type: 'delay', for: '3 days' },
    email('two', fields),
  ];
}

function resultsOf(steps: { key: string; result: string }[]): string[] {
  return steps.map(({ key, result }) => `${key} ${result}`);
}

describe('exits', () => {
  test.each([
    ['a person replies', {}, { status: 'EXITED', reason: 'replied' }],
    [
      'an out-of-office message comes',
      { more: ['Auto-Submitted: auto-replied'] },
      { status: 'ACTIVE', heldBy: 'auto_reply' },
    ],
    ['a list sends', { more: ['List-Id: <x.example.org>'] }, { status: 'ACTIVE', heldBy: null }],
  ])('a run with exitOn replied, when %s', async (_name, { more = [] }: { more?: string[] }, expected) => {
    const contactBookId = await addBook();
    const box = await world.freshMailbox();
    const id = await activate({
      contactBookId,
      trigger: { event: 'contact.created' },
      steps: series({ from: undefined, mailboxId: box.id }),
      exitOn: ['replied', 'unsubscribed'],
    });
    const { address } = await addContact(contactBookId);
    await untilRun(id, { status: 'ACTIVE', step: 'pause' });
    await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(1), { timeout: 60_000 });
    const [message] = await sentTo(address);
    const lines = [
      `From: ${address}`,
      `To: ${box.address}`,
      'Subject: Re: About one',
      `In-Reply-To: ${message!.messageId}`,
      `Message-ID: <reply-${address}>`,
      'Date: Wed, 18 Nov 2026 10:00:00 +0000',
      ...more,
      '',
      'Thanks!',
    ];
    expect((await world.write(box.address, lines.join('\r\n'), address)).data).toMatch(/^250/);
    await untilRun(id, expected);
    expect((await world.threads(box.id))[0]!.message_count).toBe(2);
  });

  test('unsubscribing and events end runs in the transaction that records them', async () => {
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'contact.created' },
      steps: series(),
      exitOn: ['unsubscribed', { event: 'order.placed' }],
    });
    const { contactId } = await addContact(contactBookId);
    await untilRun(id, { status: 'ACTIVE', step: 'pause' });
    await call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, { subscribed: false });
    const { items } = await call('GET', `/automations/${id}/runs?contactId=${contactId}`);
    expect(items[0]).toMatchObject({ status: 'EXITED', reason: 'unsubscribed', step: null });

    const buyer = await addContact(contactBookId);
    await untilRun(id, { status: 'ACTIVE', step: 'pause', contactId: buyer.contactId });
    await call('POST', '/events', { name: 'order.placed', contactId: buyer.contactId });
    const { items: left } = await call('GET', `/automations/${id}/runs?contactId=${buyer.contactId}`);
    expect(left[0]).toMatchObject({ status: 'EXITED', reason: 'order.placed' });
    const report = await call('GET', `/automations/${id}/report`);
    expect(report.exits).toEqual({ unsubscribed: 1, 'order.placed': 1 });
  });

  test('an exit step lets the email before it go', async () => {
    const contactBookId = await addBook();
    const steps = [email('one'), { key: 'end', type: 'exit', reason: 'over' }];
    const id = await activate({ contactBookId, trigger: { event: 'contact.created' }, steps });
    const { address } = await addContact(contactBookId);
    await untilRun(id, { status: 'EXITED', reason: 'over' });
    await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(1), { timeout: 60_000 });
  });

  test('an event that starts a run does not end it, and the next one does', async () => {
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'contact.updated' },
      exitOn: [{ event: 'contact.updated' }],
      steps: [{ key: 'rest', type: 'delay', for: '300 days' }],
    });
    const { contactId } = await addContact(contactBookId);
    const update = (lastName: string) =>
      call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, { lastName });
    await update('Hopper');
    const { dueAt } = await untilRun(id, { status: 'ACTIVE', step: 'rest' });
    expect(dueAt).not.toBeNull();
    await update('Murray');
    const { history, endedAt, startedAt } = await untilRun(id, {
      status: 'EXITED',
      reason: 'contact.updated',
    });
    expect(history).toEqual([]);
    expect(new Date(endedAt).getTime()).toBeGreaterThan(new Date(startedAt).getTime());
    expect((await call('GET', `/automations/${id}/report`)).exits).toEqual({ 'contact.updated': 1 });
  });

  test('whoever had unsubscribed before takes the steps without marketing emails', async () => {
    const contactBookId = await addBook();
    const steps = [email('news'), email('receipt', { kind: 'transactional' })];
    const id = await activate({ contactBookId, trigger: { event: 'go' }, steps });
    const farewell = await activate({ contactBookId, trigger: { event: 'contact.unsubscribed' }, steps });
    const { address, contactId } = await addContact(contactBookId);
    await call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, { subscribed: false });
    const expected = ['news skipped: unsubscribed', 'receipt sent'];
    expect(resultsOf((await untilRun(farewell, { status: 'DONE' })).history)).toEqual(expected);
    await call('POST', '/events', { name: 'go', email: address });
    expect(resultsOf((await untilRun(id, { status: 'DONE' })).history)).toEqual(expected);
    const simulation = await call('POST', `/automations/${id}/simulate`, { contactId });
    expect({ ...simulation, path: resultsOf(simulation.path) }).toEqual({ path: expected, end: 'done' });
  });
});
