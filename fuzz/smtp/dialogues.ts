/** Hostile dialogues for both SMTP ports. `size` scales them; it is 1 in a full run. */
import { connect as startTls } from 'node:tls';
import { shuffle, type Random } from '../random.ts';
import { authLine, type Client } from './client.ts';

interface Scene {
  random: Random;
  size: number;
  /** A recipient that the port accepts. */
  address: string;
  key: string;
  /** Opens a connection to the same port. It is closed at the end of the dialogue. */
  open(): Promise<Client>;
}

export interface Dialogue {
  name: string;
  run(scene: Scene): Promise<void>;
}

const MIB = 1024 * 1024;

export const DIALOGUES: Dialogue[] = [
  { name: 'connect and close, one after the other', run: (scene) => connectAndClose(scene, 1) },
  { name: 'connect and close, 20 at a time', run: (scene) => connectAndClose(scene, 20) },
  {
    name: 'connect and reset',
    run: (scene) =>
      times(300 * scene.size, async () => {
        const client = await scene.open();
        client.socket.resetAndDestroy();
      }),
  },
  {
    name: 'many idle connections',
    run: async (scene) => {
      const clients: Client[] = [];
      await times(260 * scene.size, async () => void clients.push(await scene.open()));
      for (const client of clients) client.socket.destroy();
    },
  },
  {
    name: 'garbage in place of EHLO',
    run: (scene) =>
      inTens(30 * scene.size, async () => {
        const client = await scene.open();
        await client.write(randomBytes(scene.random, 1 + scene.random.int(20_000)));
        await client.write('\r\nQUIT\r\n');
        await client.drain();
      }),
  },
  {
    name: 'an HTTP request',
    run: (scene) => writeOnly(scene, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello\r\n'),
  },
  {
    name: 'a TLS hello in the clear',
    run: (scene) => writeOnly(scene, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'),
  },
  {
    name: 'a line without an end',
    run: async (scene) => {
      const client = await scene.open();
      for (let count = 0; count < 64 * scene.size; count += 1) await client.write('x'.repeat(MIB / 4));
      await client.drain();
    },
  },
  {
    name: 'a million empty lines',
    run: (scene) => writeOnly(scene, '\r\n'.repeat(1_000_000 * scene.size)),
  },
  {
    name: 'commands with NUL, 8-bit and control characters',
    run: (scene) =>
      writeOnly(
        scene,
        'EHLO a\0b\r\nEHLO \xff\xfe\r\nMAIL FROM:<\0@\xff>\r\nRCPT TO:<\x01>\r\nDATA\r\n\0\r\n.\r\n',
      ),
  },
  {
    name: 'lines that end in a bare LF or CR',
    run: (scene) =>
      writeOnly(scene, `EHLO x\nMAIL FROM:<a@b.test>\nRCPT TO:<${scene.address}>\rDATA\n\nx\n.\nQUIT\n`),
  },
  { name: 'arguments that are too long', run: longArguments },
  {
    name: 'everything in one write',
    run: async (scene) => {
      const message = `MAIL FROM:<a@b.test>\r\nRCPT TO:<${scene.address}>\r\nDATA\r\nSubject: x\r\n\r\nx\r\n.\r\n`;
      await writeOnly(
        scene,
        `EHLO x\r\n${authLine(scene.key)}\r\n${message.repeat(50 * scene.size)}QUIT\r\n`,
      );
    },
  },
  {
    name: 'thousands of recipients',
    run: async (scene) => {
      const client = await begin(scene);
      await client.say('MAIL FROM:<a@b.test>');
      const lines = Array.from({ length: 3000 * scene.size }, (_, index) => `RCPT TO:<x${index}@b.test>\r\n`);
      await client.write(lines.join(''));
      await client.drain();
    },
  },
  {
    name: 'STARTTLS and close',
    run: (scene) => inTens(50 * scene.size, () => startTlsAndClose(scene, '')),
  },
  {
    name: 'STARTTLS and garbage',
    run: (scene) =>
      inTens(20 * scene.size, () => startTlsAndClose(scene, 'EHLO x\r\nMAIL FROM:<a@b.test>\r\n')),
  },
  { name: 'STARTTLS with commands injected before it', run: tlsInjection },
  { name: 'DATA cut in the middle', run: (scene) => inTens(40 * scene.size, () => cutData(scene)) },
  { name: 'DATA written byte by byte', run: slowData },
  {
    name: 'DATA of 12 MB of lines with two dots',
    run: (scene) => sendData(scene, '..\r\n'.repeat(3 * MIB * scene.size)),
  },
  {
    name: 'DATA of one line',
    run: (scene) => sendData(scene, `Subject: x\r\n\r\n${'x'.repeat(20 * MIB * scene.size)}\r\n`),
  },
  {
    name: 'DATA with bare LF, CR and NUL',
    run: (scene) => sendData(scene, 'Subject: x\n\r\0\r\r\n\n.\n\r.\r\n\xff\r\n'),
  },
  {
    name: 'DATA larger than is taken',
    run: (scene) =>
      sendData(
        scene,
        'x'
          .repeat(998)
          .concat('\r\n')
          .repeat(60_000 * scene.size),
      ),
  },
  {
    name: 'BDAT, with wrong sizes',
    run: (scene) =>
      writeOnly(
        scene,
        `EHLO x\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<${scene.address}>\r\nBDAT 5\r\nhelloBDAT -1\r\nBDAT 99999999999999\r\nxBDAT 0 LAST\r\n`,
      ),
  },
  {
    name: 'AUTH with broken answers',
    run: async (scene) => {
      for (const line of [
        'AUTH PLAIN',
        'AUTH PLAIN =',
        `AUTH PLAIN ${'A'.repeat(3000)}`,
        'AUTH LOGIN',
        'AUTH X',
        'AUTH PLAIN AAAA',
      ]) {
        const client = await scene.open();
        await client.write(`EHLO x\r\n${line}\r\n\0\r\n*\r\n${'='.repeat(2000)}\r\nQUIT\r\n`);
        await client.drain();
      }
    },
  },
  {
    name: 'random commands in random order',
    run: (scene) => inTens(60 * scene.size, () => randomCommands(scene)),
  },
];

async function connectAndClose(scene: Scene, atOnce: number): Promise<void> {
  await times((1000 * scene.size) / atOnce, async () => {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const client = await scene.open();
        client.socket.destroy();
      }),
    );
  });
}

async function writeOnly(scene: Scene, text: string): Promise<void> {
  const client = await scene.open();
  await client.write(text);
  await client.drain();
}

/** Opens a session after the greeting, authenticated if the port requires it. */
async function begin(scene: Scene): Promise<Client> {
  const client = await scene.open();
  await client.hear();
  await client.say('EHLO fuzz.test');
  await client.say(authLine(scene.key));
  return client;
}

async function beginData(scene: Scene): Promise<Client> {
  const client = await begin(scene);
  await client.say('MAIL FROM:<a@b.test>');
  await client.say(`RCPT TO:<${scene.address}>`);
  await client.say('DATA');
  return client;
}

async function sendData(scene: Scene, data: string): Promise<void> {
  const client = await beginData(scene);
  await client.write(data);
  await client.write('\r\n.\r\n');
  await client.hear();
}

async function cutData(scene: Scene): Promise<void> {
  const client = await beginData(scene);
  const text = `Subject: x\r\n\r\n${'It turns.\r\n'.repeat(scene.random.int(2000))}`;
  await client.write(text.slice(0, scene.random.int(text.length)));
  if (scene.random.chance(0.5)) client.socket.resetAndDestroy();
  else client.socket.destroy();
}

async function slowData(scene: Scene): Promise<void> {
  const client = await beginData(scene);
  client.socket.setNoDelay(true);
  for (const byte of 'Subject: x\r\n\r\n.\r\r\n..\r\n') await client.write(byte);
  await client.write('\r\n.\r\n');
  await client.hear();
}

async function startTlsAndClose(scene: Scene, text: string): Promise<void> {
  const client = await scene.open();
  await client.hear();
  await client.say('EHLO x');
  await client.say('STARTTLS');
  if (text !== '') {
    await client.write(text);
    await client.drain();
  }
  client.socket.destroy();
}

/** Commands sent before TLS must not be executed inside it (CVE-2011-0411). */
async function tlsInjection(scene: Scene): Promise<void> {
  const client = await scene.open();
  await client.hear();
  await client.say('EHLO x');
  client.socket.removeAllListeners('data');
  client.socket.write('STARTTLS\r\nMAIL FROM:<a@b.test>\r\n');
  await new Promise((resolve) => client.socket.once('data', resolve));
  const secure = startTls({ socket: client.socket, rejectUnauthorized: false });
  secure.on('error', () => {});
  await new Promise((resolve) => {
    secure.once('secureConnect', resolve);
    secure.once('close', resolve);
    setTimeout(resolve, 1000);
  });
  secure.destroy();
}

const LONG_ARGUMENTS = [
  'EHLO ',
  'MAIL FROM:<',
  'RCPT TO:<',
  'AUTH PLAIN ',
  'VRFY ',
  'HELP ',
  'XCLIENT ADDR=',
].flatMap((command) =>
  ['x', ' ', '<', '"', '@', '\\', 'a@b,', '='].map((filler) => command + filler.repeat(4000 / filler.length)),
);

async function longArguments(scene: Scene): Promise<void> {
  const lines = shuffle(LONG_ARGUMENTS, scene.random);
  await inTens(lines.length * scene.size, async () => {
    const client = await begin(scene);
    await client.write(`${lines.pop()}\r\nQUIT\r\n`);
    await client.drain();
  });
}

async function randomCommands(scene: Scene): Promise<void> {
  const { random } = scene;
  const client = await scene.open();
  const commands = [
    'EHLO x',
    'HELO',
    'LHLO x',
    'MAIL FROM:<>',
    'MAIL FROM:<a@b.test> SIZE=-1 BODY=8BITMIME SMTPUTF8',
    'MAIL FROM:a@b SIZE=99999999999999999999',
    `RCPT TO:<${scene.address}>`,
    'RCPT TO:<"a b"@c.test> NOTIFY=NEVER ORCPT=x',
    'RCPT TO:<@a,@b:c@d>',
    'DATA',
    '.',
    'RSET',
    'NOOP x',
    'VRFY postmaster',
    'EXPN x',
    'HELP',
    'ETRN x',
    'XFORWARD',
    authLine(scene.key),
    'QUIT',
  ];
  const lines = Array.from({ length: 1 + random.int(30) }, () => random.pick(commands));
  await client.write(`${lines.join('\r\n')}\r\n`);
  if (random.chance(0.5)) await client.drain();
}

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.int(256)));
}

/** Opens ten connections at a time, because each greeting takes a moment. */
async function inTens(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const workers = Array.from({ length: 10 }, async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  });
  await Promise.all(workers);
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work();
}
