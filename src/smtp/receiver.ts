/**
 * Runs a worker thread that parses, checks and stores received mail, with database connections of its own, so that no
 * message can block this thread. The worker thread starts with the first message. If it fails, waiting senders get a
 * temporary error, and the next message starts a new thread.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { logTrouble, type ThreadTrouble } from '../mail/offload/thread-trouble.ts';
import { startThread } from '../platform/concurrency/start-thread.ts';
import type { ObjectStoreSettings } from '../platform/object-store/s3-requests.ts';
import type { ObjectStore, StoreReports } from '../platform/object-store/s3-store.ts';
import type { Log } from '../platform/log.ts';
import type { UnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import type { BlocklistZone } from '../mail/auth/blocklists.ts';
import type { RspamdState } from '../mail/spam/rspamd.ts';
import type { AcceptTools, InboundFolder, ReceivedTransaction } from './accept-mail.ts';
import { reply, toErrorReply } from './protocol/error-reply.ts';

export interface ReceiverSettings extends Pick<AcceptTools, 'mailHost' | 'mailTransport' | 'dmarcReject'> {
  /** The bytes of large messages that may be parsed and stored concurrently. */
  workBytes: number;
  databaseUrl: string;
  isPooled: boolean;
  databaseConnections: number;
  objectStore: ObjectStoreSettings | null;
  dnsServers: string[] | null;
  rspamdUrl: string | null;
  blocklistZones: BlocklistZone[];
  secret: Uint8Array;
}

export interface ReceiverJob {
  no: number;
  raw: Uint8Array<ArrayBuffer>;
  transaction: ReceivedTransaction;
}

/** The outcome of a message. */
export type ReceiverReply = { no: number } & (
  { folder: InboundFolder; problem: null } | { folder: null; problem: Problem }
);

/** An error that could not be assigned to a message. The thread continues, and that message gets no reply. */
export interface StrayError {
  stray: object;
}

/** An error because of which a message is delivered without a spam score. */
export interface UnscoredMessage {
  unscored: object;
}

/** A problem with an accepted message that the operator should know about. */
export interface ReceiverNotice {
  trouble: ThreadTrouble;
}

/** The spam filter has failed, or works again. */
export interface SpamFilterNotice {
  spamFilter: RspamdState;
}

/** PostgreSQL has reported that its disk is full. */
export interface DiskFullNotice {
  isDiskFull: true;
}

/** A request to the object store has ended, or an object is lost. */
export interface StoreNotice {
  storeReport:
    { request: Parameters<StoreReports['onRequest']> } | { loss: Parameters<StoreReports['onLost']> };
}

export interface Problem {
  /** The codes for `reply()`. */
  codes: string;
  text: string;
  /** Set for unexpected errors, for the log. */
  cause: object | null;
}

export interface Receiver {
  /**
   * Resolves to the folder when the message is stored, otherwise throws the reply. The buffer is transferred and must
   * not be used afterwards.
   */
  accept(raw: Buffer, transaction: ReceivedTransaction): Promise<InboundFolder>;
  /** Returns how many messages are in the thread. */
  waiting(): number;
  close(): Promise<void>;
}

const PING_MS = 10_000;
/** A message without an outcome by then is deferred. RFC 5321 section 4.5.3.2.6 lets the client wait for 10 minutes. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** A thread that misses more pings than this is stuck. */
const MAX_MISSED_PINGS = 3;
/** A thread with more stray errors than this is replaced. */
const MAX_STRAY_ERRORS = 100;
const CLOSE_WITHIN_MS = 2_000;

export interface ReceiverOptions {
  log: Log;
  errors: UnexpectedErrors;
  /** Gets the reports of the thread's own requests. */
  objectStore: Pick<ObjectStore, 'reports'> | null;
  onDiskFull(): void;
  onSpamFilter(state: RspamdState): void;
  longestWaitMs?: number;
}

export function openReceiver(settings: ReceiverSettings, options: ReceiverOptions): Receiver {
  const { log, longestWaitMs = LONGEST_WAIT_MS } = options;
  let thread: Worker | null = null;
  let jobs: ReceiverJob[] = [];
  let count = 0;
  let missedPings = 0;
  let isClosed = false;
  const waiting = createWaitingSenders(log, longestWaitMs);

  function start(): Worker {
    const started = startThread('./receiver-worker', import.meta.url, { workerData: settings });
    const pinging = setInterval(ping, PING_MS, started).unref();
    missedPings = 0;
    handleMessages(started, options, (replies) => {
      missedPings = 0;
      replies.forEach(waiting.settle);
    });
    started.on('exit', () => {
      clearInterval(pinging);
      thread = null;
      if (!isClosed) log.error({ waiting: waiting.count() }, 'smtp: the receiving thread has ended');
      failAll();
    });
    return started;
  }

  /** The thread replies to pings between messages. If it does not, it is stuck in one of them. */
  function ping(worker: Worker): void {
    missedPings = waiting.count() === 0 ? 0 : missedPings + 1;
    if (missedPings <= MAX_MISSED_PINGS) return worker.postMessage('ping');
    log.error({ waiting: waiting.count() }, 'smtp: the receiving thread is stuck');
    void worker.terminate();
  }

  function failAll(): void {
    jobs = [];
    waiting.failAll();
  }

  /** Posts all messages of one event loop turn together. */
  function postJobs(): void {
    if (jobs.length === 0) return;
    if (isClosed) return failAll();
    try {
      thread ??= start();
      const bytes = jobs.map(({ raw }) => raw.buffer);
      thread.postMessage(jobs, bytes);
      jobs = [];
    } catch (error) {
      log.error({ err: error }, 'smtp: no receiving thread could be started');
      failAll();
    }
  }

  return {
    accept(raw, transaction) {
      const no = (count += 1);
      const stored = waiting.add(no);
      if (jobs.push({ no, raw: toTransferable(raw), transaction }) === 1) setImmediate(postJobs);
      return stored;
    },
    waiting: waiting.count,
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

/** Reports errors and notices of the thread, and passes the outcomes of messages to `onReplies`. */
function handleMessages(
  thread: Worker,
  { log, errors, objectStore, onDiskFull, onSpamFilter }: ReceiverOptions,
  onReplies: (replies: ReceiverReply[]) => void,
): void {
  let strayErrors = 0;
  thread.on(
    'message',
    (
      message:
        | ReceiverReply[]
        | StrayError
        | UnscoredMessage
        | ReceiverNotice
        | DiskFullNotice
        | StoreNotice
        | SpamFilterNotice,
    ) => {
      if ('isDiskFull' in message) return onDiskFull();
      if ('storeReport' in message) return passOn(message, objectStore?.reports);
      if ('spamFilter' in message) return onSpamFilter(message.spamFilter);
      if ('trouble' in message) return logTrouble(log, message.trouble);
      if ('unscored' in message)
        return log.error({ err: message.unscored }, 'receiving: a message is delivered without a spam score');
      if (!('stray' in message)) return onReplies(message);
      errors.report('receiver', message.stray);
      if ((strayErrors += 1) > MAX_STRAY_ERRORS) void thread.terminate();
    },
  );
  thread.on('error', (error) => errors.report('receiver', error));
  // The replies could not be deserialized, so the outcome of the messages is unknown.
  thread.on('messageerror', (error) => {
    errors.report('receiver', error);
    void thread.terminate();
  });
}

function passOn({ storeReport }: StoreNotice, reports: StoreReports | undefined): void {
  if ('request' in storeReport) reports?.onRequest(...storeReport.request);
  else reports?.onLost(...storeReport.loss);
}

/** The senders whose messages are in the worker thread. */
interface WaitingSenders {
  count(): number;
  /** Resolves when the message is stored, and rejects with the reply otherwise. */
  add(no: number): Promise<InboundFolder>;
  settle(outcome: ReceiverReply): void;
  failAll(): void;
}

function createWaitingSenders(log: Log, longestWaitMs: number): WaitingSenders {
  const waiting = new Map<
    number,
    { timer: NodeJS.Timeout; resolve(folder: InboundFolder): void; reject(error: Error): void }
  >();

  function settle({ no, folder, problem }: ReceiverReply): void {
    const sender = waiting.get(no);
    waiting.delete(no);
    clearTimeout(sender?.timer);
    if (problem?.cause) log.error({ err: problem.cause }, 'smtp: a message or command failed');
    if (problem) sender?.reject(reply(problem.codes, problem.text));
    else sender?.resolve(folder);
  }

  function defer(no: number): void {
    const { responseCode, message } = toErrorReply(new Error('There is no receiving thread.'));
    settle({ no, folder: null, problem: { codes: String(responseCode), text: message, cause: null } });
  }

  /**
   * Called when the message had no outcome in time. If it was stored nevertheless, the sender's retry is recognised as
   * a copy.
   */
  function timeOut(no: number): void {
    log.error('smtp: the receiving thread did not reply for a message');
    defer(no);
  }

  return {
    count: () => waiting.size,
    add: (no) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(timeOut, longestWaitMs, no);
        waiting.set(no, { timer, resolve, reject });
      }),
    settle,
    failAll() {
      for (const no of waiting.keys()) defer(no);
    },
  };
}

/**
 * Returns bytes that can be transferred to another thread. A small Buffer shares its memory with others, so it is
 * copied.
 */
function toTransferable(raw: Buffer): Uint8Array<ArrayBuffer> {
  return raw.byteLength === raw.buffer.byteLength ? (raw as Uint8Array<ArrayBuffer>) : new Uint8Array(raw);
}
