/** An IMAP client that sends exactly the given text, for tests of the protocol. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface ImapDialogue {
  greeting: string;
  /** Writes bytes unchanged, without waiting. */
  write(bytes: string | Buffer): void;
  /** Sends a command with a new tag. Returns all lines up to its tagged response, whose tag is replaced by `OK`. */
  say(command: string): Promise<string>;
  /** Reads until the text matches, and returns everything read. */
  hear(pattern: RegExp): Promise<string>;
  /** Resolves when the server has closed the connection. */
  closed(): Promise<void>;
  drop(): void;
}

/** A response that does not arrive in time is an error. */
export async function openImapDialogue(
  port: number,
  openSocket: (port: number) => Socket = (at) => connect(at, '127.0.0.1'),
  timeoutMs = 20_000,
): Promise<ImapDialogue> {
  const socket = openSocket(port);
  let input = '';
  let isClosed = false;
  let tags = 0;
  const wakes = new Set<() => void>();
  const wake = () => {
    for (const each of wakes) each();
  };
  socket.on('data', (chunk) => {
    input += chunk.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake();
  });

  async function hear(pattern: RegExp): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = pattern.exec(input);
      if (found) {
        const end = found.index + found[0].length;
        const heard = input.slice(0, end);
        input = input.slice(end);
        return heard;
      }
      if (isClosed || performance.now() > deadline)
        throw new Error(`No answer that matches ${pattern}: ${input.slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 1_000);
        function done(): void {
          clearTimeout(timer);
          wakes.delete(done);
          resolve();
        }
        wakes.add(done);
      });
    }
  }

  const greeting = await hear(/^\* (?:OK|BYE)[^\r\n]*\r\n/);
  return {
    greeting,
    write: (bytes) => void socket.write(bytes),
    async say(command) {
      const tag = `t${(tags += 1)}`;
      socket.write(Buffer.from(`${tag} ${command}\r\n`, 'latin1'));
      const heard = await hear(new RegExp(`(?:^|\\r\\n)${tag} [^\\r\\n]*\\r\\n`));
      return heard.replace(new RegExp(`(^|\\r\\n)${tag} `), '$1').trimEnd();
    },
    hear,
    async closed() {
      if (!isClosed) await once(socket, 'close');
    },
    drop: () => socket.destroy(),
  };
}
