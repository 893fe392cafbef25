/**
 * The load generator: some connections, each with one request on its way at a time. It shares two cores with what
 * it measures, so it knows just enough HTTP: ready-made bytes out, status and Content-Length in.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  port: number;
  /** What every answer must have; 200 unless told otherwise. */
  status?: number;
  /** The bytes of the next request of this connection; asked for only when its last one was answered. */
  nextRequest(connection: number): string | Buffer;
}

export interface OpenLoad {
  /** Sends for so long, waits for the last answers, and returns the requests per second over all of it. */
  run(forMs: number): Promise<number>;
  /** How long each request took, of all runs. */
  latenciesMs: number[];
  close(): void;
}

/** A server that hangs must not hang the benchmark. */
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

/** Request and answer in turn until the time is up. Any other status is an error: a wrong answer is a quick one. */
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
    throw new Error(`Not an answer to count: ${answer.toString('utf8').slice(0, 600)}`);
  }
  return Number(length);
}
