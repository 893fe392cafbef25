/**
 * Two threads for what takes long, started when the first of it comes; the rest waits in line, so that a flood of large
 * mail costs the memory of two (and as many for the thread that receives). One that takes too long is ended, and only
 * its own work is lost.
 */
import type { Worker } from 'node:worker_threads';
import type { OutgoingMessage } from './compose.ts';
import type { ParsedMessage } from './parse-message.ts';
import { startThread } from './start-thread.ts';

/** What such a thread is asked for. */
export type Job =
  | { parse: Uint8Array<ArrayBuffer> }
  | { clean: string }
  | { compose: OutgoingMessage }
  | { inline: string }
  | { toText: string };

const MAX_THREADS = 2;
const TIMEOUT_MS = 20_000;
const START_TIMEOUT_MS = 10_000;
/** Somebody may be waiting to see it, and it can do without. */
const INLINE_TIMEOUT_MS = 10_000;
const HEAP_MB = 256;

interface Waiting {
  hand(worker: Worker): void;
  timeoutMs: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const idle: Worker[] = [];
const line: Waiting[] = [];
let busy = 0;

export async function parseAside(raw: Buffer): Promise<ParsedMessage> {
  const parsed = await workAside((worker) => {
    // A copy to hand over: a Buffer itself would take along the whole block that it is a window into.
    const parse = new Uint8Array(raw);
    worker.postMessage({ parse } satisfies Job, [parse.buffer]);
  });
  return withBuffers(parsed as ParsedMessage);
}

export async function cleanAside(html: string): Promise<string> {
  return (await workAside((worker) => worker.postMessage({ clean: html } satisfies Job))) as string;
}

export async function composeAside(message: OutgoingMessage): Promise<Buffer> {
  const hand = (worker: Worker): void => worker.postMessage({ compose: message } satisfies Job);
  return toBuffer((await workAside(hand)) as Uint8Array);
}

export async function toTextAside(html: string): Promise<string> {
  return (await workAside((worker) => worker.postMessage({ toText: html } satisfies Job))) as string;
}

/** Null when it would become too long. */
export async function inlineAside(html: string): Promise<string | null> {
  const hand = (worker: Worker): void => worker.postMessage({ inline: html } satisfies Job);
  return (await workAside(hand, INLINE_TIMEOUT_MS)) as string | null;
}

function workAside(hand: (worker: Worker) => void, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  return new Promise((resolve, reject) => {
    line.push({ hand, timeoutMs, resolve, reject });
    takeNext();
  });
}

function takeNext(): void {
  const next = busy < MAX_THREADS ? line.shift() : undefined;
  if (!next) return;
  busy += 1;
  void run(next).finally(() => {
    busy -= 1;
    takeNext();
  });
}

async function run({ hand, timeoutMs, resolve, reject }: Waiting): Promise<void> {
  let worker: Worker | undefined;
  try {
    worker = idle.pop();
    if (!worker) {
      worker = startWorker();
      // It greets when it has loaded, which on a busy machine takes longer than many a letter.
      await ask(worker, () => {}, START_TIMEOUT_MS);
    }
    // Only while it works does a thread keep the process alive.
    worker.ref();
    const result = await ask(worker, hand, timeoutMs);
    worker.unref();
    idle.push(worker);
    resolve(result);
  } catch (error) {
    void worker?.terminate();
    reject(error as Error);
  }
}

function ask(worker: Worker, hand: (worker: Worker) => void, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      worker.off('message', onResult).off('messageerror', onError).off('error', onError).off('exit', onExit);
    };
    const onResult = (result: unknown): void => (stop(), resolve(result));
    const onError = (error: Error): void => (stop(), reject(error));
    const onExit = (): void => onError(new Error('The thread ended.'));
    const timer = setTimeout(() => onError(new Error('It took too long.')), timeoutMs);
    worker.on('message', onResult).on('messageerror', onError).on('error', onError).on('exit', onExit);
    try {
      hand(worker);
    } catch (error) {
      onError(error as Error);
    }
  });
}

function withBuffers(parsed: ParsedMessage): ParsedMessage {
  const attachments = parsed.attachments.map((file) => ({ ...file, content: toBuffer(file.content) }));
  return { ...parsed, attachments };
}

/** On the way between threads a Buffer becomes a plain array of bytes. */
export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function startWorker(): Worker {
  const worker = startThread('./aside-worker', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // A thread may also fail while it has no work, or while it is being ended: then nobody else listens.
  worker.on('error', () => {});
  worker.on('exit', () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  return worker;
}
