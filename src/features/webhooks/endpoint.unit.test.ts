import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDns, type Dns } from '../../mail/auth/dns.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../testing/servers/certificate.ts';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import { createEndpointCaller, type EndpointCaller } from './endpoint.ts';

const neverAborted = new AbortController().signal;
let dnsServer: DnsServer;
let dns: Dns;
let receiver: WebhookReceiver;
let unrestricted: EndpointCaller;
let restricted: EndpointCaller;
const closers: (() => void)[] = [];

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  dnsServer = await startDnsServer({ 'inside.test': { A: ['127.0.0.1'] }, 'empty.test': {} });
  dns = createDns([dnsServer.address], { tryMs: 200, totalMs: 500 });
  unrestricted = createEndpointCaller(dns, { allowPrivate: true, timeoutMs: 1_000 });
  restricted = createEndpointCaller(dns, { allowPrivate: false, timeoutMs: 1_000 });
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  receiver.forget();
  receiver.answer(200);
});
afterAll(async () => {
  await Promise.all([unrestricted.close(), restricted.close(), receiver.close(), dnsServer.close()]);
});

const REQUEST = { contentType: 'application/json', body: '{}', headers: {} };

function post(url: string, caller = unrestricted) {
  return caller.post(url, { ...REQUEST, headers: { 'webhook-id': 'x' } }, neverAborted);
}

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    closers.push(() => socket.destroy());
    onSocket(socket);
  });
  closers.push(() => server.close());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

test('a 2xx is a success, and the beginning of its body is kept', async () => {
  receiver.answer((_, response) => response.writeHead(202).end('é'.repeat(2_000)));
  const attempt = await post(receiver.url);
  expect(attempt).toMatchObject({ statusCode: 202, error: null, answer: 'é'.repeat(1_024) });
});

test('an endless answer is cut off and still counts as a success', async () => {
  let written = 0;
  receiver.answer((_, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const writeUntilFull = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
      written += chunk.length;
    };
    response.on('drain', writeUntilFull);
    writeUntilFull();
  });
  expect(await post(receiver.url)).toMatchObject({ statusCode: 200, error: null, answer: 'x'.repeat(2_048) });
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test.each([301, 302, 307, 308])('a redirect (%i) is a failure and not followed', async (status) => {
  receiver.answer((_, response) =>
    response.writeHead(status, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  );
  expect(await post(receiver.url)).toMatchObject({ statusCode: status, error: 'redirect' });
  receiver.answer((_, response) => response.writeHead(status, { location: receiver.url }).end());
  receiver.forget();
  await post(receiver.url);
  expect(receiver.calls).toHaveLength(1);
});

test.each([400, 404, 410, 429, 500, 503])('%i is a failure', async (status) => {
  receiver.answer((_, response) => response.writeHead(status, { 'retry-after': '7' }).end('no'));
  expect(await post(receiver.url)).toMatchObject({
    statusCode: status,
    error: 'http_error',
    answer: 'no',
    retryAfterMs: 7_000,
  });
});

test('an endpoint that hangs before or during its answer is a timeout', async () => {
  const silent = await listen(() => {});
  expect(await post(`http://127.0.0.1:${silent}/`)).toMatchObject({ statusCode: null, error: 'timeout' });
  receiver.answer((_, response) => response.write('begun, '));
  expect(await post(receiver.url)).toMatchObject({ error: 'timeout' });
});

test('a call that is aborted by closing has no outcome', async () => {
  const silent = await listen(() => {});
  const closing = new AbortController();
  const posted = unrestricted.post(`http://127.0.0.1:${silent}/`, REQUEST, closing.signal);
  closing.abort();
  expect(await posted).toBeNull();
});

test('closing the connection, refusing it and not speaking HTTP are different errors', async () => {
  const closer = await listen((socket) => socket.destroy());
  expect(await post(`http://127.0.0.1:${closer}/`)).toMatchObject({ error: 'reset', statusCode: null });
  const notHttp = await listen((socket) => {
    socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n'));
  });
  expect(await post(`http://127.0.0.1:${notHttp}/`)).toMatchObject({ error: 'protocol' });
  const gone = await listen(() => {});
  for (const close of closers.splice(0)) close();
  expect(await post(`http://127.0.0.1:${gone}/`)).toMatchObject({ error: 'refused' });
});

test('endless headers are a failure', async () => {
  const port = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const writeUntilFull = () => {
      while (!socket.destroyed && socket.write(`x-${'y'.repeat(1_000)}: z\r\n`));
    };
    socket.on('drain', writeUntilFull);
    writeUntilFull();
  });
  expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ error: 'protocol', statusCode: null });
});

test('an untrusted certificate and a server without TLS are "tls"', async () => {
  const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  closers.push(() => server.close());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ error: 'tls' });
  expect(await post(receiver.url.replace('http:', 'https:'))).toMatchObject({ error: 'tls' });
});

function at(host: string): string {
  return `http://${host}:${receiver.port}/`;
}

test('host names are resolved by the configured DNS servers; localhost is this machine', async () => {
  expect(await post(at('inside.test'))).toMatchObject({ error: null });
  expect(dnsServer.queries).toContainEqual(expect.objectContaining({ name: 'inside.test' }));
  expect(await post(at('localhost'))).toMatchObject({ error: null });
  expect(await post(at('nowhere.test'))).toMatchObject({ error: 'dns' });
  expect(await post(at('empty.test'))).toMatchObject({ error: 'dns' });
});

test.each([
  'localhost',
  'shop.localhost',
  'inside.test',
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
])('%s is not reached when private addresses are not allowed', async (host) => {
  expect(await post(`http://${host}:${receiver.port}/`, restricted)).toMatchObject({
    error: 'private_address',
    statusCode: null,
  });
  expect(receiver.calls).toHaveLength(0);
});

test('each connection resolves the name again and rejects private addresses', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1', '::1'], ['169.254.169.254'], ['::ffff:127.0.0.1']];
  let asked = 0;
  const rebindingDns: Dns = {
    ...dns,
    host: async () => ({ kind: 'found', records: answers[asked++]! }),
  };
  const caller = createEndpointCaller(rebindingDns, { allowPrivate: false, timeoutMs: 300 });
  for (const _ of answers) {
    const attempt = await post(`http://rebound.test:${receiver.port}/`, caller);
    expect(attempt).toMatchObject({ error: 'private_address' });
  }
  expect(asked).toBe(answers.length);
  expect(receiver.calls).toHaveLength(0);
  await caller.close();
});
