/**
 * Standard error, as the destination of the log. A line that cannot be written, because the disk is full or the
 * other end of the pipe is closed, is dropped: logging must not fail or delay the exit of the process. (pino's own
 * writer does both.)
 */
import { writeSync } from 'node:fs';

const STANDARD_ERROR = 2;
const BUFFERED_LENGTH = 4_096;
const FLUSH_EVERY_MS = 1_000;
/** How often a write to a full pipe is tried again. */
const TRIES = 20;
const BETWEEN_TRIES_MS = 10;

let buffered = '';
let isFlushing = false;

/** Writes each line immediately. */
export const standardError = { write };

/** Writes several lines at a time, and the rest when the process exits. A crash can lose the last second. */
export const bufferedStandardError = {
  write(line: string): void {
    if (!isFlushing) {
      isFlushing = true;
      setInterval(flush, FLUSH_EVERY_MS).unref();
      process.on('exit', flush);
    }
    buffered += line;
    if (buffered.length >= BUFFERED_LENGTH) flush();
  },
};

function flush(): void {
  const lines = buffered;
  buffered = '';
  if (lines !== '') write(lines);
}

function write(text: string): void {
  let bytes = Buffer.from(text);
  let tries = 0;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(STANDARD_ERROR, bytes));
    } catch (error) {
      tries += 1;
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || tries === TRIES) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_TRIES_MS);
    }
  }
}
