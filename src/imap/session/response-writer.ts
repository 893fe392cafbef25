/**
 * Writes responses. Small ones are collected until the end of a command, or until `isFull`. `flush` waits until the client
 * has read most of them, so that a slow client does not fill our memory.
 */
import type { Writable } from 'node:stream';
import { WRITE_BYTES } from '../../platform/network/write-size.ts';

const FLUSH_BYTES = 32 * 1024;
/** Larger responses are not copied into one piece. */
const JOIN_BYTES = 64 * 1024;
/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 120_000;

export class ResponseWriter {
  #stream: Writable;
  readonly #onStalled: () => void;
  readonly #stalledMs: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The text after the waiting pieces. */
  #text = '';
  #isFlushPlanned = false;
  /** What is being written. */
  #queue: Buffer[] = [];
  #isWriting = false;
  #written = Promise.resolve();
  #afterWrite: (() => void) | null = null;

  constructor(stream: Writable, onStalled: () => void, stalledMs = STALLED_MS) {
    this.#stream = stream;
    this.#onStalled = onStalled;
    this.#stalledMs = stalledMs;
  }

  /** `afterWrite` is called after each write, for a stream that buffers bytes until it is flushed. */
  setStream(stream: Writable, afterWrite: (() => void) | null = null): void {
    this.#stream = stream;
    this.#afterWrite = afterWrite;
  }

  /** The text is Latin-1, without the line break. */
  line(text: string): void {
    this.write(`${text}\r\n`);
  }

  write(piece: string | Buffer): void {
    this.#waitingBytes += piece.length;
    if (typeof piece === 'string') {
      this.#text += piece;
      return;
    }
    this.#endText();
    this.#waiting.push(piece);
  }

  #endText(): void {
    if (this.#text !== '') this.#waiting.push(Buffer.from(this.#text, 'latin1'));
    this.#text = '';
  }

  /** Sends everything, and waits if the client reads slowly. */
  async flush(): Promise<void> {
    if (this.#waitingBytes === 0) return;
    this.#endText();
    const pieces =
      this.#waitingBytes > JOIN_BYTES || this.#waiting.length === 1
        ? this.#waiting
        : [Buffer.concat(this.#waiting)];
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#queue.push(...pieces);
    if (!this.#isWriting) this.#written = this.#writeAll();
    await this.#written;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0 && !this.#stream.destroyed) {
      const isBehind = this.#writeSome();
      if (isBehind) await this.#untilDrained();
    }
    this.#queue = [];
    this.#isWriting = false;
  }

  /** Returns whether the client is behind. */
  #writeSome(): boolean {
    let isBehind = false;
    this.#stream.cork();
    for (let left = WRITE_BYTES; left > 0 && this.#queue.length > 0;) {
      const [piece] = this.#queue as [Buffer];
      const slice = piece.subarray(0, left);
      left -= slice.length;
      if (slice.length === piece.length) this.#queue.shift();
      else this.#queue[0] = piece.subarray(slice.length);
      isBehind = !this.#stream.write(slice);
    }
    this.#stream.uncork();
    // Flushing less often lets compression work on more bytes.
    if (this.#queue.length === 0) this.#afterWrite?.();
    return isBehind;
  }

  /** Sends everything on the next turn of the event loop, together with the responses until then. */
  async flushSoon(): Promise<void> {
    if (this.isFull) return this.flush();
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => {
      this.#isFlushPlanned = false;
      void this.flush();
    });
  }

  /** True if so much is waiting that it should be flushed before the next message of a long response. */
  get isFull(): boolean {
    return this.#waitingBytes >= FLUSH_BYTES;
  }

  #untilDrained(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const timer = setTimeout(this.#onStalled, this.#stalledMs);
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
