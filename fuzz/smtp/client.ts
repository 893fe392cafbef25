/** An SMTP client that writes arbitrary bytes and records them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Exchange } from '../findings.ts';
import type { Target } from '../target.ts';

export type Door = 'inbound' | 'submission';

export interface Client {
  socket: Socket;
  /** Writes without waiting for a reply. */
  write(bytes: string | Buffer): Promise<void>;
  /** Returns the code of the next reply; null if the connection was closed instead. */
  hear(): Promise<string | null>;
  /** Writes a line and returns the code of the reply. */
  say(line: string): Promise<string | null>;
  /** Reads until the server closes the connection or sends nothing for a while. */
  drain(): Promise<void>;
}

const REPLY = /^(?:\d{3}-[^\r\n]*\r\n)*(\d{3})(?: [^\r\n]*)?\r\n/;
const REPLY_WITHIN_MS = 60_000;
const QUIET_MS = 300;
/** The recorded part of a dialogue, for replaying it. */
const KEPT_BYTES = 64 * 1024 * 1024;

export async function openClient(port: number, exchange?: Exchange): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let input = '';
  let wake: (() => void) | null = null;
  socket.on('data', (chunk) => {
    input += chunk.toString('latin1');
    wake?.();
  });
  socket.on('error', () => {});
  socket.on('close', () => wake?.());
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);

  async function change(withinMs: number): Promise<boolean> {
    if (socket.destroyed) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  async function hear(): Promise<string | null> {
    for (;;) {
      const reply = REPLY.exec(input);
      if (reply) {
        input = input.slice(reply[0].length);
        return reply[1]!;
      }
      if (socket.destroyed) return null;
      if (!(await change(REPLY_WITHIN_MS))) throw new Error(`No reply within ${REPLY_WITHIN_MS} ms.`);
    }
  }

  async function write(bytes: string | Buffer): Promise<void> {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    if (exchange?.wire && exchange.wire.bytes.length < KEPT_BYTES)
      exchange.wire.bytes = Buffer.concat([exchange.wire.bytes, buffer]);
    if (socket.destroyed || socket.write(buffer)) return;
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }

  return {
    socket,
    write,
    hear,
    async say(line) {
      await write(`${line}\r\n`);
      return hear();
    },
    async drain() {
      while (!socket.destroyed && (await change(QUIET_MS))) input = '';
    },
  };
}

export function portOf(target: Target, door: Door): number {
  return door === 'inbound' ? target.inboundPort : target.submissionPort;
}

export function authLine(key: string): string {
  return `AUTH PLAIN ${Buffer.from(`\0fuzz\0${key}`).toString('base64')}`;
}

export interface OutgoingMail {
  name: string;
  to: string[];
  raw: Buffer;
}

const MESSAGE_LIMIT_MS = 10_000;

/** Sends a message as a normal server would. Returns the code of the last reply. */
export async function writeTo(target: Target, door: Door, mail: OutgoingMail): Promise<string | null> {
  const port = portOf(target, door);
  const exchange: Exchange = {
    name: `${door}: ${mail.name}`,
    group: mail.name,
    wire: { port, bytes: Buffer.alloc(0) },
  };
  return target.observe(exchange, MESSAGE_LIMIT_MS, async () => {
    const client = await openClient(port, exchange);
    try {
      await client.hear();
      await client.say('EHLO fuzz.test');
      if (door === 'submission') await client.say(authLine(target.key));
      await client.say('MAIL FROM:<ada@people.test>');
      for (const address of mail.to) await client.say(`RCPT TO:<${address}>`);
      const code = await client.say('DATA');
      if (code !== '354') return code;
      await client.write(stuffDots(mail.raw));
      await client.write('\r\n.\r\n');
      return await client.hear();
    } finally {
      client.socket.destroy();
    }
  });
}

/** Dot stuffing (RFC 5321 section 4.5.2). */
function stuffDots(raw: Buffer): Buffer {
  return Buffer.from(raw.toString('latin1').replaceAll(/^\./gm, '..'), 'latin1');
}
