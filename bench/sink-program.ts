/** The receiver of the delivery benchmark. It counts messages and reports how long a number of them took to arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startFastSink } from '../src/testing/smtp-sink/smtp-fast-sink.ts';
import { answerQuestions } from './forked.ts';

interface SinkQuestion {
  /** The reply comes after this many more messages; with 0 it only contains the port. */
  expect: number;
  /** The number of first messages that are not counted, because connections are being opened. */
  warmUp: number;
  /** Forgets the recipients until now and counts them from now on. */
  remember?: boolean;
}

export interface SinkAnswer {
  port: number;
  perSecond: number;
  /** Recipients, and messages to them, since `remember`. */
  people: number;
  messages: number;
}

const LOOK_MS = 2;

const sink = await startFastSink();
answerQuestions(async (question): Promise<SinkAnswer> => {
  const { expect, warmUp, remember } = question as SinkQuestion;
  if (remember) sink.recipients = new Map();
  const before = sink.messages;
  while (sink.messages < before + Math.min(warmUp, expect)) await sleep(LOOK_MS);
  const [startedAt, from] = [performance.now(), sink.messages];
  while (sink.messages < before + expect) await sleep(LOOK_MS);
  const seconds = (sink.lastAt - startedAt) / 1000;
  return {
    port: sink.port,
    perSecond: expect === 0 ? 0 : (sink.messages - from) / seconds,
    people: sink.recipients?.size ?? 0,
    messages: [...(sink.recipients?.values() ?? [])].reduce((sum, count) => sum + count, 0),
  };
});
