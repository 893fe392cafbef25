/**
 * Mail that came in is read, checked and stored by a thread of its own, with connections of its own to the database:
 * whatever strangers write, this one goes on answering everybody else. The thread starts with the first message. Should
 * it fail, those who wait are told to come again, and the next message starts another.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../mail/start-thread.ts';
import type { Log } from '../platform/log.ts';
import type { AcceptTools, Handover } from './accept-mail.ts';
import { reply, toErrorReply } from './error-reply.ts';

export interface ReceiverSettings extends Pick<AcceptTools, 'mailHost' | 'dmarcReject'> {
  databaseUrl: string;
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

const CLOSE_WITHIN_MS = 2_000;

export function openReceiver(settings: ReceiverSettings, log: Log): Receiver {
  let thread: Worker | null = null;
  let given: Given[] = [];
  let count = 0;
  const waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();

  function start(): Worker {
    const started = startThread('./receiver-worker', import.meta.url, { workerData: settings });
    started.on('message', (said: Said[]) => said.forEach(settle));
    started.on('error', (error) => log.error({ err: error }, 'smtp: the receiving thread failed'));
    started.on('exit', () => {
      thread = null;
      given = [];
      const { responseCode, message } = toErrorReply(new Error('The receiving thread ended.'));
      const problem = { codes: String(responseCode), text: message, cause: null };
      for (const no of waiting.keys()) settle({ no, problem });
    });
    return started;
  }

  function settle({ no, problem }: Said): void {
    const { resolve, reject } = waiting.get(no)!;
    waiting.delete(no);
    if (!problem) return resolve();
    if (problem.cause) log.error({ err: problem.cause }, 'smtp: not accepted');
    reject(reply(problem.codes, problem.text));
  }

  /** All that ended in one turn. */
  function hand(): void {
    const batch = given;
    given = [];
    if (batch.length === 0) return;
    thread ??= start();
    thread.postMessage(
      batch,
      batch.map(({ raw }) => raw.buffer),
    );
  }

  return {
    accept(raw, handover) {
      return new Promise((resolve, reject) => {
        const no = (count += 1);
        waiting.set(no, { resolve, reject });
        if (given.push({ no, raw: toOwned(raw), handover }) === 1) setImmediate(hand);
      });
    },
    async close() {
      const last = thread;
      if (!last) return;
      const ended = new Promise((resolve) => last.once('exit', resolve));
      last.postMessage('close');
      await Promise.race([ended, wait(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      await last.terminate();
    },
  };
}

/** Bytes that can be handed over: a small Buffer is a window into a block that others share. */
function toOwned(raw: Buffer): Uint8Array<ArrayBuffer> {
  return raw.byteLength === raw.buffer.byteLength ? (raw as Uint8Array<ArrayBuffer>) : new Uint8Array(raw);
}
