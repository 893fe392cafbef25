import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let bookId: string;
let mailboxId: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  bookId = (await team.call('POST', '/contactBooks', { name: 'Large' })).body.id;
  const contacts = Array.from({ length: 10_000 }, (_, at) => ({
    email: `contact${at}@example.com`,
    firstName: 'x'.repeat(100),
  }));
  expect((await team.call('POST', `/contactBooks/${bookId}/contacts/bulk`, contacts)).status).toBe(200);
  await addDomain(server.db, team.teamId, 'hostile.test');
  mailboxId = (await team.call('POST', '/mailboxes', { address: 'ada@hostile.test' })).body.id;
});
afterAll(() => server.close());

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

function head(method: string, path: string, ...more: string[]): string {
  const lines = [
    `${method} /api/v1${path} HTTP/1.1`,
    'Host: here.test',
    `Authorization: Bearer ${team.key}`,
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const JSON_BODY = ['Content-Type: application/json', 'Content-Length: 10000'];

/** When each client disconnects, what it sends before, and whether it waits for a part of the response. */
const STAGES: [string, () => string, 'waits' | 'goes'][] = [
  ['before the first byte', () => '', 'goes'],
  ['in the headers', () => 'GET /healthz HTTP/1.1\r\nHos', 'goes'],
  ['with what is no HTTP', () => '\x16\x03\x01\x02\x00', 'goes'],
  ['after the headers', () => head('GET', '/contactBooks'), 'goes'],
  ['in the body', () => `${head('POST', '/contactBooks', ...JSON_BODY)}{"name":`, 'goes'],
  [
    'before the body that it announced',
    () => head('POST', '/contactBooks', ...JSON_BODY, 'Expect: 100-continue'),
    'waits',
  ],
  [
    'in an upload',
    () =>
      `${head('POST', `/contactBooks/${bookId}/imports`, 'Content-Type: text/csv', 'Content-Length: 90000')}email\n`,
    'goes',
  ],
  [
    'in a chunk',
    () =>
      `${head('POST', '/contactBooks', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}ff\r\n{"`,
    'goes',
  ],
  ['in a long answer', () => head('GET', `/contactBooks/${bookId}/export`), 'waits'],
  ['in a stream of events', () => head('GET', `/mailboxes/${mailboxId}/events`), 'waits'],
  [
    'between answers to many requests at once',
    () => head('GET', `/contactBooks/${bookId}/export`).repeat(5),
    'waits',
  ],
  ['from a tracked link', () => 'GET /t/o/x HTTP/1.1\r\nHost: here.test\r\n\r\n', 'goes'],
];

test.each(STAGES)('clients that disconnect %s do not affect others', async (_stage, bytes, then) => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const socket = await open();
      socket.write(bytes());
      if (then === 'waits') {
        const [chunk] = (await once(socket, 'data')) as [Buffer];
        expect(chunk.toString()).toMatch(/^HTTP\/1.1 (100|200) /);
      }
      if (at % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }),
  );
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const counts = metrics.match(/^posthorn_unexpected_errors_total\{.*$/gm) ?? [];
  expect(counts.length).toBeGreaterThan(0);
  expect(counts.filter((line) => !line.endsWith(' 0'))).toEqual([]);
  // The disconnected clients hold no database connections.
  const busy = async () =>
    /database_connections\{pool="main",state="busy"\} (\d+)/.exec(
      await (await fetch(`${server.url}/metrics`)).text(),
    )?.[1];
  await expect.poll(busy).toBe('0');
});

test.each([
  ['none', 'X-Host: here.test'],
  ['two that are far apart', `Host: here.test\r\n${'a:b\r\n'.repeat(2_500)}Host: there.test`],
  ['two of them', 'Host: here.test\r\nHost: there.test'],
  ['two that are alike', 'Host: here.test\r\nhost: here.test'],
  ['two hosts in one', 'Host: here.test, there.test'],
  ['a path', 'Host: here.test/x'],
  ['a user', 'Host: me@here.test'],
])('an ambiguous or invalid Host header is 400: %s', async (_name, hosts) => {
  for (const path of ['/healthz', '/t/o/x']) {
    const socket = await open();
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(`GET ${path} HTTP/1.1\r\n${hosts}\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n[^]*connection: close\r\n[^]*Host/i);
    // The pipelined second request gets no response.
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
  }
});

test('an unknown expectation is 417 with an error body', async () => {
  const socket = await open();
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.write(head('POST', '/contactBooks', 'Expect: 200-ok', 'Content-Length: 10000'));
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1.1 417 [^]*connection: close[^]*"message":"The only supported Expect/i);
});

test('HTTP/1.0 needs no Host header', async () => {
  const socket = await open();
  socket.write('GET /healthz HTTP/1.0\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toContain('200 OK');
  socket.destroy();
});

test('one Host header is accepted, with or without a port', async () => {
  for (const host of ['here.test', 'here.test:3000', '[::1]:3000', '127.0.0.1', 'under_score.test']) {
    const socket = await open();
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toContain('200 OK');
    socket.destroy();
  }
});

test('a client that pipelines requests without reading the responses is disconnected', async () => {
  const socket = await open();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(head('GET', '/contactBooks').repeat(1_000));
  socket.resume();
  await closed;
  expect((await team.call('GET', '/contactBooks')).status).toBe(200);
});
