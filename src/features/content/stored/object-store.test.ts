/** Tests large contents in an object store through the API, inbound SMTP and delivery, with a store that fails. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { dropUnusedBlobs } from '../../mailboxes/mailboxes/drop-mail.ts';
import { sha256 } from '../../../platform/crypto.ts';
import { poolOf } from '../../../platform/database/database.ts';
import { createLog } from '../../../platform/log.ts';
import { useObjectStore } from '../../../platform/object-store/object-store-of.ts';
import type { ObjectStore } from '../../../platform/object-store/s3-store.ts';
import { startMailWorld, rawMail, type MailWorld } from '../../../testing/mail-world.ts';
import { makePng } from '../../../testing/images.ts';
import { startObjectStore } from '../../../testing/servers/object-store.ts';
import { readMetrics } from '../../../testing/read-metrics.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { sweepObjects } from './sweep-objects.ts';

const polled = { interval: 50 };
const LATER = new Date(Date.now() + 3_600_000).toISOString();

let objects: Awaited<ReturnType<typeof startObjectStore>>;
let world: MailWorld;
let client: ObjectStore;

beforeAll(async () => {
  objects = await startObjectStore();
  world = await startMailWorld({ env: { BLOB_URL: objects.url } });
  // The key of the first object contains the namespace of the instance.
  await receiveFile(randomFile());
  const { rows } = await sql<{ key: string }>`
    select object_key as key from blobs where object_key is not null limit 1`.execute(world.server.db);
  client = objects.openClient(rows[0]!.key.split('/')[0]!);
  useObjectStore(poolOf(world.server.db), client);
});
beforeEach(() => objects.set('open'));
afterAll(async () => {
  objects.set('open');
  await world.close();
  await client.close();
  objects.close();
});

function randomFile(bytes = 50_000): string {
  return randomBytes(bytes).toString('base64');
}

function mailWith(content: string): string {
  const lines = content.replaceAll(/.{76}/g, '$&\n');
  const type = 'Content-Type: application/pdf; name="terms.pdf"\nContent-Transfer-Encoding: base64';
  const text = `--b\n\nSee the file.\n--b\n${type}\n\n${lines}\n--b--\n`;
  return rawMail({ more: 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b', text });
}

/** Sends a message with a file to a new mailbox, and returns the paths to read it. */
async function receiveFile(content: string) {
  const box = await world.freshMailbox();
  const raw = mailWith(content);
  // A server that has just found the store away defers mail for two seconds more.
  await vi.waitFor(async () => expect((await world.write(box.address, raw)).data).toMatch(/^250/), {
    ...polled,
    timeout: 30_000,
  });
  const [thread] = await world.threads(box.id);
  const { messages } = await world.thread(thread!.id);
  const message = `/messages/${messages[0]!.id}`;
  return {
    raw,
    box,
    thread: `/threads/${thread!.id}`,
    source: `${message}/raw`,
    file: `${message}/attachments/0`,
  };
}

async function readFile(path: string): Promise<{ status: number; content: string }> {
  const authorization = `Bearer ${world.team.key}`;
  const answer = await fetch(`${world.server.url}/api/v1${path}`, { headers: { authorization } });
  return { status: answer.status, content: Buffer.from(await answer.arrayBuffer()).toString('base64') };
}

/** Lists the keys of all objects of the instance. */
async function listObjects(): Promise<string[]> {
  const keys: string[] = [];
  for (let next: string | null = null; ;) {
    const page = await client.list(next);
    keys.push(...page.objects.map(({ key }) => key));
    if ((next = page.next) === null) return keys;
  }
}

async function dropUnused(): Promise<void> {
  await sql`update blobs set unused_since = unused_since - interval '2 hours'`.execute(world.server.db);
  await dropUnusedBlobs(world.server.db);
}

async function deleteThread(path: string): Promise<void> {
  await world.team.call('PATCH', path, { folder: 'trash' });
  expect((await world.team.call('DELETE', path)).status).toBe(200);
}

function emailWith(content: string, more: object = {}) {
  const attachments = [{ filename: 'terms.pdf', content }];
  return { from: 'a@harbour.test', to: 'ada@example.org', subject: 'x', text: 'y', attachments, ...more };
}

test('received mail and its files are in the store, and are read unchanged', async () => {
  const before = await listObjects();
  const content = randomFile();
  const { raw, source, file } = await receiveFile(content);
  expect((await listObjects()).length - before.length).toBe(2);
  expect(await readFile(file)).toEqual({ status: 200, content });
  expect((await world.team.call('GET', source)).body).toContain(raw.replaceAll('\n', '\r\n'));
  const { rows } = await sql<{ inRows: number; inStore: number }>`
    select coalesce(max(octet_length(bytes)), 0) as "inRows", min(object_size) as "inStore" from blobs
  `.execute(world.server.db);
  expect(rows[0]!.inRows).toBeLessThan(32 * 1024);
  expect(rows[0]!.inStore).toBeGreaterThanOrEqual(50_000);
});

test('the same file in an email, a draft and received mail is one object, until the last is deleted', async () => {
  const content = randomFile();
  const { box, file, thread } = await receiveFile(content);
  const before = await listObjects();
  const { body } = await world.team.call('POST', '/emails', emailWith(content, { scheduledAt: LATER }));
  const draft = await world.team.call('POST', `/mailboxes/${box.id}/drafts`, { subject: 'Draft' });
  const files = `/mailboxes/${box.id}/drafts/${draft.body.id}/attachments`;
  expect((await world.team.call('POST', files, { filename: 'a.pdf', content })).status).toBe(200);
  expect(await listObjects()).toEqual(before);
  const source = (await world.team.call('GET', `/emails/${body.emailId}/source`)).body.raw;
  expect(source.replaceAll('\r\n', '')).toContain(content);
  await deleteThread(thread);
  await dropUnused();
  expect((await listObjects()).length).toBe(before.length - 1);
  expect((await readFile(`/messages/${draft.body.id}/attachments/0`)).content).toBe(content);
  expect((await readFile(file)).status).toBe(404);
});

test('an image of the media library is in the store, is served from it, and is deleted from it', async () => {
  const image = Buffer.concat([makePng(40, 30), randomBytes(50_000)]);
  const before = await listObjects();
  for (const key of ['a', 'b']) {
    const headers = { 'content-type': 'image/png', 'idempotency-key': `image ${key}` };
    const { status, body } = await world.team.call('POST', '/media', image, headers);
    expect(status).toBe(200);
    const served = await fetch(body.url.replace(world.server.config.baseUrl, world.server.url));
    expect(Buffer.from(await served.arrayBuffer()).equals(image)).toBe(true);
    expect((await listObjects()).length - before.length).toBe(1);
    await world.team.call('DELETE', `/media/${body.id}`);
    await dropUnused();
    expect(await listObjects()).toEqual(before);
  }
});

test('an email with a large file is delivered from the store', async () => {
  const content = randomFile(200_000);
  const box = await world.freshMailbox();
  const sent = await world.team.call('POST', '/emails', emailWith(content, { to: box.address }));
  expect(sent.status).toBe(200);
  await expect.poll(() => world.messageCount(box.id), polled).toBe(1);
  const { messages } = await world.thread((await world.threads(box.id))[0]!.id);
  expect((await readFile(`/messages/${messages[0]!.id}/attachments/0`)).content).toBe(content);
});

test('a draft with a file is sent, and a request with an Idempotency-Key stores its file', async () => {
  const [box, other] = [await world.freshMailbox({ undo_seconds: 0 }), await world.freshMailbox()];
  const content = randomFile();
  const message = {
    to: [other.address],
    subject: 'File',
    text: 'x',
    attachments: [{ filename: 'a', content }],
  };
  const draft = await world.team.call('POST', `/mailboxes/${box.id}/drafts`, message);
  const path = `/mailboxes/${box.id}/drafts/${draft.body.id}/send`;
  expect((await world.team.call('POST', path, {})).status).toBe(200);
  const direct = { ...message, attachments: [{ filename: 'b', content: randomFile() }] };
  const key = { 'idempotency-key': 'k1' };
  expect((await world.team.call('POST', `/mailboxes/${box.id}/messages`, direct, key)).status).toBe(200);
  await expect.poll(() => world.messageCount(other.id), polled).toBe(2);
  const received = await sql<{ lost: number }>`
    select count(*) as lost from message_attachments a
    where not exists (select from blobs b where b.team_id = a.team_id and b.sha256 = a.sha256)
  `.execute(world.server.db);
  expect(received.rows[0]!.lost).toBe(0);
});

test.each(['away', 'silent'] as const)('while the store is %s, callers are told to retry', async (state) => {
  const { file } = await receiveFile(randomFile());
  const box = await world.freshMailbox();
  objects.set(state);
  const refused = await world.team.call('POST', '/emails', emailWith(randomFile()));
  expect([refused.status, refused.body.error.code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await readFile(file)).status).toBe(503);
  const mail = mailWith(randomFile());
  expect((await world.write(box.address, mail)).data).toMatch(/^451 4\.3\.0/);
  expect(await world.messageCount(box.id)).toBe(0);
  // Everything that needs no large content continues.
  await world.receive(box);
  expect((await world.team.call('POST', '/emails', emailWith('aGk='))).status).toBe(200);
  objects.set('open');
  await expect.poll(async () => (await readFile(file)).status, polled).toBe(200);
  await expect.poll(async () => (await world.write(box.address, mail)).data, polled).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(2);
});

test('a delivery waits while the store is away', async () => {
  const content = randomFile();
  const box = await world.freshMailbox();
  const waiting = emailWith(content, { to: box.address, scheduledAt: LATER });
  const { emailId } = (await world.team.call('POST', '/emails', waiting)).body;
  objects.set('away');
  await world.team.call('PATCH', `/emails/${emailId}`, { scheduledAt: new Date().toISOString() });
  const delayed = async () => {
    const { rows } = await sql<{ attempts: number }>`select attempts from deliveries`.execute(
      world.server.db,
    );
    return rows.map(({ attempts }) => attempts);
  };
  await expect.poll(delayed, polled).toEqual([1]);
  objects.set('open');
  const retry = async () => {
    await sql`update deliveries set due_at = now() where leased_by is null`.execute(world.server.db);
    return world.messageCount(box.id);
  };
  await expect.poll(retry, { ...polled, interval: 500 }).toBe(1);
  const { emailEvents } = (await world.team.call('GET', `/emails/${emailId}`)).body;
  expect(JSON.stringify(emailEvents)).toContain('The object store is not available right now.');
});

test('a missing object is reported, and is not an internal error', async () => {
  const { file, source } = await receiveFile(randomFile());
  for (const key of await listObjects()) await client.delete(key);
  for (const path of [file, source]) {
    const { status, body } = await world.team.call('GET', path);
    expect([status, body.error.message]).toEqual([
      404,
      expect.stringContaining('missing in the object store'),
    ]);
  }
  const metrics = await readMetrics(`${world.server.url}/metrics`);
  expect(metrics.get('posthorn_object_store_lost_total{loss="missing"}')).toBe(2);
  const failed = 'posthorn_object_store_requests_total{operation="put",outcome="failed"}';
  expect(metrics.get(failed)).toBeGreaterThan(0);
});

test('an object that is deleted late is not that of the same content stored again', async () => {
  const content = randomFile();
  const first = await receiveFile(content);
  await deleteThread(first.thread);
  const late: string[] = [];
  useObjectStore(poolOf(world.server.db), { ...client, delete: async (key) => void late.push(key) });
  await dropUnused();
  useObjectStore(poolOf(world.server.db), client);
  const again = await receiveFile(content);
  expect(late.length).toBeGreaterThanOrEqual(2);
  for (const key of late) await client.delete(key);
  expect(await readFile(again.file)).toEqual({ status: 200, content });
});

test('the sweep deletes only old objects that nothing refers to', async () => {
  const content = randomFile();
  const { file } = await receiveFile(content);
  const namespace = (await listObjects())[0]!.split('/')[0];
  const orphan = `${namespace}/1/${'0'.repeat(64)}/${randomUUID()}`;
  const foreign = `${namespace}/notes.txt`;
  for (const key of [orphan, foreign]) await client.put(key, Buffer.from('x'), sha256('x'));
  await sweepObjects(world.server.db, createLog('silent'));
  expect(await listObjects()).toContain(orphan);
  // The clock of the store may be a little behind.
  await sweepObjects(world.server.db, createLog('silent'), -60_000);
  const left = await listObjects();
  expect([left.includes(orphan), left.includes(foreign)]).toEqual([false, true]);
  expect(await readFile(file)).toEqual({ status: 200, content });
});

test('a server without BLOB_URL does not start on a database whose contents are in a store', async () => {
  const databaseUrl = world.server.config.databaseUrl!;
  await expect(startTestServer({ databaseUrl })).rejects.toThrow(/Set BLOB_URL/);
});
