/** Sends messages over SMTP, on connections that are kept or on a new one for each message. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Job {
  port: number;
  connections: number;
  isKept: boolean;
  /** User name and password. */
  login?: { user: string; password: string } | undefined;
  /** Each message is sent once. */
  messages: SentMessage[];
}

export interface SentMessage {
  from: string;
  to: string;
  /** With CRLF line ends, and without the final dot. */
  raw: string;
}

export async function sendAll(job: Job): Promise<void> {
  let next = 0;
  async function sendOn(): Promise<void> {
    let line: Line | null = null;
    while (next < job.messages.length) {
      const message = job.messages[next++]!;
      line ??= await openLine(job);
      await sendOne(line, message);
      if (job.isKept) continue;
      await line.say('QUIT', '221');
      line.socket.destroy();
      line = null;
    }
    line?.socket.destroy();
  }
  await Promise.all(Array.from({ length: job.connections }, sendOn));
}

async function sendOne(line: Line, { from, to, raw }: SentMessage): Promise<void> {
  await line.say(`MAIL FROM:<${from}>`, '250');
  await line.say(`RCPT TO:<${to}>`, '250');
  await line.say('DATA', '354');
  await line.say(`${raw}\r\n.`, '250');
}

interface Line {
  socket: Socket;
  say(text: string, wanted: string): Promise<void>;
}

async function openLine({ port, login }: Job): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  let heard = '';
  let wake: (() => void) | null = null;
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
    wake?.();
  });
  socket.on('close', () => {
    heard += '000 closed\r\n';
    wake?.();
  });
  async function hear(wanted: string): Promise<void> {
    for (;;) {
      const end = heard.indexOf('\r\n');
      if (end < 0) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const reply = heard.slice(0, end);
      heard = heard.slice(end + 2);
      if (reply[3] === '-') continue;
      if (!reply.startsWith(wanted)) throw new Error(`Expected ${wanted}, got: ${reply}`);
      return;
    }
  }
  await once(socket, 'connect');
  const line: Line = {
    socket,
    say(text, wanted) {
      socket.write(`${text}\r\n`);
      return hear(wanted);
    },
  };
  await hear('220');
  await line.say('EHLO bench.example', '250');
  if (login) {
    const text = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64');
    await line.say(`AUTH PLAIN ${text}`, '235');
  }
  return line;
}
