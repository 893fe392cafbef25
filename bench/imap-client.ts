/** A small IMAP client for the benchmark. It counts the bytes that it reads and keeps only the last of them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface ImapAccount {
  port: number;
  user: string;
  password: string;
}

export interface ImapClient {
  /** Sends a command and returns the last part of the response. Throws unless the response is OK. */
  say(command: string): Promise<string>;
  /** Waits until the server sends something that contains the text. */
  hear(text: string): Promise<void>;
  write(text: string): void;
  close(): void;
}

/** Enough to find the tagged response. */
const KEPT_CHARACTERS = 4_096;

export async function openImapClient({ port, user, password }: ImapAccount): Promise<ImapClient> {
  const socket: Socket = connect(port, '127.0.0.1');
  let tail = '';
  let tags = 0;
  let wake: (() => void) | null = null;
  let isClosed = false;
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('latin1')).slice(-KEPT_CHARACTERS);
    wake?.();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake?.();
  });
  await once(socket, 'connect');

  async function hear(text: string): Promise<void> {
    while (!tail.includes(text)) {
      if (isClosed) throw new Error(`The server has closed the connection: ${tail.slice(-200)}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  async function say(command: string): Promise<string> {
    const tag = `t${(tags += 1)}`;
    tail = '';
    socket.write(`${tag} ${command}\r\n`);
    for (;;) {
      await hear(`${tag} `);
      const answer = new RegExp(`(?:^|\n)${tag} ([A-Z]+)[^\n]*\n`).exec(tail);
      if (answer?.[1] === 'OK') return tail;
      if (answer) throw new Error(`${command.slice(0, 60)}: ${answer[0].trim()}`);
      if (isClosed) throw new Error('The server has closed the connection.');
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  await hear('* OK');
  await say(`LOGIN ${user} ${password}`);
  return {
    say,
    hear,
    write: (text) => {
      tail = '';
      socket.write(text);
    },
    close: () => socket.destroy(),
  };
}
