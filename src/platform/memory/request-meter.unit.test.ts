import { once } from 'node:events';
import { expect, test } from 'vitest';
import { countRendered, meterRequest } from './request-meter.ts';

const MIB = 1024 * 1024;

/** Renders so much, and goes on until `done`. */
function render(teamId: number, mib: number, done: Promise<void>): Promise<void> {
  return meterRequest({ teamId, bytes: 1_000, grow: () => true }, async () => {
    countRendered(mib * MIB);
    await done;
  });
}

test('a team whose running requests render too much gets TOO_LARGE, and other teams are not affected', async () => {
  const ending = new AbortController();
  const done = once(ending.signal, 'abort').then(() => undefined);
  const running = [render(1, 250, done), render(1, 250, done)];
  await expect(render(1, 20, done)).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('all running requests of a team') as string,
  });
  const other = render(2, 250, done);
  ending.abort();
  await Promise.all([...running, other]);
  await render(1, 250, done);
});
