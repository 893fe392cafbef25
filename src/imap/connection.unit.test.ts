import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { Connection } from './connection.ts';

afterEach(() => void vi.useRealTimers());

/** A client without a network, so that time can be faked. */
function openClient(): { connection: Connection; send(text: string): void; heard(): string } {
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
    secureContext: () => {
      throw new Error('not used');
    },
    literalBytes: () => 1_000,
    reserve: async () => true,
    onCommandEnd() {},
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
