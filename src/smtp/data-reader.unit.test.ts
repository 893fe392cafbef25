import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SMTPServerDataStream } from 'smtp-server';
import { expect, test } from 'vitest';
import { createMemoryShare } from '../platform/memory/memory-share.ts';
import { createDataReader } from './data-reader.ts';

const KB = 1024;
const LIMIT = 1_000 * KB;

const sender = (declaredBytes: number) => ({ client: 'client', declaredBytes });

/** The share for arriving messages is 1,500 kB. */
function setUp() {
  let nowMs = 0;
  const reader = createDataReader(
    LIMIT,
    createMemoryShare(1_500 * KB, () => nowMs),
  );
  return {
    ...reader,
    length: (stream: SMTPServerDataStream, declared = 0) =>
      reader.holdWhole(stream, sender(declared), async (raw) => raw.length),
    setNow: (ms: number) => (nowMs = ms),
  };
}

function streamOf(bytes: number): SMTPServerDataStream {
  return Readable.from([Buffer.alloc(bytes, 'x')]) as unknown as SMTPServerDataStream;
}

function openStream(): { stream: PassThrough; data: SMTPServerDataStream } {
  const stream = new PassThrough();
  return { stream, data: stream as unknown as SMTPServerDataStream };
}

test('a message counts against the budget until the work on it is done', async () => {
  const { holdWhole, length } = setUp();
  const done = new AbortController();
  const working = holdWhole(streamOf(LIMIT), sender(LIMIT), async (raw) => {
    await once(done.signal, 'abort');
    return raw.length;
  });
  let isRead = false;
  const waiting = length(streamOf(700 * KB), 700 * KB).then((bytes) => ((isRead = true), bytes));
  expect(await length(streamOf(60 * KB))).toBe(60 * KB);
  expect(isRead).toBe(false);
  done.abort();
  expect(await working).toBe(LIMIT);
  expect(await waiting).toBe(700 * KB);
});

test('a message without a declared size that finds no space is refused and releases its bytes at once', async () => {
  const { length } = setUp();
  const [first, second] = [openStream(), openStream()];
  const reading = [first, second].map(({ data }) => length(data).catch((error: unknown) => error));
  for (const { stream } of [first, second, second, first]) {
    stream.write(Buffer.alloc(490 * KB));
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  }
  second.stream.end();
  expect(await reading[1]).toBe(980 * KB);
  first.stream.end();
  expect(await reading[0]).toMatchObject({ responseCode: '452 4.3.1' });
  expect(await length(streamOf(LIMIT), LIMIT)).toBe(LIMIT);
});

test('a client that declares a size and sends nothing reserves nothing', async () => {
  const { length } = setUp();
  const silent = openStream();
  const reading = length(silent.data, LIMIT).catch((error: unknown) => error);
  expect(await length(streamOf(LIMIT), LIMIT)).toBe(LIMIT);
  silent.stream.end();
  expect(await reading).toBe(0);
});

test('a slow message is dropped for others at once, and its connection is closed', async () => {
  const { length, setNow } = setUp();
  const slow = openStream();
  const reading = length(slow.data, 900 * KB).catch((error: unknown) => error);
  slow.stream.write(Buffer.alloc(100 * KB));
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  setNow(3_000);
  expect(await length(streamOf(LIMIT), LIMIT)).toBe(LIMIT);
  expect(await reading).toMatchObject({ responseCode: 421 });
});

test('a message that arrives in very many chunks is read unchanged', async () => {
  const lines = Array.from({ length: 5_000 }, (_, line) => Buffer.from(`.${line}\r\n`));
  const stream = Readable.from(lines) as unknown as SMTPServerDataStream;
  expect(await setUp().holdWhole(stream, sender(0), async (raw) => raw)).toEqual(Buffer.concat(lines));
});

test('a message that is too large is refused and releases its bytes', async () => {
  const { holdWhole, length } = setUp();
  for (let times = 0; times < 3; times += 1)
    await expect(length(streamOf(LIMIT + 1))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(
    holdWhole(streamOf(LIMIT), sender(LIMIT), () => Promise.reject(new Error('x'))),
  ).rejects.toThrow('x');
  expect(await length(streamOf(LIMIT), LIMIT)).toBe(LIMIT);
});
