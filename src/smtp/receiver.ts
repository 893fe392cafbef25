/**
 * Mail that came in is read, checked and stored by a thread of its own, with connections of its own to the database:
 * whatever strangers write, this one goes on answering everybody else. The thread starts with the first message. Should
 * it fail, those who wait are told to come again, and the next message starts another.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../mail/start-thread.ts';
import type { Log } from '../platform/log.ts';
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';
import type { AcceptTools, Handover } from './accept-mail.ts';
import { reply, toErrorReply } from './error-reply.ts';

export interface ReceiverSettings extends Pick<AcceptTools, 'mailHost' | 'dmarcReject'> {
  databaseUrl: string;
  databaseConnections: number;
  dnsServers: string[] | null;
}

export interface Given {
  no: number;
  raw: Uint8Array<ArrayBuffer>;
  handover: Handover;
}

/** What became of it. */
export interface Said {
  no: number;
  /** Null: it is stored. */
  problem: Problem | null;
}

/** An error that belongs to no message: the thread goes on, and the message that it came from gets no answer. */
export interface Stray {
  stray: object;
}

export interface Problem {
  /** As `reply()` takes them. */
  codes: string;
  text: string;
  /** For the log, where nobody foresaw it. */
  cause: object | null;
}

export interface Receiver {
  /** Done when it is stored; throws the reply where it is not. The bytes are gone from here. */
  accept(raw: Buffer, handover: Handover): Promise<void>;
  close(): Promise<void>;
}

const LOOK_AFTER_MS = 10_000;
/** A message that has had no answer for so long is put off. RFC 5321 section 4.5.3.2.6 lets the client wait for 10 minutes. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** Who has not answered so often is stuck. */
const MOST_SILENCES = 3;
/** A thread with more stray errors than that is replaced. */
const MOST_STRAYS = 100;
const CLOSE_WITHIN_MS = 2_000;

export interface ReceiverOptions {
  log: Log;
  errors: UnexpectedErrors;
  longestWaitMs?: number;
}

export function openReceiver(settings: ReceiverSettings, options: ReceiverOptions): Receiver {
  const { log, errors, longestWaitMs = LONGEST_WAIT_MS } = options;
  let thread: Worker | null = null;
  let given: Given[] = [];
  let count = 0;
  let silences = 0;
  let isClosed = false;
  const waiting = createWaitingSenders(log, longestWaitMs);

  function start(): Worker {
    const started = startThread('./receiver-worker', import.meta.url, { workerData: settings });
    const looking = setInterval(lookAfter, LOOK_AFTER_MS, started).unref();
    silences = 0;
    let strays = 0;
    started.on('message', (said: Said[] | Stray) => {
      if ('stray' in said) {
        errors.report('receiver', said.stray);
        if ((strays += 1) > MOST_STRAYS) void started.terminate();
        return;
      }
      silences = 0;
      said.forEach(waiting.settle);
    });
    started.on('error', (error) => errors.report('receiver', error));
    // What it said cannot be read, so nobody knows what became of the messages.
    started.on('messageerror', (error) => {
      errors.report('receiver', error);
      void started.terminate();
    });
    started.on('exit', () => {
      clearInterval(looking);
      thread = null;
      if (!isClosed) log.error({ waiting: waiting.count() }, 'smtp: the receiving thread has ended');
      failAll();
    });
    return started;
  }

  /** It answers between two pieces of work: one that does not has a piece without an end. */
  function lookAfter(worker: Worker): void {
    silences = waiting.count() === 0 ? 0 : silences + 1;
    if (silences <= MOST_SILENCES) return worker.postMessage('are you there');
    log.error({ waiting: waiting.count() }, 'smtp: the receiving thread is stuck');
    void worker.terminate();
  }

  function failAll(): void {
    given = [];
    waiting.failAll();
  }

  /** All that ended in one turn. */
  function hand(): void {
    if (given.length === 0) return;
    if (isClosed) return failAll();
    try {
      thread ??= start();
      const bytes = given.map(({ raw }) => raw.buffer);
      thread.postMessage(given, bytes);
      given = [];
    } catch (error) {
      log.error({ err: error }, 'smtp: no thread to receive with');
      failAll();
    }
  }

  return {
    accept(raw, handover) {
      const no = (count += 1);
      const stored = waiting.add(no);
      if (given.push({ no, raw: toOwned(raw), handover }) === 1) setImmediate(hand);
      return stored;
    },
    async close() {
      isClosed = true;
      const last = thread;
      if (!last) return;
      const ended = new Promise((resolve) => last.once('exit', resolve));
      last.postMessage('close');
      await Promise.race([ended, wait(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      await last.terminate();
    },
  };
}

/** The senders whose message is with the thread. */
interface WaitingSenders {
  count(): number;
  /** Resolves when the message is stored, and rejects with the reply otherwise. */
  add(no: number): Promise<void>;
  settle(said: Said): void;
  failAll(): void;
}

function createWaitingSenders(log: Log, longestWaitMs: number): WaitingSenders {
  const waiting = new Map<number, { timer: NodeJS.Timeout; resolve(): void; reject(error: Error): void }>();

  function settle({ no, problem }: Said): void {
    const sender = waiting.get(no);
    waiting.delete(no);
    clearTimeout(sender?.timer);
    if (problem?.cause) log.error({ err: problem.cause }, 'smtp: not accepted');
    if (problem) sender?.reject(reply(problem.codes, problem.text));
    else sender?.resolve();
  }

  function putOff(no: number): void {
    const { responseCode, message } = toErrorReply(new Error('Nobody is there to receive.'));
    settle({ no, problem: { codes: String(responseCode), text: message, cause: null } });
  }

  /** Its work ended without an answer. Should it have been stored all the same, the copy is recognised. */
  function putOffForgotten(no: number): void {
    log.error('smtp: a message had no answer from the receiving thread');
    putOff(no);
  }

  return {
    count: () => waiting.size,
    add: (no) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(putOffForgotten, longestWaitMs, no);
        waiting.set(no, { timer, resolve, reject });
      }),
    settle,
    failAll() {
      for (const no of waiting.keys()) putOff(no);
    },
  };
}

/** Bytes that can be handed over: a small Buffer is a window into a block that others share. */
function toOwned(raw: Buffer): Uint8Array<ArrayBuffer> {
  return raw.byteLength === raw.buffer.byteLength ? (raw as Uint8Array<ArrayBuffer>) : new Uint8Array(raw);
}
