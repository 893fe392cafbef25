/**
 * Writes responses. Small ones are collected until the end of a command. `drain` waits until the client has read most of
 * what was written, so that a slow client does not fill our memory.
 */
import type { Writable } from 'node:stream';

const FLUSH_BYTES = 32 * 1024;
/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 120_000;

export class ResponseWriter {
  #stream: Writable;
  readonly #onStalled: () => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #afterWrite: (() => void) | null = null;

  constructor(stream: Writable, onStalled: () => void) {
    this.#stream = stream;
    this.#onStalled = onStalled;
  }

  /** `afterWrite` is called after each write, for a stream that keeps bytes until it is flushed. */
  setStream(stream: Writable, afterWrite: (() => void) | null = null): void {
    this.#stream = stream;
    this.#afterWrite = afterWrite;
  }

  /** Latin-1, without the line break. */
  line(text: string): void {
    this.write(`${text}\r\n`);
  }

  write(piece: string | Buffer): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  /** Sends everything, and waits while the client is behind. */
  async flush(): Promise<void> {
    if (this.#waitingBytes === 0) return;
    const bytes = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#stream.destroyed) return;
    const isBehind = !this.#stream.write(bytes);
    this.#afterWrite?.();
    if (isBehind) await this.#untilDrained();
  }

  /** Called between the messages of a long response. */
  async drain(): Promise<void> {
    if (this.#waitingBytes >= FLUSH_BYTES) await this.flush();
  }

  #untilDrained(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const timer = setTimeout(this.#onStalled, STALLED_MS);
      const done = () => {
        clearTimeout(timer);
        stream.off('drain', done);
        stream.off('close', done);
        resolve();
      };
      stream.on('drain', done);
      stream.on('close', done);
      if (stream.destroyed) done();
    });
  }
}
