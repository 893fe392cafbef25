/**
 * Reads the bytes of a stream one chunk at a time. Nothing is read before the caller asks for it, so a fast client
 * must wait.
 */
import type { Readable } from 'node:stream';

/** Thrown when the client sends nothing in time. */
export class ReadTimeout extends Error {}

export class ByteSource {
  readonly #stream: Readable;
  #wake: (() => void) | null = null;
  #isEnded = false;
  readonly #onReadable = () => this.#wake?.();
  readonly #onEnd = () => {
    this.#isEnded = true;
    this.#wake?.();
  };

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('readable', this.#onReadable);
    for (const event of ['end', 'close', 'error']) stream.on(event, this.#onEnd);
  }

  /** True if bytes are waiting to be read. */
  get hasPending(): boolean {
    return this.#stream.readableLength > 0;
  }

  /** Returns null at the end of the stream. Throws ReadTimeout. */
  async read(timeoutMs: number): Promise<Buffer | null> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const chunk = this.#stream.read() as Buffer | null;
      if (chunk) return chunk;
      if (this.#isEnded) return null;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new ReadTimeout();
      await this.#wait(leftMs);
    }
  }

  /** Stops reading, so that other code can use the stream. */
  detach(): void {
    this.#stream.off('readable', this.#onReadable);
    for (const event of ['end', 'close', 'error']) this.#stream.off(event, this.#onEnd);
  }

  #wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
    });
  }
}
