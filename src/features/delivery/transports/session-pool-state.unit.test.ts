import { expect, test } from 'vitest';
import { connectionFailure } from '../../../mail/smtp/failure.ts';
import * as pool from './session-pool-state.ts';
import type { SessionPoolState } from './session-pool-state.ts';

const FAILURE = connectionFailure('connect', 'nobody there');

/** Returns a pool that has admitted `count` deliveries, each with a connection. */
function connected(count: number, maxSessions = 5): SessionPoolState {
  let state = pool.createPoolState(maxSessions);
  for (let opened = 0; opened < count; opened += 1) {
    state = pool.enter(state, true, 0)[0];
    state = pool.startSending(pool.endOpening(pool.startOpening(state)));
  }
  return state;
}

test('one of five connections is reserved for urgent mail', () => {
  const state = connected(4);
  expect([pool.isFull(state, false), pool.isFull(state, true)]).toEqual([true, false]);
  expect(pool.enter(state, false, 0)[1]).toBe('wait');
  expect(pool.enter(state, true, 0)[1]).toBe('go');
});

test('with fewer than four connections none is reserved, and urgent mail goes first', () => {
  let state = connected(2, 2);
  state = pool.enter(state, false, 0)[0];
  state = pool.enter(state, true, 0)[0];
  const [next, admitted] = pool.leave(pool.endSending(state, null, 0));
  expect(admitted).toEqual({ urgent: 1, bulk: 0 });
  expect(pool.leave(next)[1]).toEqual({ urgent: 0, bulk: 1 });
});

test('refusing the only connection backs off for 1 s, then twice as long each time, up to 60 s', () => {
  let state = pool.createPoolState(5);
  let now = 0;
  const backoffs: number[] = [];
  for (let tries = 0; tries < 8; tries += 1) {
    expect(pool.failureDuringBackoff(state, now)).toBeNull();
    state = pool.startOpening(pool.enter(state, false, now)[0]);
    const [failed, then] = pool.failOpening(state, FAILURE, false, now);
    expect(then).toBe('fail');
    state = pool.leave(failed)[0];
    expect(pool.failureDuringBackoff(state, now)).toBe(FAILURE);
    backoffs.push(state.backoffUntilMs - now);
    now = state.backoffUntilMs;
  }
  expect(backoffs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  // A successful connection resets the backoff: the next one starts at 1 s again.
  state = pool.endOpening(pool.startOpening(state));
  expect(state).toMatchObject({ backoffMs: 0, lastFailure: null });
});

test('connections that are cut at the same time count as one failure', () => {
  let state = connected(3);
  for (let cut = 0; cut < 3; cut += 1) state = pool.endSending(state, FAILURE, 10 + cut);
  expect(state).toMatchObject({ connected: 0, backoffMs: 1_000, backoffUntilMs: 1_010 });
});

test('a server that accepts three connections gets its mail over those, and a fourth is tried after 10 s', () => {
  const opening = pool.startOpening(pool.enter(connected(3), false, 0)[0]);
  const [limited, then] = pool.failOpening(opening, FAILURE, false, 100);
  expect(then).toBe('wait');
  expect(limited).toMatchObject({ limit: 3, busy: 3, bulkWaiting: 1 });
  expect(pool.isBackingOff(limited, 100)).toBe(false);
  // The waiting delivery is admitted when another is done.
  const [state, admitted] = pool.leave(pool.endSending(limited, null, 200));
  expect(admitted).toEqual({ urgent: 0, bulk: 1 });
  expect(pool.enter(state, false, 10_099)[1]).toBe('wait');
  const [raised, decision] = pool.enter(state, true, 10_100);
  expect([raised.limit, decision]).toEqual([4, 'go']);
  expect(pool.enter(raised, true, 10_101)[0].limit).toBe(4);
});

test('an error while a connection is opened leaves the pool unused', () => {
  const state = pool.startOpening(pool.enter(pool.createPoolState(1), false, 0)[0]);
  const [left] = pool.leave(pool.abandonOpening(state));
  expect(pool.isUnused(left)).toBe(true);
  expect(pool.isBackingOff(left, 0)).toBe(false);
});
