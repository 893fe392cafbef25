import { Duplex } from 'node:stream';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { Connection, type ConnectionOptions } from './connection.ts';

afterEach(() => void vi.useRealTimers());

const OPTIONS: ConnectionOptions = {
  secureContext: () => {
    throw new Error('not used');
  },
  literalBytes: () => 1_000,
  reserve: async () => true,
  onBytes() {},
  onCommand() {},
  onCommandEnd() {},
};

/** A client without a network, so that time can be faked. */
function openClient(onArrival: (what: string) => void = () => {}): {
  connection: Connection;
  send(text: string): void;
  heard(): string;
} {
  let written = '';
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  const socket = Object.assign(stream, { remoteAddress: '192.0.2.1', setNoDelay() {} });
  const connection = new Connection(socket as unknown as Socket, {
    ...OPTIONS,
    onBytes: (bytes) => onArrival(`${bytes} bytes`),
    onCommand: () => onArrival('all'),
  });
  return { connection, send: (text) => void stream.push(text), heard: () => written };
}

test('a client that sends its login one byte a second is disconnected after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { connection, send, heard } = openClient();
  const command = connection.readCommand();
  const login = `a LOGIN ada@harbour.test ${'x'.repeat(100)}`;
  for (const byte of login.slice(0, 59)) {
    send(byte);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(heard()).toBe('');
  send('x');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await command).toBeNull();
  expect(heard()).toMatch(/^\* BYE .*Login takes too long\r\n$/);
});

test('a client that has logged in may be silent for half an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { connection, send } = openClient();
  connection.isAuthenticated = true;
  const command = connection.readCommand();
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  send('a NOOP\r\n');
  await vi.advanceTimersByTimeAsync(0);
  expect(await command).toMatchObject({ text: 'a NOOP' });
});

test('what has arrived is reported, so that the memory of a client that sends is not given to others', async () => {
  const arrivals: string[] = [];
  const { connection, send } = openClient((what) => arrivals.push(what));
  const command = connection.readCommand();
  for (const piece of ['a APPEND INBOX {6+}\r\n', 'abc', 'def\r\n']) {
    send(piece);
    await expect.poll(() => arrivals).toContain(`${piece.length} bytes`);
  }
  expect((await command)?.literals[0]?.toString()).toBe('abcdef');
  expect(arrivals).toEqual(['21 bytes', '3 bytes', '5 bytes', 'all']);
});

test('a large message may take its time while the client reads, and a client that reads nothing is disconnected', async () => {
  const message = Buffer.alloc(16 * 1024 * 1024);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    const connection = new Connection(socket, { ...OPTIONS, stalledMs: 3_000 });
    connection.out.write(message);
    return { client, connection, flushed: connection.out.flush() };
  };
  const [slow, stalled] = [await open(), await open()];
  const reading = setInterval(() => slow.client.read(), 10);
  await slow.flushed;
  clearInterval(reading);
  expect(slow.connection.isClosing).toBe(false);
  await stalled.flushed;
  expect(stalled.connection.isClosing).toBe(true);
  for (const { client, connection } of [slow, stalled]) {
    client.destroy();
    connection.destroy();
  }
  server.close();
});
