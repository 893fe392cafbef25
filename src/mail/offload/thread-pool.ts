/**
 * Two worker threads for slow work, started on demand. Further jobs wait in a queue, so a flood of large
 * messages uses the memory of two jobs (and of two more in the receiving thread). A thread that takes too long
 * is terminated, and only its job fails.
 */
import type { Worker } from 'node:worker_threads';
import type { OrderInput } from '../imap/order-messages.ts';
import type { CleanMail } from '../html/display/display-html.ts';
import type { RenderedMjml } from '../html/render-mjml.ts';
import type { MessageContent } from '../mime/compose/compose.ts';
import type { ParsedMessage } from '../mime/parse/parse-message.ts';
import type { HeaderSection } from '../mime/parse/raw-headers.ts';
import { reportTrouble } from './thread-trouble.ts';
import { startThread } from '../../platform/concurrency/start-thread.ts';
import { limitWork } from '../../platform/concurrency/work-limit.ts';

export type Job =
  | { parse: Uint8Array<ArrayBuffer>; section: HeaderSection | undefined }
  | { clean: string }
  | { cleanMail: string }
  | { compose: MessageContent }
  | { inline: string }
  | { toText: string }
  | { mjml: string; library: string }
  | { order: OrderInput };

const MAX_THREADS = 2;
// The limits count processor time (limitWork).
const TIMEOUT_MS = 20_000;
const START_TIMEOUT_MS = 10_000;
/** A user may be waiting for the result, which is optional. */
const INLINE_TIMEOUT_MS = 10_000;
/** Far more than the longest document needs, even when the first one has to load the library. */
const MJML_TIMEOUT_MS = 10_000;
const HEAP_MB = 256;
const LATE_MS = 10_000;

interface QueuedJob {
  post(worker: Worker): void;
  timeoutMs: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const idle: Worker[] = [];
const queue: QueuedJob[] = [];
let busy = 0;

/** Returns how many jobs run and how many wait, for the metrics. */
export function threadUse(): { busy: number; waiting: number } {
  return { busy, waiting: queue.length };
}

export async function parseInThread(raw: Buffer, section: HeaderSection | undefined): Promise<ParsedMessage> {
  const post = (worker: Worker): void => {
    // Transfer a copy, because a Buffer may be a view of a larger block.
    const parse = new Uint8Array(raw);
    worker.postMessage({ parse, section } satisfies Job, [parse.buffer]);
  };
  const parsed = await runInThread(post, { job: 'parse', bytes: raw.length });
  return withBuffers(parsed as ParsedMessage);
}

export async function cleanInThread(html: string): Promise<string> {
  const post = (worker: Worker): void => worker.postMessage({ clean: html } satisfies Job);
  return (await runInThread(post, { job: 'clean HTML', bytes: html.length })) as string;
}

export async function cleanMailInThread(html: string): Promise<CleanMail> {
  const post = (worker: Worker): void => worker.postMessage({ cleanMail: html } satisfies Job);
  return (await runInThread(post, { job: 'clean HTML for display', bytes: html.length })) as CleanMail;
}

export async function composeInThread(message: MessageContent): Promise<Buffer> {
  const post = (worker: Worker): void => worker.postMessage({ compose: message } satisfies Job);
  const bytes = (message.html?.length ?? 0) + (message.text?.length ?? 0);
  return toBuffer((await runInThread(post, { job: 'compose', bytes })) as Uint8Array);
}

export async function toTextInThread(html: string): Promise<string> {
  const post = (worker: Worker): void => worker.postMessage({ toText: html } satisfies Job);
  return (await runInThread(post, { job: 'HTML to text', bytes: html.length })) as string;
}

/** Returns null when the result would be too long. */
export async function inlineInThread(html: string): Promise<string | null> {
  const post = (worker: Worker): void => worker.postMessage({ inline: html } satisfies Job);
  const info = { job: 'inline styles', bytes: html.length, timeoutMs: INLINE_TIMEOUT_MS };
  return (await runInThread(post, info)) as string | null;
}

/** `library` is the path of the library that renders. */
export async function renderMjmlInThread(mjml: string, library: string): Promise<RenderedMjml> {
  const post = (worker: Worker): void => worker.postMessage({ mjml, library } satisfies Job);
  const info = { job: 'MJML', bytes: mjml.length, timeoutMs: MJML_TIMEOUT_MS };
  return (await runInThread(post, info)) as RenderedMjml;
}

export async function orderInThread(input: OrderInput): Promise<string> {
  const post = (worker: Worker): void => worker.postMessage({ order: input } satisfies Job);
  const bytes = input.batches.reduce((sum, rows) => sum + rows.length, 0);
  return (await runInThread(post, { job: 'order messages', bytes })) as string;
}

interface JobInfo {
  job: string;
  bytes: number;
  timeoutMs?: number;
}

async function runInThread(post: (worker: Worker) => void, info: JobInfo): Promise<unknown> {
  const { job, bytes, timeoutMs = TIMEOUT_MS } = info;
  const begunMs = performance.now();
  const report = (reason: string | null): void => {
    const ms = Math.round(performance.now() - begunMs);
    if (reason !== null || ms >= LATE_MS) reportTrouble({ job, bytes, ms, reason });
  };
  try {
    const result = await new Promise((resolve, reject) => {
      queue.push({ post, timeoutMs, resolve, reject });
      takeNext();
    });
    report(null);
    return result;
  } catch (error) {
    report((error as Error).message);
    throw error;
  }
}

function takeNext(): void {
  const next = busy < MAX_THREADS ? queue.shift() : undefined;
  if (!next) return;
  busy += 1;
  void run(next).finally(() => {
    busy -= 1;
    takeNext();
  });
}

async function run({ post, timeoutMs, resolve, reject }: QueuedJob): Promise<void> {
  let worker: Worker | undefined;
  try {
    worker = idle.pop();
    if (!worker) {
      worker = startWorker();
      // Wait until the thread has loaded, which can take longer than the job itself.
      await ask(worker, () => {}, START_TIMEOUT_MS);
    }
    // A thread keeps the process alive only while it works.
    worker.ref();
    const result = await ask(worker, post, timeoutMs);
    worker.unref();
    idle.push(worker);
    resolve(result);
  } catch (error) {
    void worker?.terminate();
    reject(error as Error);
  }
}

function ask(worker: Worker, post: (worker: Worker) => void, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      endLimit();
      worker.off('message', onResult).off('messageerror', onError).off('error', onError).off('exit', onExit);
    };
    const onResult = (result: unknown): void => (stop(), resolve(result));
    const onError = (error: Error): void => (stop(), reject(error));
    const onExit = (): void => onError(new Error('The worker thread ended.'));
    const endLimit = limitWork(timeoutMs, () => onError(new Error('The task took too long.')));
    worker.on('message', onResult).on('messageerror', onError).on('error', onError).on('exit', onExit);
    try {
      post(worker);
    } catch (error) {
      onError(error as Error);
    }
  });
}

function withBuffers(parsed: ParsedMessage): ParsedMessage {
  const attachments = parsed.attachments.map((file) => ({ ...file, content: toBuffer(file.content) }));
  return { ...parsed, attachments };
}

/** Structured cloning turns a Buffer into a Uint8Array. */
export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function startWorker(): Worker {
  const worker = startThread('./pool-worker', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // A thread may fail while it is idle or being terminated, when no other listener is attached.
  worker.on('error', () => {});
  worker.on('exit', () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  return worker;
}
