/** Sends messages over several SMTP connections, each with one message at a time. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { OpenLoad } from './load.ts';

export interface SmtpLoad {
  port: number;
  to: string;
  /** Returns the next message, with CRLF line ends and without the final dot. */
  nextMessage(): string;
}

const ENVELOPE_REPLIES = 3;

export async function openSmtpLoad(load: SmtpLoad, connections: number): Promise<OpenLoad> {
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(load.port)));
  const envelope = `MAIL FROM:<sender@example.org>\r\nRCPT TO:<${load.to}>\r\nDATA\r\n`;
  const latenciesMs: number[] = [];

  async function sendUntil(line: Line, untilMs: number): Promise<number> {
    let sent = 0;
    do {
      const startedAt = performance.now();
      const replies = await line.say(envelope, ENVELOPE_REPLIES);
      if (!replies.at(-1)!.startsWith('354')) throw new Error(`Not accepted: ${replies.join(' | ')}`);
      const [reply] = await line.say(`${load.nextMessage()}\r\n.\r\n`, 1);
      if (!reply!.startsWith('250')) throw new Error(`Not accepted: ${reply}`);
      latenciesMs.push(performance.now() - startedAt);
      sent += 1;
    } while (performance.now() < untilMs);
    return sent;
  }

  return {
    latenciesMs,
    async run(forMs) {
      const startedAt = performance.now();
      const counts = await Promise.all(lines.map((line) => sendUntil(line, startedAt + forMs)));
      return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
    },
    close() {
      for (const { socket } of lines) socket.destroy();
    },
  };
}

interface Line {
  socket: Socket;
  /** Writes the text and waits for this many replies of one line each. */
  say(text: string, replies: number): Promise<string[]>;
}

async function openLine(port: number): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let heard = '';
  let wake: (() => void) | null = null;
  let broken: Error | null = null;
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
    wake?.();
  });
  socket.on('close', () => {
    broken = new Error('The server closed a connection.');
    wake?.();
  });
  socket.on('error', () => {});
  async function hear(count: number): Promise<string[]> {
    const replies: string[] = [];
    for (;;) {
      const end = heard.indexOf('\r\n');
      if (end >= 0) {
        const reply = heard.slice(0, end);
        heard = heard.slice(end + 2);
        if (reply[3] !== '-') replies.push(reply);
        if (replies.length === count) return replies;
        continue;
      }
      if (broken) throw broken;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  await hear(1);
  const line: Line = {
    socket,
    say(text, replies) {
      socket.write(text);
      return hear(replies);
    },
  };
  await line.say('EHLO bench.example\r\n', 1);
  return line;
}
