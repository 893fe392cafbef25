import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePng, joinPng, SMALL_IMAGES } from '../../../testing/images.ts';
import {
  startTestServer,
  type Answer,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';
import { dropUnusedBlobs } from '../../mailboxes/mailboxes/drop-mail.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

interface Sent {
  query?: string;
  headers?: Record<string, string>;
  by?: TestTeam;
}

async function send(
  body: Buffer | FormData,
  { query = '', headers = {}, by = team }: Sent = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/api/v1/media${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.key}`, ...headers },
    body: body instanceof FormData ? body : new Uint8Array(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function formWith(...files: [name: string, content: Buffer][]): FormData {
  const form = new FormData();
  for (const [name, content] of files) form.append('file', new Blob([new Uint8Array(content)]), name);
  return form;
}

let colours = 0;
/** Returns a new image for each test. */
function freshPng(): Buffer {
  colours += 1;
  return makePng(20, 10, [colours, 0, 0]);
}

function load(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(url.replace(server.config.baseUrl, server.url), { method, headers });
}

test.each(Object.entries(SMALL_IMAGES))('%s is stored and served as it is', async (contentType, bytes) => {
  const { status, body } = await send(bytes, {
    query: '?name=small',
    headers: { 'content-type': contentType },
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      id: expect.stringMatching(/^med_/),
      url: expect.stringMatching(/\/m\/[\w-]{60,}$/),
      name: 'small',
      contentType,
      width: 3,
      height: 2,
      size: bytes.length,
      createdAt: expect.any(String),
    },
  });
  const served = await load(body.url);
  expect(served.status).toBe(200);
  expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': contentType,
    'content-length': String(bytes.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'content-disposition': 'inline; filename="small"',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(served.headers.get('set-cookie')).toBeNull();
});

test('HEAD has no body, and a browser that has the image gets 304', async () => {
  const { body } = await send(freshPng());
  const head = await load(body.url, {}, 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(body.size)]);
  const etag = head.headers.get('etag')!;
  for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await load(body.url, { 'if-none-match': tags });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('cache-control')).toContain('immutable');
  }
  expect((await load(body.url, { 'if-none-match': '"other"' })).status).toBe(200);
  expect((await load(body.url, {}, 'POST')).status).toBe(405);
});

test('the same bytes are the same image, however they are sent', async () => {
  const bytes = freshPng();
  const [raw, form, ...others] = await Promise.all([
    send(bytes, { headers: { 'content-type': 'image/jpeg' } }),
    send(formWith(['C:\\pictures\\harbour.png', bytes])),
    ...Array.from({ length: 4 }, () => send(bytes)),
  ]);
  for (const { status, body } of [form, ...others]) {
    expect([status, body.id, body.url]).toEqual([200, raw.body.id, raw.body.url]);
  }
  expect(raw.body.contentType).toBe('image/png');
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from media where sha256 = sha256(${bytes})`.execute(server.db);
  expect(rows[0]!.count).toBe(1);
});

async function nameOf(body: Buffer | FormData, query = ''): Promise<string> {
  return (await send(body, { query })).body.name;
}

test('the name is that of the query, of the form, or a default', async () => {
  expect(await nameOf(freshPng(), '?name=%20Our%20logo%20')).toBe('Our logo');
  expect(await nameOf(formWith(['bücher.png', freshPng()]))).toBe('bücher.png');
  expect(await nameOf(formWith(['bücher.png', freshPng()]), '?name=Books')).toBe('Books');
  expect(await nameOf(formWith(['../../etc/p\u202egnp.exe', freshPng()]))).toBe('pgnp.exe');
  expect(await nameOf(formWith(['x'.repeat(400), freshPng()]))).toBe('x'.repeat(200));
  expect(await nameOf(freshPng())).toBe('image.png');
  for (const query of ['?name=', `?name=${'x'.repeat(201)}`, '?name=%00', `?name=${'%20'.repeat(4000)}`])
    expect((await send(freshPng(), { query })).status).toBe(400);
});

test('images are listed newest first, read and deleted, and other teams do not see them', async () => {
  const [own, other] = [await server.createTeam(), await server.createTeam()];
  const bytes = freshPng();
  const images = [];
  for (const content of [bytes, freshPng(), freshPng()]) images.push((await send(content, { by: own })).body);
  const first = (await own.call('GET', '/media?limit=2')).body;
  const second = (await own.call('GET', `/media?limit=2&cursor=${first.next_cursor}`)).body;
  expect([...first.items, ...second.items]).toEqual(images.toReversed());
  expect(second.next_cursor).toBeNull();

  const [{ id, url }] = images;
  expect((await own.call('GET', `/media/${id}`)).body).toEqual(images[0]);
  for (const method of ['GET', 'DELETE']) expect((await other.call(method, `/media/${id}`)).status).toBe(404);
  const theirs = (await send(bytes, { by: other })).body;
  expect([theirs.id === id, theirs.url === url]).toEqual([false, false]);

  expect((await own.call('DELETE', `/media/${id}`)).body).toEqual({ id, success: true });
  expect((await own.call('DELETE', `/media/${id}`)).status).toBe(404);
  expect((await own.call('GET', `/media/${id}`)).status).toBe(404);
  const gone = await load(url);
  expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store']);
  expect((await load(theirs.url)).status).toBe(200);
  expect((await own.call('GET', '/media?cursor=nonsense')).status).toBe(400);
  expect((await own.call('GET', '/media/tpl_01kbd8x4zvf7m8rk2q3w5t6y7h')).status).toBe(404);
});

test('the bytes of a deleted image are deleted, and those of others stay', async () => {
  const [kept, gone, shared] = [freshPng(), freshPng(), makePng(1200, 60)];
  const images = await Promise.all([kept, gone, shared].map((bytes) => send(bytes)));
  await sql`insert into email_content_parts (team_id, email_id, at, sha256)
    values (${team.teamId}, gen_random_uuid(), 0, sha256(${shared}))`.execute(server.db);
  for (const { body } of images.slice(1)) await team.call('DELETE', `/media/${body.id}`);
  await sql`update blobs set unused_since = now() - interval '2 hours'`.execute(server.db);
  await dropUnusedBlobs(server.db);
  const { rows } = await sql<{ hash: string }>`
    select encode(sha256, 'hex') as hash from blobs where team_id = ${team.teamId}
      and sha256 in (sha256(${kept}), sha256(${gone}), sha256(${shared}))`.execute(server.db);
  expect(rows).toHaveLength(2);
  expect((await load(images[0]!.body.url)).status).toBe(200);
  const again = await send(gone);
  expect([again.status, again.body.url]).toEqual([200, images[1]!.body.url]);
  expect((await load(again.body.url)).status).toBe(200);
});

test('an address that was changed or guessed is not found', async () => {
  const { url } = (await send(freshPng())).body as { url: string };
  const token = url.split('/m/')[1]!;
  const changed = [
    `${token.slice(0, 8)}${token[8] === 'A' ? 'B' : 'A'}${token.slice(9)}`,
    token.slice(0, -1),
    `${token}A`,
    `${token}/x`,
    'x',
    '',
    '%00',
    '../api/v1/media',
  ];
  for (const text of changed) {
    const answer = await load(url.replace(token, text), { accept: 'text/html' });
    expect([answer.status, answer.headers.get('content-type')], text).not.toEqual([200, 'image/png']);
    expect(answer.status, text).toBeLessThan(500);
  }
});

const SVG_PNG = makePng(2, 2);

test.each([
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['SVG that is called PNG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/png'],
  ['a PNG that is called SVG', SVG_PNG, 'image/svg+xml'],
  ['HTML', '<!doctype html><script>alert(1)</script>', 'text/html'],
  ['HTML that is called PNG', '<!doctype html><script>alert(1)</script>', 'image/png'],
  ['a script that begins like a GIF', 'GIF89a/*\0\0*/=1;alert(1)//', 'image/gif'],
  ['a truncated PNG', makePng(200, 200).subarray(0, 60), 'image/png'],
  ['an image of 4 gigapixels', joinPng(65_535, 65_535, Buffer.alloc(10)), 'image/png'],
  ['nothing', '', 'image/png'],
  ['JSON', '{}', 'application/json'],
])('%s is refused', async (_, content, type) => {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
  const { status, body } = await send(bytes, { headers: { 'content-type': type } });
  expect([status, body.error.code, body.error.message]).toEqual([
    400,
    'BAD_REQUEST',
    expect.stringMatching(/\.$/),
  ]);
  // The type that a form declares for its file is ignored.
  const isImage = bytes.equals(SVG_PNG);
  expect((await send(formWith(['a.png', bytes]))).status).toBe(isImage ? 200 : 400);
});

test('a form must have one file', async () => {
  const noFile = new FormData();
  noFile.append('file', 'text');
  for (const form of [noFile, formWith(['a.png', freshPng()], ['b.png', freshPng()])]) {
    const { status, body } = await send(form);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('exactly one file')]);
  }
  const broken = await send(Buffer.from('--x\r\n'), {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  expect(broken.status).toBe(400);
});

test('an image of 10 MiB is accepted, and one byte more is too large', async () => {
  const limit = 10 * 1024 * 1024;
  const large = Buffer.concat([freshPng(), Buffer.alloc(limit)]).subarray(0, limit);
  const stored = await send(formWith(['large.png', large]));
  expect([stored.status, stored.body.size]).toEqual([200, limit]);
  expect((await (await load(stored.body.url)).arrayBuffer()).byteLength).toBe(limit);
  const tooLarge = Buffer.concat([large, Buffer.alloc(1)]);
  for (const body of [tooLarge, formWith(['large.png', tooLarge]), Buffer.concat([large, large])]) {
    const answer = await send(body);
    expect([answer.status, answer.body.error.code]).toEqual([413, 'TOO_LARGE']);
  }
});

test('a repeated request with an Idempotency-Key gets the first answer', async () => {
  const bytes = freshPng();
  const headers = { 'idempotency-key': 'one', 'content-type': 'image/png' };
  const first = await send(bytes, { headers });
  await team.call('DELETE', `/media/${first.body.id}`);
  const again = await send(bytes, { headers });
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await send(freshPng(), { headers })).status).toBe(422);
});
