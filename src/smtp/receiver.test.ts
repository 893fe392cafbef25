import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../platform/log.ts';
import { createUnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { HELD_UP, longestWait } from '../testing/longest-wait.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { rawMail, startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openReceiver, type ReceiverOptions, type ReceiverSettings } from './receiver.ts';

const GALLERY = '<img src="https://example.org/a.png" alt="x" width=1>\n'.repeat(20_000);

let world: MailWorld;
let box: { id: string; address: string };

beforeAll(async () => {
  world = await startMailWorld();
  box = await world.freshMailbox();
  // The worker thread has started.
  await world.receive(box);
});
afterAll(() => world.close());

const getMailboxes = () => world.team.call('GET', '/mailboxes');

test('a message that takes long to parse blocks neither requests nor other messages', async () => {
  const costly = rawMail({ subject: 'Gallery', more: 'Content-Type: text/html', text: GALLERY });
  const written = world.write(box.address, costly);
  const waits = [longestWait(written, getMailboxes), longestWait(written, () => world.receive(box))];
  for (const wait of waits) expect(await wait).toBeLessThan(HELD_UP);
  expect((await written).data).toMatch(/^250/);
  expect(await world.threads(box.id, '?q=Gallery')).toHaveLength(1);
});

test('HTML that takes long to sanitise does not block other requests', async () => {
  const to = ['charles@example.org'];
  const path = `/mailboxes/${box.id}`;
  const draft = world.team.call('POST', `${path}/drafts`, { to, html: GALLERY });
  expect(await longestWait(draft, getMailboxes)).toBeLessThan(HELD_UP);
  const { body } = await draft;
  expect(body.html).toContain('<img src="https://example.org/a.png" alt="x" width="1">');
  const changed = world.team.call('PATCH', `${path}/drafts/${body.id}`, { html: `<p>See:</p>${GALLERY}` });
  expect(await longestWait(changed, getMailboxes)).toBeLessThan(HELD_UP);
  const message = world.team.call('POST', `${path}/messages`, { to, subject: 'Gallery', html: GALLERY });
  expect(await longestWait(message, getMailboxes)).toBeLessThan(HELD_UP);
  for (const answer of [draft, changed, message]) expect(await answer).toMatchObject({ status: 200 });
});

const temporaryError = { responseCode: '451 4.3.0' };
const transaction = {
  id: 'a',
  ip: '127.0.0.1',
  helo: 'x',
  protocol: 'ESMTP',
  mailFrom: '',
  destinations: [],
  reportedDomains: [],
};

function open(settings: Partial<ReceiverSettings>, options: Partial<ReceiverOptions> = {}) {
  const { databaseUrl, databaseConnections, mailHost, mailTransport, dmarcReject, dnsServers } =
    world.server.config;
  const log = createLog('silent');
  const errors = createUnexpectedErrors(log);
  const receiver = openReceiver(
    {
      databaseUrl: databaseUrl!,
      isPooled: false,
      databaseConnections,
      mailHost,
      mailTransport,
      dmarcReject,
      dnsServers,
      rspamdUrl: null,
      blocklistZones: [],
      secret: Buffer.alloc(32),
      objectStore: null,
      workBytes: 1,
      ...settings,
    },
    { log, errors, objectStore: null, onDiskFull() {}, onSpamFilter() {}, ...options },
  );
  return { receiver, count: () => new Map(errors.counts()).get('receiver') };
}

test('if the worker thread fails or cannot start, the sender gets a temporary error', async () => {
  const { receiver, count } = open({ dnsServers: ['nowhere at all'] });
  for (const text of ['once', 'and again'])
    await expect(receiver.accept(Buffer.from(text), transaction)).rejects.toMatchObject(temporaryError);
  await receiver.close();
  await expect(receiver.accept(Buffer.from('too late'), transaction)).rejects.toMatchObject(temporaryError);
  expect(count()).toBe(2);
});

test('a message that causes a stray error is deferred, and the thread continues with the others', async () => {
  const { receiver, count } = open({}, { longestWaitMs: 3_000 });
  const ask = () =>
    receiver.accept(Buffer.from('Subject: x\n\nx'), transaction).catch(({ responseCode }) => responseCode);
  // Wait until the thread has started, which takes a while on a busy machine.
  await expect.poll(ask, { timeout: 40_000 }).toBe('550 5.1.1');
  // A view with an invalid offset causes an error that the thread does not catch.
  const broken = {
    byteLength: 1,
    byteOffset: 99,
    length: 1,
    buffer: new ArrayBuffer(1),
  } as unknown as Buffer;
  const forgotten = expect(receiver.accept(broken, transaction)).rejects.toMatchObject(temporaryError);
  await expect.poll(count).toBe(1);
  expect(await ask()).toBe('550 5.1.1');
  await forgotten;
  expect(count()).toBe(1);
  await receiver.close();
});

test('a message in transfer is stored before the server closes', async () => {
  const closing = await startMailWorld({ graceMs: 60_000 });
  const { address } = await closing.freshMailbox();
  const dialogue = await openDialogue(closing.server.smtpPort);
  for (const line of ['EHLO x.example', 'MAIL FROM:<charles@example.org>', `RCPT TO:<${address}>`, 'DATA'])
    await dialogue.say(line);
  const html = rawMail({ more: 'Content-Type: text/html', text: GALLERY });
  dialogue.write(`${html.replaceAll('\n', '\r\n')}\r\n.\r\n`);
  const answer = dialogue.hear();
  await closing.close();
  expect(await answer).toMatch(/^250/);
});
