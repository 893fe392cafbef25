import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'smtp'] });
});
afterAll(() => server.close());

/** With many concurrent clients, some disconnect before the server handles them. */
const AT_ONCE = 25;
/** The start of a TLS record that announces a handshake of 512 bytes. */
const HALF_A_HANDSHAKE = Buffer.from('16030102000100', 'hex');

/** Resolves when the connection is open, without waiting for the greeting. */
async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function isGone(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
}

async function repeat(times: number, visit: () => Promise<void>): Promise<void> {
  for (let done = 0; done < times; done += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, times - done) }, visit));
}

/** Checks that the server still responds to others and counted no unexpected errors. */
async function expectHealthy(): Promise<void> {
  for (const port of [server.smtpPort, server.submissionPort]) {
    const dialogue = await openDialogue(port);
    expect(await dialogue.say('EHLO polite.example')).toContain('STARTTLS');
    dialogue.drop();
  }
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const counts = metrics.match(/^posthorn_unexpected_errors_total\{.*$/gm) ?? [];
  expect(counts.length).toBeGreaterThan(0);
  expect(counts.filter((line) => !line.endsWith(' 0'))).toEqual([]);
}

const DOORS = [
  ['inbound', () => server.smtpPort],
  ['submission', () => server.submissionPort],
] as const;

test.each(DOORS)('%s survives clients that disconnect at once', async (_door, port) => {
  await repeat(100, async () => {
    const socket = await openConnection(port());
    socket.end();
    await isGone(socket);
  });
  await repeat(100, async () => {
    const socket = await openConnection(port());
    socket.resetAndDestroy();
    await isGone(socket);
  });
  await expectHealthy();
});

test.each(DOORS)(
  '%s survives more idle clients than it accepts, some of which reset',
  async (_door, port) => {
    const sockets = await Promise.all(Array.from({ length: 230 }, () => openConnection(port())));
    await Promise.race(sockets.map(isGone));
    for (const [at, socket] of sockets.entries()) {
      if (at % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await Promise.all(sockets.map(isGone));
    await expectHealthy();
  },
);

test.each(DOORS)('%s survives clients that disconnect during STARTTLS', async (_door, port) => {
  const endings: ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.write(HALF_A_HANDSHAKE, () => socket.resetAndDestroy()),
    (socket) => socket.end(HALF_A_HANDSHAKE),
    (socket) => socket.end('NOOP\r\n'.repeat(500)),
  ];
  let turn = 0;
  await repeat(50, async () => {
    const end = endings[turn++ % endings.length]!;
    const socket = await openConnection(port());
    await once(socket, 'data');
    socket.write('EHLO rude.example\r\n');
    await once(socket, 'data');
    socket.write('STARTTLS\r\n');
    await once(socket, 'data');
    end(socket);
    await isGone(socket);
  });
  await expectHealthy();
});

test('inbound survives clients that disconnect in any state of a transaction', async () => {
  const { call, teamId } = await server.createTeam();
  await addDomain(server.db, teamId, 'hostile.test');
  const made = await call('POST', '/mailboxes', { address: 'ada@hostile.test', name: 'Ada' });
  expect(made.status).toBe(200);
  const lines = [
    'EHLO rude.example',
    'MAIL FROM:<eve@rude.example>',
    'RCPT TO:<ada@hostile.test>',
    'DATA',
    'Subject: half',
    'and no dot',
  ];
  let turn = 0;
  await repeat(48, async () => {
    const lastLine = 1 + (turn % lines.length);
    const resets = turn++ % 2 === 0;
    const socket = await openConnection(server.smtpPort);
    await once(socket, 'data');
    for (const line of lines.slice(0, Math.min(lastLine, 4))) {
      socket.write(`${line}\r\n`);
      await once(socket, 'data');
    }
    for (const line of lines.slice(4, lastLine)) socket.write(`${line}\r\n`);
    if (resets) socket.resetAndDestroy();
    else socket.destroy();
    await isGone(socket);
  });
  // With a single write, the client disconnects before the first command is handled.
  await repeat(25, async () => {
    const socket = await openConnection(server.smtpPort);
    await once(socket, 'data');
    socket.write(`${lines.join('\r\n')}\r\n.\r\nQUIT\r\n`, () => socket.resetAndDestroy());
    await isGone(socket);
  });
  await expectHealthy();
});
