import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../features/identity/api-keys/api-keys.ts';
import { addDomain } from '../testing/factories.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let bookId: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  bookId = (await team.call('POST', '/contactBooks', { name: 'Manners' })).body.id;
});
afterAll(() => server.close());

const JSON_TYPE = { 'content-type': 'application/json' };

async function countBooks(): Promise<number> {
  return (await team.call('GET', '/contactBooks')).body.length;
}

describe('authentication', () => {
  test.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an unknown key', { authorization: 'Bearer ph_aaaaaaaa_bbbb' }],
    ['no key', { authorization: 'Bearer ' }],
    ['a very long key', { authorization: `Bearer ${'x'.repeat(5000)}` }],
  ])('%s is 401 in the object form, with WWW-Authenticate', async (_name, headers) => {
    const answer = await server.call('GET', '/contactBooks', undefined, headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.body.error.code).toBe('UNAUTHORIZED');
  });

  test('the scheme of the Authorization header is case-insensitive', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const { status } = await server.call('GET', '/team', undefined, {
        authorization: `${scheme} ${team.key}`,
      });
      expect(status).toBe(200);
    }
  });

  test('401 takes precedence over all other errors', async () => {
    const answer = await server.call('PATCH', '/contactBooks/xx', '{broken');
    expect(answer.status).toBe(401);
    expect(typeof answer.body.error).toBe('string');
  });

  test('a sending key and a key bound to a domain get 403 before their input is validated', async () => {
    const sending = await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' });
    const answer = await createCall(server.url, sending.body.key)('POST', '/contactBooks', '{broken');
    expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
    const domainId = await addDomain(server.db, team.teamId, 'bound.test');
    const bound = await createApiKey(server.db, team.teamId, { name: 'B', permission: 'full', domainId });
    expect((await createCall(server.url, bound.key)('GET', '/contactBooks')).status).toBe(403);
    expect(
      (await createCall(server.url, bound.key)('POST', '/api-keys', { name: 'x', permission: 'full' }))
        .status,
    ).toBe(403);
  });
});

describe('bad input is 400 and changes nothing', () => {
  const bodies: [string, unknown][] = [
    ['broken JSON', '{"name":'],
    ['an array for an object', []],
    ['null', 'null'],
    ['a string', '"name"'],
    ['a number', '1'],
    ['an empty body', ''],
    ['a missing field', {}],
    ['a wrong type', { name: 5 }],
    ['null for a required text', { name: null }],
    ['an empty text', { name: '' }],
    ['a blank text', { name: '  \t ' }],
    ['an over-long text', { name: 'x'.repeat(201) }],
    ['NUL', '{"name":"a\\u0000b"}'],
    ['NUL in a key', '{"name":"a","properties":{"a\\u0000":1}}'],
    ['a lone surrogate', '{"name":"a\\ud800"}'],
    ['a lone low surrogate in a nested text', '{"name":"a","properties":{"x":{"y":["\\udc00"]}}}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x7d])],
    ['deep nesting', `{"name":"x","properties":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`],
    ['very deep arrays', `{"name":"x","properties":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
    ['properties too large', { name: 'x', properties: { a: 'x'.repeat(17_000) } }],
    ['a variable twice', { name: 'x', variables: ['city', 'City'] }],
    ['a variable with a bad name', { name: 'x', variables: ['1st'] }],
    ['a variable that every contact has', { name: 'x', variables: ['FirstName'] }],
    ['content that is no document', { name: 'x', doubleOptInContent: 'hello' }],
    [
      'double opt-in without its link',
      { name: 'x', doubleOptInEnabled: true, doubleOptInContent: '{"type":"doc"}' },
    ],
    ['a sender that is no address', { name: 'x', doubleOptInFrom: 'Ada' }],
    ['a sender on a domain that is not verified', { name: 'x', doubleOptInFrom: 'Ada <a@unverified.test>' }],
  ];
  test.each(bodies)('%s', async (_name, body) => {
    const before = await countBooks();
    const answer = await team.call('POST', '/contactBooks', body, JSON_TYPE);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error.message).toMatch(/^\S.+\.$/);
    expect(await countBooks()).toBe(before);
  });

  test('other content types are rejected, and a missing one means JSON', async () => {
    const body = '{"name":"Typed"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'nonsense',
    ]) {
      expect((await team.call('POST', '/contactBooks', body, { 'content-type': type })).status).toBe(400);
    }
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/merge-patch+json',
    ]) {
      expect((await team.call('POST', '/contactBooks', body, { 'content-type': type })).status).toBe(200);
    }
    const untyped = await rawRequest(
      `POST /api/v1/contactBooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${team.key}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(untyped).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('unknown fields are ignored', async () => {
    expect((await team.call('POST', '/contactBooks', { name: 'x', id: 7, teamId: 99 })).body.teamId).toBe(
      team.teamId,
    );
  });

  test('each issue has the path of the invalid value', async () => {
    const { body } = await team.call('POST', '/contactBooks', { name: '', variables: ['ok', '1'] });
    expect(body.error.issues.map((issue: { path: string }) => issue.path)).toEqual(['/name', '/variables/1']);
  });

  test('the message of an issue is complete without its path', async () => {
    const { body } = await team.call('POST', '/emails', { from: 'a@x.test', to: 'b@x.test', subject: 'Hi' });
    expect(body.error).toMatchObject({
      message: 'html or text is required.',
      issues: [{ path: '/html', message: 'html or text is required' }],
    });
  });

  test('the length of text is counted in code points', async () => {
    expect((await team.call('POST', '/contactBooks', { name: '📯'.repeat(200) })).status).toBe(200);
    expect((await team.call('POST', '/contactBooks', { name: '📯'.repeat(201) })).status).toBe(400);
  });

  test('an id that is too short or contains NUL is 400, and an unknown id is 404', async () => {
    for (const [id, status] of [
      ['ab', 400],
      ['abc', 404],
      ['%00%00%00', 400],
      ['x'.repeat(300), 404],
      ['%FF%FE%FD', 404],
      ["'or 1=1--", 404],
    ] as const) {
      expect([id, (await team.call('GET', `/contactBooks/${id}`)).status]).toEqual([id, status]);
    }
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=',
    'limit=1e1',
    'limit=99999999999999999999',
    'cursor=',
    'cursor=abc',
    'cursor=%00',
    'subscribed=maybe',
    'search=%00',
    'email=',
  ])('the query ?%s is 400', async (query) => {
    expect((await team.call('GET', `/contactBooks/${bookId}/contacts?${query}`)).status).toBe(400);
  });

  test('the shape is checked before existence, and existence before stored data', async () => {
    expect((await team.call('PATCH', '/contactBooks/unknown', { name: 5 })).status).toBe(400);
    expect(
      (await team.call('PATCH', '/contactBooks/unknown', { doubleOptInFrom: 'a@unverified.test' })).status,
    ).toBe(404);
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 in the object form', async () => {
    for (const path of ['/nothing', '/contactbooks', '/contactBooks/', '/contactBooks/a/b/c/d']) {
      const answer = await team.call('GET', path);
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    '%s on a path without /api is 404 and names the right path',
    async (method) => {
      for (const path of ['/v1/contactBooks', '/v1/mailboxes/x/saved-replies', '/v1/nothing', '/v1']) {
        for (const authorization of ['', `Bearer ${team.key}`]) {
          const answer = await fetch(server.url + path, { method, headers: { authorization } });
          const { error } = (await answer.json()) as { error: { code: string; message: string } };
          expect([answer.status, error.code]).toEqual([404, 'NOT_FOUND']);
          expect(error.message).toContain(`/api${path}`);
        }
      }
    },
  );

  test('another method is 405 with Allow, in the object form even where errors are strings', async () => {
    const answer = await team.call('PUT', `/contactBooks/${bookId}`, {});
    expect([answer.status, answer.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE');
    expect((await server.call('OPTIONS', '/contactBooks')).headers.get('allow')).toBe('POST, GET, HEAD');
  });

  test('HEAD is answered as GET without a body', async () => {
    const answer = await team.call('HEAD', `/contactBooks/${bookId}`);
    expect([answer.status, answer.body]).toEqual([200, '']);
  });

  test('PATCH and DELETE of a book return errors as strings', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      const missing = await team.call(
        method,
        '/contactBooks/cbk_unknown',
        method === 'PATCH' ? {} : undefined,
      );
      expect([missing.status, missing.body]).toEqual([404, { error: 'Contact book not found' }]);
      const keyless = await server.call(method, `/contactBooks/${bookId}`);
      expect([keyless.status, typeof keyless.body.error]).toEqual([401, 'string']);
    }
    expect((await team.call('PATCH', `/contactBooks/${bookId}`, { name: '' })).body).toEqual({
      error: 'name must not be empty.',
    });
    const large = await team.call(
      'PATCH',
      `/contactBooks/${bookId}`,
      `{"name":"${'x'.repeat(3 << 20)}"}`,
      JSON_TYPE,
    );
    expect([large.status, typeof large.body.error]).toEqual([413, 'string']);
  });
});

describe('bodies have limits', () => {
  test('over 2 MiB is 413 TOO_LARGE, even if it is sent in chunks, and the connection stays usable', async () => {
    const large = `{"name":"${'x'.repeat(2 << 20)}"}`;
    const answer = await team.call('POST', '/contactBooks', large, JSON_TYPE);
    expect([answer.status, answer.body.error.code]).toEqual([413, 'TOO_LARGE']);
    const chunk = `${(1 << 20).toString(16)}\r\n${' '.repeat(1 << 20)}\r\n`;
    const head = `POST /api/v1/contactBooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${team.key}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const second = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const text = await rawRequest(`${head}${chunk.repeat(3)}0\r\n\r\n${second}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  test('a body just under 2 MiB is accepted', async () => {
    const padded = `{"name":"Padded"${' '.repeat((2 << 20) - 17)}}`;
    expect(padded.length).toBe(2 << 20);
    expect((await team.call('POST', '/contactBooks', padded, JSON_TYPE)).status).toBe(200);
  });

  test.each([
    ['no HTTP at all', 'HELO there\r\n\r\n', 400],
    ['a method that nobody knows', 'FETCH /api/v1/team HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['headers too large', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is refused with an error body', async (_name, request, status) => {
    const answer = await rawRequest(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.message).toMatch(/^[A-Z].+\.$/);
  });

  test('a body that ends too early changes nothing and does not affect others', async () => {
    const before = await countBooks();
    await rawRequest(
      `POST /api/v1/contactBooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${team.key}\r\nContent-Length: 100\r\n\r\n{"name":"Half"}`,
      true,
    );
    expect(await countBooks()).toBe(before);
  });
});

test('a stopping server answers requests that were already sent, with Connection: close', async () => {
  const other = await startTestServer();
  const { key } = await other.createTeam();
  const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
  const body = '{"name":"Late"}';
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.write(
    `POST /api/v1/contactBooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await expect.poll(() => answer).toContain('100 Continue');
  const closed = other.close();
  socket.write(body);
  await closed;
  expect(answer).toMatch(/HTTP\/1.1 200 OK[^]*\r\nconnection: close\r\n/i);
});

describe('every response', () => {
  test('has a request id, the caller’s own if it is safe to log', async () => {
    expect(
      (await team.call('GET', '/team', undefined, { 'x-request-id': 'abc-1' })).headers.get('x-request-id'),
    ).toBe('abc-1');
    expect(
      (await team.call('GET', '/team', undefined, { 'x-request-id': 'a b"' })).headers.get('x-request-id'),
    ).toMatch(/^[\w-]{8,}$/);
    expect((await server.call('GET', '/nothing')).headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
  });

  test('reveals nothing about the machine after an internal error', async () => {
    const other = await startTestServer();
    const { call } = await other.createTeam();
    await other.db.schema.alterTable('contact_books').renameTo('gone').execute();
    const answer = await call('GET', '/contactBooks');
    expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL']);
    expect(JSON.stringify(answer.body)).not.toMatch(/relation|gone|contact_books|\/src|select/);
    await other.close();
  });
});

test('/healthz needs no key, and /metrics counts by route and is only served to this machine', async () => {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await team.call('GET', `/contactBooks/${bookId}`);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(
    /posthorn_http_request_seconds_count\{method="GET",route="\/v1\/contactBooks\/\{contactBookId\}",status="200"\} \d+/,
  );
  expect(metrics).not.toContain(bookId);
  expect(
    (await fetch(`${server.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status,
  ).toBe(404);
});

/** Sends raw bytes and returns the response. `cut` ends our side of the connection right after the request. */
function rawRequest(text: string, cut = false): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    if (cut) socket.end(text);
    else socket.write(text);
  });
}

/** Returns the encoding of a list, and how many items it has. */
async function listBooks(headers: Record<string, string>): Promise<[encoding: string | null, count: number]> {
  const answer = await fetch(`${server.url}/api/v1/contactBooks`, {
    headers: { authorization: `Bearer ${team.key}`, 'accept-encoding': 'gzip', ...headers },
  });
  return [answer.headers.get('content-encoding'), ((await answer.json()) as unknown[]).length];
}

describe('compression', () => {
  test('a page in a browser gets large answers compressed, and a program gets them as they are', async () => {
    for (let no = 0; no < 5; no++) await team.call('POST', '/contactBooks', { name: `Book ${no}` });
    const count = await countBooks();
    const page = { 'sec-fetch-site': 'same-origin' };
    expect(await listBooks(page)).toEqual(['gzip', count]);
    expect(await listBooks({ ...page, 'accept-encoding': 'identity' })).toEqual([null, count]);
    expect(await listBooks({})).toEqual([null, count]);
    // Another site that has a visitor's browser ask learns nothing from the size.
    expect(await listBooks({ 'sec-fetch-site': 'cross-site' })).toEqual([null, count]);
  });
});
