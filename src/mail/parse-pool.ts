/**
 * Two threads for large messages, started when the first one comes; the rest wait in line, so that a flood of large
 * mail costs the memory of two. A thread that takes too long is ended, and only its message is lost for it.
 */
import type { Worker } from 'node:worker_threads';
import type { ParsedMessage } from './parse-message.ts';
import { startThread } from './start-thread.ts';

const MAX_THREADS = 2;
const TIMEOUT_MS = 20_000;
const HEAP_MB = 256;

interface Waiting {
  raw: Buffer;
  resolve(parsed: ParsedMessage): void;
  reject(error: Error): void;
}

const idle: Worker[] = [];
const line: Waiting[] = [];
let busy = 0;

export function parseElsewhere(raw: Buffer): Promise<ParsedMessage> {
  return new Promise((resolve, reject) => {
    line.push({ raw, resolve, reject });
    takeNext();
  });
}

function takeNext(): void {
  const next = busy < MAX_THREADS ? line.shift() : undefined;
  if (!next) return;
  busy += 1;
  void run(idle.pop() ?? startReader(), next).finally(() => {
    busy -= 1;
    takeNext();
  });
}

async function run(worker: Worker, { raw, resolve, reject }: Waiting): Promise<void> {
  // Only while it works does a thread keep the process alive.
  worker.ref();
  try {
    const parsed = await ask(worker, raw);
    worker.unref();
    idle.push(worker);
    resolve(withBuffers(parsed));
  } catch (error) {
    // Unheard, a late error of a thread that is being ended would end the process.
    worker.on('error', () => {});
    void worker.terminate();
    reject(error as Error);
  }
}

function ask(worker: Worker, raw: Buffer): Promise<ParsedMessage> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: ParsedMessage | Error): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', settle).off('exit', onExit);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const onExit = (): void => settle(new Error('The reading thread ended.'));
    const timer = setTimeout(() => settle(new Error('The message took too long to read.')), TIMEOUT_MS);
    worker.on('message', settle).on('error', settle).on('exit', onExit);
    // A copy to hand over: a Buffer itself would take along the whole block that it is a window into.
    const bytes = new Uint8Array(raw);
    worker.postMessage(bytes, [bytes.buffer]);
  });
}

/** On the way between threads a Buffer becomes a plain array of bytes. */
function withBuffers(parsed: ParsedMessage): ParsedMessage {
  const attachments = parsed.attachments.map((attachment) => {
    const { buffer, byteOffset, byteLength } = attachment.content;
    return { ...attachment, content: Buffer.from(buffer, byteOffset, byteLength) };
  });
  return { ...parsed, attachments };
}

function startReader(): Worker {
  return startThread('./parse-worker', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}
