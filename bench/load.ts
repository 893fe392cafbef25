/**
 * The load generator: several connections, each with one request at a time. It shares two cores with the server, so it
 * implements only the minimum of HTTP: it sends prepared bytes and reads the status and Content-Length.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  port: number;
  /** The expected status of every response. Default 200. */
  status?: number;
  /** Returns the bytes of the next request of this connection. Called after the response to its last request. */
  nextRequest(connection: number): string | Buffer;
}

export interface OpenLoad {
  /** Sends for this time, waits for the last responses, and returns the requests per second. */
  run(forMs: number): Promise<number>;
  /** The time of each request in all runs. */
  latenciesMs: number[];
  close(): void;
}

/** A hanging server must not block the benchmark. */
const LONGEST_RUN_MS = 120_000;
const HEAD_END = Buffer.from('\r\n\r\n');

export async function openLoad(load: Load, connections: number): Promise<OpenLoad> {
  const sockets: Socket[] = [];
  for (let index = 0; index < connections; index++) {
    const socket = connect({ host: '127.0.0.1', port: load.port, noDelay: true });
    sockets.push(socket);
    await once(socket, 'connect');
  }
  const latenciesMs: number[] = [];
  return {
    latenciesMs,
    async run(forMs) {
      const startedAt = performance.now();
      const overtime = setTimeout(() => closeAll('no answer in time'), forMs + LONGEST_RUN_MS);
      try {
        const counts = await Promise.all(
          sockets.map((socket, index) => exchange(socket, load, index, startedAt + forMs, latenciesMs)),
        );
        return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
      } finally {
        clearTimeout(overtime);
      }
    },
    close: () => closeAll(),
  };

  function closeAll(reason?: string): void {
    for (const socket of sockets) socket.destroy(reason === undefined ? undefined : new Error(reason));
  }
}

/** Sends requests one after another until the time is over. Another status is an error, because errors are fast. */
function exchange(
  socket: Socket,
  load: Load,
  index: number,
  untilMs: number,
  latenciesMs: number[],
): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let sentAt = performance.now();
    let begin: Buffer | null = null;
    let missing = 0;

    function onData(chunk: Buffer): void {
      if (missing > 0) missing -= chunk.length;
      else {
        begin = begin ? Buffer.concat([begin, chunk]) : chunk;
        const headEnd = begin.indexOf(HEAD_END);
        if (headEnd === -1) return;
        missing = bodyLength(begin, headEnd, load.status ?? 200) - (begin.length - headEnd - HEAD_END.length);
        begin = null;
      }
      if (missing > 0) return;
      answered += 1;
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      sentAt = now;
      if (now < untilMs) socket.write(load.nextRequest(index));
      else finish(() => resolve(answered));
    }
    function onClose(): void {
      finish(() => reject(new Error('The server closed a connection.')));
    }
    function onError(error: Error): void {
      finish(() => reject(error));
    }
    function finish(settle: () => void): void {
      socket.off('data', onAnswer).off('close', onClose).off('error', onError);
      settle();
    }
    function onAnswer(chunk: Buffer): void {
      try {
        onData(chunk);
      } catch (error) {
        onError(error as Error);
      }
    }
    socket.on('data', onAnswer).on('close', onClose).on('error', onError);
    socket.write(load.nextRequest(index));
  });
}

function bodyLength(answer: Buffer, headEnd: number, status: number): number {
  const head = answer.toString('latin1', 0, headEnd);
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  if (!head.startsWith(`HTTP/1.1 ${status} `) || length === undefined) {
    throw new Error(`Unexpected response: ${answer.toString('utf8').slice(0, 600)}`);
  }
  return Number(length);
}
