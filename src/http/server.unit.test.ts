import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createUnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import type { HttpApp } from './app.ts';
import { Exchange } from './requests/exchange.ts';
import { openHttpServer, type HttpServer, type HttpServerOptions } from './server.ts';

const log = pino({ level: 'silent' });
const ok: HttpApp = (_incoming, outgoing) => void outgoing.end('fine');
const GET = 'GET / HTTP/1.1\r\nHost: here.test\r\n\r\n';
let server: HttpServer;

afterEach(() => server.close(0));

async function open(app: HttpApp, options: Partial<HttpServerOptions> = {}) {
  const errors = createUnexpectedErrors(log);
  server = await openHttpServer(app, {
    host: '127.0.0.1',
    port: 0,
    setting: 'PORT',
    log,
    errors,
    ...options,
  });
  return () => new Map(errors.counts()).get('http');
}

interface Client {
  socket: Socket;
  heard(): string;
}

async function join(): Promise<Client> {
  const socket = connect(server.port, '127.0.0.1');
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => (heard += chunk.toString()));
  await once(socket, 'connect');
  return { socket, heard: () => heard };
}

test('a request on a kept-alive connection is answered while the server closes', async () => {
  await open(ok);
  const clients = [await join(), await join(), await join()] as const;
  const [first, second, silent] = clients;
  for (const { socket } of clients) socket.write(GET);
  for (const { heard } of clients) await expect.poll(heard).toMatch(/keep-alive[^]*fine$/);
  const closed = server.close(5_000);
  // One request is sent before the close, and one a moment later.
  first.socket.write(GET);
  await once(first.socket, 'close');
  second.socket.write(GET);
  await once(second.socket, 'close');
  for (const { heard } of [first, second])
    expect(heard()).toMatch(/keep-alive[^]*fineHTTP\/1.1 200 OK[^]*connection: close[^]*fine/i);
  expect(silent.socket.closed).toBe(false);
  await closed;
  await expect.poll(() => silent.socket.closed).toBe(true);
});

test('a closing server accepts no new connections', async () => {
  await open(ok);
  const { socket } = await join();
  const closed = server.close(5_000);
  await expect(join()).rejects.toThrow('ECONNREFUSED');
  socket.destroy();
  await closed;
});

test('an endless response ends when its client disconnects, even while it waits behind another response', async () => {
  let begun = 0;
  let ended = 0;
  async function* endless() {
    begun += 1;
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      ended += 1;
    }
  }
  await open((incoming, outgoing) => {
    const answer = { status: 200, body: endless() };
    return new Exchange(incoming).send(outgoing, answer).catch(() => void outgoing.destroy());
  });
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on('warning', note);
  const { socket } = await join();
  socket.write(GET.repeat(15));
  await expect.poll(() => begun).toBe(15);
  socket.destroy();
  await expect.poll(() => ended).toBe(15);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test(
  'a connection whose headers arrive too slowly is closed after the timeout',
  { timeout: 15_000 },
  async () => {
    await open(ok, { headersTimeoutMs: 300 });
    const slow = await join();
    slow.socket.write('GET / HTTP/1.1\r\nHost: here.test\r\n');
    const silent = await join();
    await Promise.all([once(slow.socket, 'close'), once(silent.socket, 'close')]);
    expect(slow.heard()).toContain('408 Request Timeout');
  },
);

/** Sends a request, of which half of the body is missing if it has one, and reads nothing. */
async function ask(head: string): Promise<Client> {
  const client = await join();
  client.socket.pause().write(`${head} HTTP/1.1\r\nHost: here.test\r\nConnection: close\r\n`);
  client.socket.write(head.startsWith('POST') ? 'Content-Length: 10\r\n\r\n12345' : '\r\n');
  return client;
}

test('a client that stops reading a response or sending a request is disconnected, and one that is slow or waits is not', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024);
  const ended: string[] = [];
  let late: ServerResponse | undefined;
  await open(
    (incoming, outgoing) => {
      outgoing.once('close', () => ended.push(`${incoming.url} ${outgoing.writableFinished}`));
      if (incoming.url === '/late') return void (late = outgoing);
      if (incoming.url === '/upload') return void incoming.resume();
      const answer = { status: 200, body: incoming.url === '/stream' ? Readable.from([body]) : body };
      return new Exchange(incoming).send(outgoing, answer).catch(() => void outgoing.destroy());
    },
    { stalledMs: 1_000 },
  );
  const patient = await ask('GET /late');
  for (const path of ['GET /stream', 'GET /whole', 'POST /upload']) await ask(path);
  const { socket } = await ask('GET /slow');
  // A little every few milliseconds, for longer than a client may be stalled.
  socket.removeAllListeners('data');
  const reading = setInterval(() => socket.read(), 10);
  await expect
    .poll(() => ended.toSorted(), { timeout: 60_000 })
    .toEqual(['/slow true', '/stream false', '/upload false', '/whole false']);
  clearInterval(reading);
  late!.end('late');
  patient.socket.resume();
  await expect.poll(patient.heard).toContain('late');
});

test('an unhandled error of the app closes the connection and is counted', async () => {
  let requests = 0;
  const count = await open((_incoming, outgoing) => {
    requests += 1;
    if (requests === 1) throw new Error('at once');
    if (requests === 2) return Promise.reject(new Error('later'));
    outgoing.end('fine');
  });
  const other = await join();
  for (const errors of [1, 2]) {
    const { socket, heard } = await join();
    socket.write(GET);
    await once(socket, 'close');
    expect([heard(), count()]).toEqual(['', errors]);
  }
  other.socket.write(GET);
  await expect.poll(other.heard).toContain('fine');
  other.socket.destroy();
});
