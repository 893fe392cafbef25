import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SMTPServerDataStream } from 'smtp-server';
import { expect, test } from 'vitest';
import { createIntake } from './intake.ts';

function streamOf(bytes: number): SMTPServerDataStream {
  const stream = new PassThrough();
  stream.end(Buffer.alloc(bytes, 'x'));
  return stream as unknown as SMTPServerDataStream;
}

test('what is being worked on counts as held, and makes room when it is done', async () => {
  const intake = createIntake({ messageBytes: 100, totalBytes: 150 });
  const done = new AbortController();
  const working = intake.holdWhole(streamOf(100), async (raw) => {
    await once(done.signal, 'abort');
    return raw.length;
  });
  await expect
    .poll(() => intake.readWhole(streamOf(100)).catch((error: unknown) => error))
    .toMatchObject({
      responseCode: '452 4.3.1',
    });
  expect(await intake.readWhole(streamOf(50))).toHaveLength(50);
  done.abort();
  expect(await working).toBe(100);
  expect(await intake.readWhole(streamOf(100))).toHaveLength(100);
});

test('one that finds no room makes room for the others at once', async () => {
  const intake = createIntake({ messageBytes: 100, totalBytes: 150 });
  const [first, second] = [new PassThrough(), new PassThrough()];
  const reading = [first, second].map((stream) =>
    intake.readWhole(stream as unknown as SMTPServerDataStream).catch((error: unknown) => error),
  );
  for (const [stream, bytes] of [
    [first, 70],
    [second, 70],
    [second, 20],
    [first, 30],
  ] as const) {
    stream.write(Buffer.alloc(bytes));
    await sleep(5);
  }
  first.end();
  expect(await reading[0]).toHaveLength(100);
  second.end();
  expect(await reading[1]).toMatchObject({ responseCode: '452 4.3.1' });
  expect(await intake.readWhole(streamOf(100))).toHaveLength(100);
});

test('one that takes its time makes room for the others when there is none', async () => {
  let now = 0;
  const intake = createIntake({ messageBytes: 100, totalBytes: 150 }, () => now);
  const slow = new PassThrough();
  const reading = intake.readWhole(slow as unknown as SMTPServerDataStream).catch((error: unknown) => error);
  slow.write(Buffer.alloc(90));
  await sleep(5);
  await expect(intake.readWhole(streamOf(100))).rejects.toMatchObject({ responseCode: '452 4.3.1' });
  now = 60_000;
  expect(await intake.readWhole(streamOf(60))).toHaveLength(60);
  expect(await intake.readWhole(streamOf(100))).toHaveLength(100);
  slow.end('the rest');
  expect(await reading).toMatchObject({ responseCode: '452 4.3.1' });
  const others = [70, 80].map((bytes) => intake.readWhole(streamOf(bytes)));
  expect((await Promise.all(others)).map(({ length }) => length)).toEqual([70, 80]);
});

test('a message in a great many pieces is the same message', async () => {
  const intake = createIntake({ messageBytes: 50_000, totalBytes: 50_000 });
  const lines = Array.from({ length: 5_000 }, (_, line) => Buffer.from(`.${line}\r\n`));
  const stream = Readable.from(lines) as unknown as SMTPServerDataStream;
  expect(await intake.readWhole(stream)).toEqual(Buffer.concat(lines));
});

test('a message that is too large is refused and leaves no trace', async () => {
  const intake = createIntake({ messageBytes: 100, totalBytes: 150 });
  for (let times = 0; times < 3; times += 1)
    await expect(intake.holdWhole(streamOf(101), async () => 1)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(intake.holdWhole(streamOf(100), () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await intake.readWhole(streamOf(100))).toHaveLength(100);
});
