/** The receiver of the engine's benchmark: counts messages, and tells how long so many took to come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startFastSink } from '../src/testing/smtp-fast-sink.ts';
import { answerQuestions } from './forked.ts';

interface SinkQuestion {
  /** Answered when so many more messages have come; 0 asks for the port alone. */
  expect: number;
  /** The first few, which are not counted: the way is found and the connections are opened. */
  warmUp: number;
}

export interface SinkAnswer {
  port: number;
  perSecond: number;
}

const LOOK_MS = 2;

const sink = await startFastSink();
answerQuestions(async (question): Promise<SinkAnswer> => {
  const { expect, warmUp } = question as SinkQuestion;
  const before = sink.messages;
  while (sink.messages < before + Math.min(warmUp, expect)) await sleep(LOOK_MS);
  const [startedAt, from] = [performance.now(), sink.messages];
  while (sink.messages < before + expect) await sleep(LOOK_MS);
  const seconds = (sink.lastAt - startedAt) / 1000;
  return { port: sink.port, perSecond: expect === 0 ? 0 : (sink.messages - from) / seconds };
});
