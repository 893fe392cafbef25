import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../platform/log.ts';
import { createUnexpectedErrors } from '../platform/unexpected-errors.ts';
import { longestWait } from '../testing/longest-wait.ts';
import { letter, startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openReceiver, type ReceiverOptions, type ReceiverSettings } from './receiver.ts';

const GALLERY = '<img src="https://example.org/a.png" alt="x" width=1>\n'.repeat(20_000);

let world: MailWorld;
let box: { id: string; address: string };

beforeAll(async () => {
  world = await startMailWorld();
  box = await world.freshMailbox();
  // The thread that receives has begun.
  await world.receive(box);
});
afterAll(() => world.close());

const getMailboxes = () => world.team.call('GET', '/mailboxes');

test('a message that takes long to read holds up nobody who asks for something, and no other message', async () => {
  const costly = letter({ subject: 'Gallery', more: 'Content-Type: text/html', text: GALLERY });
  const written = world.write(box.address, costly);
  const waits = [longestWait(written, getMailboxes), longestWait(written, () => world.receive(box))];
  for (const wait of waits) expect(await wait).toBeLessThan(0.5);
  expect((await written).data).toMatch(/^250/);
  expect(await world.threads(box.id, '?q=Gallery')).toHaveLength(1);
});

test('what somebody writes here and takes long to clean holds up nobody else', async () => {
  const to = ['charles@example.org'];
  const path = `/mailboxes/${box.id}`;
  const draft = world.team.call('POST', `${path}/drafts`, { to, html: GALLERY });
  expect(await longestWait(draft, getMailboxes)).toBeLessThan(0.5);
  const { body } = await draft;
  expect(body.html).toContain('<img src="https://example.org/a.png" alt="x" width="1">');
  const changed = world.team.call('PATCH', `${path}/drafts/${body.id}`, { html: `<p>See:</p>${GALLERY}` });
  expect(await longestWait(changed, getMailboxes)).toBeLessThan(0.5);
  const message = world.team.call('POST', `${path}/messages`, { to, subject: 'Gallery', html: GALLERY });
  expect(await longestWait(message, getMailboxes)).toBeLessThan(0.5);
  for (const answer of [draft, changed, message]) expect(await answer).toMatchObject({ status: 200 });
});

const comeAgain = { responseCode: '451 4.3.0' };
const handover = { id: 'a', ip: '127.0.0.1', helo: 'x', protocol: 'ESMTP', mailFrom: '', destinations: [] };

function open(settings: Partial<ReceiverSettings>, options: Partial<ReceiverOptions> = {}) {
  const { databaseUrl, databaseConnections, mailHost, dmarcReject, dnsServers } = world.server.config;
  const log = createLog('silent');
  const errors = createUnexpectedErrors(log);
  const receiver = openReceiver(
    { databaseUrl: databaseUrl!, databaseConnections, mailHost, dmarcReject, dnsServers, ...settings },
    { log, errors, ...options },
  );
  return { receiver, count: () => new Map(errors.counts()).get('receiver') };
}

test('a thread that fails, or cannot begin, ends nothing but itself: the sender hears that he may come again', async () => {
  const { receiver, count } = open({ dnsServers: ['nowhere at all'] });
  for (const text of ['once', 'and again'])
    await expect(receiver.accept(Buffer.from(text), handover)).rejects.toMatchObject(comeAgain);
  await receiver.close();
  await expect(receiver.accept(Buffer.from('too late'), handover)).rejects.toMatchObject(comeAgain);
  expect(count()).toBe(2);
});

test('a message whose work ends in a stray error is put off, and the thread goes on with the others', async () => {
  const { receiver, count } = open({}, { longestWaitMs: 3_000 });
  const ask = () =>
    receiver.accept(Buffer.from('Subject: x\n\nx'), handover).catch(({ responseCode }) => responseCode);
  // Until it has started, which takes a while on a busy machine.
  await expect.poll(ask, { timeout: 40_000 }).toBe('550 5.1.1');
  // Bytes that are not where they say make an error that no code of the thread expects.
  const broken = {
    byteLength: 1,
    byteOffset: 99,
    length: 1,
    buffer: new ArrayBuffer(1),
  } as unknown as Buffer;
  const forgotten = expect(receiver.accept(broken, handover)).rejects.toMatchObject(comeAgain);
  await expect.poll(count).toBe(1);
  expect(await ask()).toBe('550 5.1.1');
  await forgotten;
  expect(count()).toBe(1);
  await receiver.close();
});

test('a message that is being read when the door closes is stored first', async () => {
  const closing = await startMailWorld();
  const { address } = await closing.freshMailbox();
  const written = closing.write(address, letter({ more: 'Content-Type: text/html', text: GALLERY }));
  await closing.receive({ address });
  await closing.close();
  expect((await written).data).toMatch(/^250/);
});
