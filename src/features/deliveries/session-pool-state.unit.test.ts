import { expect, test } from 'vitest';
import { brokenAt } from '../../mail/smtp-failure.ts';
import * as pool from './session-pool-state.ts';
import type { SessionPoolState } from './session-pool-state.ts';

const FAILURE = brokenAt('connect', 'nobody there');

/** A pool into which so many deliveries were let, each with a connection. */
function connected(count: number, maxSessions = 5): SessionPoolState {
  let state = pool.createPoolState(maxSessions);
  for (let one = 0; one < count; one += 1) {
    state = pool.enter(state, true, 0)[0];
    state = pool.startSending(pool.endOpening(pool.startOpening(state)));
  }
  return state;
}

test('one of five connections is kept for urgent mail', () => {
  const state = connected(4);
  expect([pool.isFull(state, false), pool.isFull(state, true)]).toEqual([true, false]);
  expect(pool.enter(state, false, 0)[1]).toBe('wait');
  expect(pool.enter(state, true, 0)[1]).toBe('go');
});

test('with fewer than four connections none is kept, and urgent mail goes first', () => {
  let state = connected(2, 2);
  state = pool.enter(state, false, 0)[0];
  state = pool.enter(state, true, 0)[0];
  const [next, admitted] = pool.leave(pool.endSending(state, null, 0));
  expect(admitted).toEqual({ urgent: 1, bulk: 0 });
  expect(pool.leave(next)[1]).toEqual({ urgent: 0, bulk: 1 });
});

test('a server that refuses its only connection rests: 1 s, then twice as long each time, up to 60 s', () => {
  let state = pool.createPoolState(5);
  let now = 0;
  const rests: number[] = [];
  for (let tries = 0; tries < 8; tries += 1) {
    expect(pool.failureWhileResting(state, now)).toBeNull();
    state = pool.startOpening(pool.enter(state, false, now)[0]);
    const [failed, then] = pool.failOpening(state, FAILURE, false, now);
    expect(then).toBe('fail');
    state = pool.leave(failed)[0];
    expect(pool.failureWhileResting(state, now)).toBe(FAILURE);
    rests.push(state.restUntilMs - now);
    now = state.restUntilMs;
  }
  expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  // A connection that opens ends it: the next failure starts at 1 s again.
  state = pool.endOpening(pool.startOpening(state));
  expect(state).toMatchObject({ restMs: 0, lastFailure: null });
});

test('connections that are cut at the same time count as one failure', () => {
  let state = connected(3);
  for (let cut = 0; cut < 3; cut += 1) state = pool.endSending(state, FAILURE, 10 + cut);
  expect(state).toMatchObject({ connected: 0, restMs: 1_000, restUntilMs: 1_010 });
});

test('a server that takes three connections gets its mail by those, and one more is tried after 10 s', () => {
  const opening = pool.startOpening(pool.enter(connected(3), false, 0)[0]);
  const [limited, then] = pool.failOpening(opening, FAILURE, false, 100);
  expect(then).toBe('wait');
  expect(limited).toMatchObject({ most: 3, busy: 3, bulkWaiting: 1 });
  expect(pool.isResting(limited, 100)).toBe(false);
  // The one that waited goes when another is done.
  const [state, admitted] = pool.leave(pool.endSending(limited, null, 200));
  expect(admitted).toEqual({ urgent: 0, bulk: 1 });
  expect(pool.enter(state, false, 10_099)[1]).toBe('wait');
  const [lifted, turn] = pool.enter(state, true, 10_100);
  expect([lifted.most, turn]).toEqual([4, 'go']);
  expect(pool.enter(lifted, true, 10_101)[0].most).toBe(4);
});

test('an error while a connection is opened leaves nothing counted', () => {
  const state = pool.startOpening(pool.enter(pool.createPoolState(1), false, 0)[0]);
  const [left] = pool.leave(pool.abandonOpening(state));
  expect(pool.isUnused(left)).toBe(true);
  expect(pool.isResting(left, 0)).toBe(false);
});
