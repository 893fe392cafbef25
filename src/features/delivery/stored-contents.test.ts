import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../platform/ids.ts';
import { dropUnusedBlobs } from '../mailboxes/mailboxes/drop-mail.ts';
import { splitMessage } from '../content/stored/split-message.ts';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../../testing/fixtures/relay-world.ts';
import type { TestServer, TestTeam } from '../../testing/test-server.ts';

const polled = { interval: 50 };
const LATER = new Date(Date.now() + 3_600_000).toISOString();
const rows = Array.from(
  { length: 100 },
  (_, at) => `<tr><td style="color:#111827">Artikel ${at} für Ada</td></tr>`,
);
const html = `<table>${rows.join('\n')}</table>`;

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  world = await startRelayWorld();
  ({ sink, server } = world);
  team = await server.createTeam();
  await addVerifiedDomain(server, team, 'shop.test');
});
afterAll(() => world.close());

async function schedule(email: object): Promise<string> {
  const common = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', scheduledAt: LATER };
  return (await team.call('POST', '/emails', { ...common, ...email })).body.emailId;
}

async function readSource(emailId: string): Promise<string> {
  return (await team.call('GET', `/emails/${emailId}/source`)).body.raw;
}

async function readStored(emailId: string) {
  const { rows: stored } = await sql<{ size: number; inflatedSize: number | null }>`
    select octet_length(raw) as size, inflated_size as "inflatedSize" from email_contents
    where email_id = ${decodeId('eml', emailId)}
  `.execute(server.db);
  return stored[0]!;
}

/** Sends a scheduled email, and returns the message as received, without the signature that was added. */
async function sendNow(emailId: string): Promise<string> {
  const before = sink.messages.length;
  await team.call('PATCH', `/emails/${emailId}`, { scheduledAt: new Date().toISOString() });
  await expect.poll(() => sink.messages.length, polled).toBe(before + 1);
  const raw = sink.messages.at(-1)!.data.toString('utf8');
  return raw.slice(raw.indexOf('\r\nFrom: ') + 2);
}

function fromHeader(raw: string): string {
  return raw.slice(raw.indexOf('From: '));
}

test('a message is stored compressed, and read and sent unchanged', async () => {
  const emailId = await schedule({ html });
  const raw = await readSource(emailId);
  const stored = await readStored(emailId);
  expect(stored.inflatedSize).toBe(Buffer.byteLength(raw));
  expect(stored.size).toBeLessThan(raw.length / 4);
  expect((await team.call('GET', `/emails/${emailId}`)).body.html).toBe(html);
  expect(await sendNow(emailId)).toBe(fromHeader(raw));
});

test('messages that compression does not make smaller are stored as they are', async () => {
  const emailId = await schedule({ text: 'Short' });
  expect(await readStored(emailId)).toMatchObject({ inflatedSize: null });
  expect(await sendNow(emailId)).toBe(fromHeader(await readSource(emailId)));
});

async function countBlobs(): Promise<number> {
  const { rows: found } = await sql<{ count: number }>`select count(*) from blobs`.execute(server.db);
  return found[0]!.count;
}

test('an attachment of several emails is stored once, until the last of them is deleted', async () => {
  const attachments = [
    { filename: 'terms.pdf', content: randomBytes(100_000).toString('base64') },
    { filename: 'logo.png', content: randomBytes(60_001).toString('base64') },
    { filename: 'small.txt', content: Buffer.from('small').toString('base64') },
  ];
  const emailIds = [await schedule({ html, attachments }), await schedule({ text: 'Other', attachments })];
  expect(await countBlobs()).toBe(2);
  for (const emailId of emailIds) {
    const raw = await readSource(emailId);
    for (const { content } of attachments) expect(raw.replaceAll('\r\n', '')).toContain(content);
    expect((await readStored(emailId)).size).toBeLessThan(3_000);
    expect(await sendNow(emailId)).toBe(fromHeader(raw));
  }
  for (const [at, emailId] of emailIds.entries()) {
    await expect.poll(async () => (await team.call('DELETE', `/emails/${emailId}`)).status, polled).toBe(200);
    await sql`update blobs set unused_since = unused_since - interval '2 hours'`.execute(server.db);
    await dropUnusedBlobs(server.db);
    expect([at, await countBlobs()]).toEqual([at, at === 0 ? 2 : 0]);
  }
});

test('a large attachment that is written in another way is kept in the message', async () => {
  const content = Buffer.alloc(400_000, 'abcdefghijklmnopqrstuvwxyz0123456789').toString('base64');
  const lines = content.replaceAll(/.{60}/g, '$&\r\n');
  const head = 'From: a@shop.test\r\nTo: ada@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n';
  const type =
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  const raw = `${head}${type}${lines}\r\n--b--\r\n`;
  const { parts, rest } = await splitMessage(Buffer.from(raw));
  expect([parts.length, rest.equals(Buffer.from(raw))]).toEqual([0, true]);
});

test('contents that an earlier version stored without compression are read and sent', async () => {
  const emailId = await schedule({ html });
  const raw = await readSource(emailId);
  await sql`
    update email_contents set raw = ${Buffer.from(raw)}, inflated_size = null, is_text = true
    where email_id = ${decodeId('eml', emailId)}
  `.execute(server.db);
  expect(await readSource(emailId)).toBe(raw);
  expect((await team.call('GET', `/emails/${emailId}`)).body.html).toBe(html);
  expect(await sendNow(emailId)).toBe(fromHeader(raw));
});
