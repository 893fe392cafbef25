/** An SMTP client that sends exactly the given bytes, for tests of invalid behaviour. */
import { connect } from 'node:net';
import { once } from 'node:events';

export interface Dialogue {
  /** Writes bytes unchanged, without waiting. */
  write(bytes: string | Buffer): void;
  /** Writes a line and returns the whole reply. */
  say(line: string): Promise<string>;
  /** Returns the next reply. */
  hear(): Promise<string>;
  /** Closes the connection without QUIT. */
  drop(): void;
}

const REPLY = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3}(?: [^\r\n]*)?\r\n/;

/** Resolves after the greeting. A reply that does not arrive in time is an error. */
export async function openDialogue(port: number, timeoutMs = 60_000, host = '127.0.0.1'): Promise<Dialogue> {
  const socket = connect(port, host);
  let input = '';
  let wake: (() => void) | null = null;
  let isClosed = false;
  socket.on('data', (chunk) => {
    input += chunk.toString();
    wake?.();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake?.();
  });
  await once(socket, 'connect');

  async function hear(): Promise<string> {
    const deadline = setTimeout(() => socket.destroy(), timeoutMs);
    for (;;) {
      const reply = REPLY.exec(input)?.[0];
      if (reply !== undefined || isClosed) {
        clearTimeout(deadline);
        if (reply === undefined) throw new Error('The connection was closed without a reply.');
        input = input.slice(reply.length);
        return reply.trimEnd();
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  await hear();
  return {
    write: (bytes) => void socket.write(bytes),
    say(line) {
      socket.write(`${line}\r\n`);
      return hear();
    },
    hear,
    drop: () => socket.destroy(),
  };
}
