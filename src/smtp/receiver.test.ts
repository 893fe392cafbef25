import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../platform/log.ts';
import { longestWait } from '../testing/longest-wait.ts';
import { letter, startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openReceiver } from './receiver.ts';

const GALLERY = '<img src="https://example.org/a.png" alt="x" width=1>\n'.repeat(45_000);

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

test('a thread that fails, or cannot begin, ends nothing but itself: the sender hears that he may come again', async () => {
  const { config } = world.server;
  const { databaseUrl, databaseConnections, mailHost, dmarcReject } = config;
  const settings = { databaseUrl: databaseUrl!, databaseConnections, mailHost, dmarcReject };
  const receiver = openReceiver({ ...settings, dnsServers: ['nowhere at all'] }, createLog('silent'));
  const handover = { id: 'a', ip: '127.0.0.1', helo: 'x', protocol: 'ESMTP', mailFrom: '', destinations: [] };
  const comeAgain = { responseCode: '451 4.3.0' };
  for (const text of ['once', 'and again'])
    await expect(receiver.accept(Buffer.from(text), handover)).rejects.toMatchObject(comeAgain);
  await receiver.close();
  await expect(receiver.accept(Buffer.from('too late'), handover)).rejects.toMatchObject(comeAgain);
});

test('a message that is being read when the door closes is stored first', async () => {
  const closing = await startMailWorld();
  const { address } = await closing.freshMailbox();
  const written = closing.write(address, letter({ more: 'Content-Type: text/html', text: GALLERY }));
  await closing.receive({ address });
  await closing.close();
  expect((await written).data).toMatch(/^250/);
});
