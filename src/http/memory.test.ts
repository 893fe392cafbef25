/**
 * Tests that large bodies and messages share the memory budget. Clients that hold it without sending make way for
 * others.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { openDialogue, type Dialogue } from '../testing/smtp-dialogue.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

const MB = 1024 * 1024;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  // A quarter (8 MiB) is for bodies of authenticated clients, and a quarter for mail from other servers.
  server = await startTestServer({
    doors: ['http', 'smtp'],
    env: { MEMORY_BUDGET_MB: '32', MAX_RECIPIENTS: '60', MAX_MESSAGE_MB: '8' },
  });
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'shop.test');
});
afterAll(() => server.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
const large = JSON.stringify({
  ...email,
  attachments: [{ filename: 'a.bin', content: Buffer.alloc(6 * MB).toString('base64') }],
});

const to = (count: number) => Array.from({ length: count }, (_, no) => `p${no}@example.org`);

/** Announces a body and sends only its beginning. `text` returns the response so far. */
async function stall(bytes: number): Promise<{ socket: Socket; text(): string }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (data) => (text += data.toString()));
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${team.key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n{`,
  );
  socket.write(' '.repeat(100_000));
  return { socket, text: () => text };
}

const isRefused = (text: string) => /^HTTP\/1\.1 503 .*^connection: close\r\n/ims.test(text);

test('uploads that stop half-way give way to the next client, and get 503', async () => {
  const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(12 * MB)));
  const other = await server.createTeam();
  await addDomain(server.db, other.teamId, 'other.test');
  const waiting = other.call('POST', '/emails', large.replace('a@shop.test', 'a@other.test'), JSON_TYPE);
  // Small requests do not wait.
  expect((await team.call('POST', '/emails', email)).status).toBe(200);
  expect((await waiting).status).toBe(200);
  // The other team was served before most of these.
  expect(stalled.filter(({ text }) => isRefused(text())).length).toBeLessThanOrEqual(2);
  await expect.poll(() => stalled.some(({ text, socket }) => isRefused(text()) && socket.closed)).toBe(true);
  for (const { socket } of stalled) socket.destroy();
});

/** Announces a message of 50 MB to the inbound port and sends its beginning. */
async function stallMail(bytes: number): Promise<Dialogue> {
  const dialogue = await openDialogue(server.smtpPort);
  for (const line of [
    'EHLO rude.example',
    'MAIL FROM:<eve@rude.example> SIZE=50000000',
    'RCPT TO:<ada@shop.test>',
    'DATA',
  ])
    expect(await dialogue.say(line)).toMatch(/^[23]/);
  dialogue.write('Subject: x\r\n\r\n'.padEnd(bytes, 'line\r\n'));
  return dialogue;
}

test('mail that stops half-way delays no request, and gives way to other mail', async () => {
  await team.call('POST', '/mailboxes', { address: 'ada@shop.test', name: 'Ada' });
  const silent = await Promise.all([stallMail(0), stallMail(0), stallMail(0)]);
  const stalled = [await stallMail(100_000), await stallMail(100_000)];
  expect((await team.call('POST', '/emails', large, JSON_TYPE)).status).toBe(200);
  const honest = await stallMail(200_000);
  expect(await honest.say('\r\n.')).toMatch(/^250 /);
  for (const dialogue of stalled) {
    expect(await dialogue.hear()).toMatch(/^421 .*too busy/);
    await expect(dialogue.hear()).rejects.toThrow('closed');
  }
  for (const dialogue of [...silent, honest]) dialogue.drop();
});

/** Sends a body without its length. */
function sendStream(path: string): Promise<Response> {
  return fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.key}`, ...JSON_TYPE },
    body: new Blob([large]).stream(),
    duplex: 'half',
  });
}

test('a body of unknown length is rejected with 503 and Retry-After when there is no space', async () => {
  // This path has a lower limit, which the body exceeds.
  expect((await sendStream('/contactBooks')).status).toBe(413);
  let refused = new Response();
  await expect
    .poll(async () => {
      const { socket } = await stall(7 * MB);
      // Gives the server time to read the beginning of the body.
      await team.call('POST', '/emails', email);
      refused = await sendStream('/emails');
      socket.destroy();
      return refused.status;
    })
    .toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await refused.json()).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  await expect.poll(async () => (await team.call('POST', '/emails', large, JSON_TYPE)).status).toBe(200);
});

test('the number of recipients and the size of an email are settings', async () => {
  expect((await team.call('POST', '/emails', { ...email, to: to(60) })).status).toBe(200);
  for (const path of ['/emails', '/emails/batch']) {
    const tooMany = { ...email, to: to(60), cc: 'x@example.org' };
    expect((await team.call('POST', path, path === '/emails' ? tooMany : [tooMany])).body).toMatchObject({
      error: { code: 'BAD_REQUEST', message: 'to must have at most 60 addresses together with cc and bcc.' },
    });
  }
  const content = Buffer.alloc(8 * MB + 1).toString('base64');
  const { body } = await team.call('POST', '/emails', {
    ...email,
    attachments: [{ filename: 'a.bin', content }],
  });
  expect(body.error.message).toBe('attachments must not make the email larger than 8 MiB in total.');
});
