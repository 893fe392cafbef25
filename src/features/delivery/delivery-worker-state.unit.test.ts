/** The decisions of the delivery worker, without a database, a clock or a socket. */
import { expect, test } from 'vitest';
import {
  IDLE_WORKER,
  mayBegin,
  nextWorkerState,
  planClaim,
  type ClaimFacts,
  type WorkerEffect,
  type WorkerEvent,
  type WorkerState,
} from './delivery-worker-state.ts';

type State = WorkerState<number>;
type Event = WorkerEvent<number>;

function apply(state: State, ...events: Event[]): [State, WorkerEffect<number>[]] {
  let effects: WorkerEffect<number>[] = [];
  for (const event of events) [state, effects] = nextWorkerState(state, event);
  return [state, effects];
}

const begun = (count: number): Event[] => Array.from({ length: count }, () => ({ type: 'begun' }));
const ended = (count: number): Event[] =>
  Array.from({ length: count }, (_, outcome) => ({ type: 'ended', outcome }));

test('when the last attempt in flight ends, its outcome is written at once', () => {
  const [state, effects] = apply(IDLE_WORKER, ...begun(1), ...ended(1));
  expect(effects).toEqual([{ type: 'write', batch: [0] }]);
  expect(state).toMatchObject({ inFlight: 1, writing: 1, writers: 1, outcomes: [] });
});

test('while other attempts run, an outcome waits for more outcomes', () => {
  const [waiting, first] = apply(IDLE_WORKER, ...begun(3), ...ended(1));
  expect(first).toEqual([{ type: 'start-batch-timer', waitMs: 10 }]);
  const [stillWaiting, second] = apply(waiting, { type: 'ended', outcome: 1 });
  expect(second).toEqual([]);
  const [, third] = apply(stillWaiting, { type: 'batch-waited' });
  expect(third).toEqual([{ type: 'write', batch: [0, 1] }]);
});

test('a full batch has 30 outcomes and does not wait', () => {
  const [state, effects] = apply(IDLE_WORKER, ...begun(40), ...ended(30));
  expect(effects.map(({ type }) => type)).toEqual(['stop-batch-timer', 'write']);
  expect(state).toMatchObject({ outcomes: [], writing: 30, isBatchWaiting: false });
});

test('at most two batches are written at a time, and the third starts when one of them is done', () => {
  const [state] = apply(IDLE_WORKER, ...begun(40), ...ended(40));
  expect(state).toMatchObject({ writers: 2, writing: 40, outcomes: [], isBatchWaiting: false });
  const [full, none] = apply(state, ...begun(10), ...ended(10));
  expect(none).toEqual([]);
  expect(full.outcomes).toHaveLength(10);
  const [filling, fill] = apply(full, { type: 'written', count: 30, bytes: 0 });
  expect(fill).toEqual([{ type: 'fill' }]);
  const [last, write] = apply(filling, { type: 'filled' });
  expect(write).toMatchObject([{ type: 'write' }]);
  expect(last).toMatchObject({ inFlight: 20, writing: 20, outcomes: [] });
});

test('beside a batch that is being written, a partial batch waits longer', () => {
  const [beside, effects] = apply(IDLE_WORKER, ...begun(50), ...ended(31));
  expect(beside).toMatchObject({ writers: 1, writing: 30 });
  expect(effects).toEqual([{ type: 'start-batch-timer', waitMs: 50 }]);
  // A writer that is held up does not hold up the others.
  expect(apply(beside, { type: 'batch-waited' })[0]).toMatchObject({ writers: 2, outcomes: [] });
  const [filling, written] = apply(beside, { type: 'written', count: 30, bytes: 0 });
  expect(written).toEqual([{ type: 'stop-batch-timer' }, { type: 'fill' }]);
  expect(apply(filling, { type: 'filled' })[1]).toEqual([{ type: 'start-batch-timer', waitMs: 10 }]);
});

test('the next batch waits for the attempts that started when a batch was written', () => {
  const [state] = apply(IDLE_WORKER, ...begun(50), ...ended(35), { type: 'written', count: 30, bytes: 0 });
  const [waiting, effects] = apply(state, ...begun(30), { type: 'filled' });
  expect(effects).toEqual([{ type: 'start-batch-timer', waitMs: 10 }]);
  expect(waiting.outcomes).toHaveLength(5);
});

test('at most 50 deliveries are in flight, and 10 slots are reserved for urgent mail', () => {
  const at = (count: number) => mayBegin(apply(IDLE_WORKER, ...begun(count))[0]);
  expect(at(39)).toEqual({ urgent: true, bulk: true });
  expect(at(40)).toEqual({ urgent: true, bulk: false });
  expect(at(50)).toEqual({ urgent: false, bulk: false });
  // Outcomes that wait to be written free their slots soon.
  expect(mayBegin(apply(IDLE_WORKER, ...begun(45), ...ended(10))[0])).toEqual({ urgent: true, bulk: true });
});

test('nothing begins once the worker is closing', () => {
  const [state] = apply(IDLE_WORKER, { type: 'closing' });
  expect(mayBegin(state)).toEqual({ urgent: false, bulk: false });
});

const FACTS: ClaimFacts = {
  ready: 0,
  readyUrgent: 0,
  ahead: 50,
  mostBytes: 32 * 1024 * 1024,
  unavailable: [],
  unavailableToUrgent: [],
};

test('a worker claims up to its window, and claims only urgent mail when the window is more than half full', () => {
  expect(planClaim(IDLE_WORKER, FACTS)).toMatchObject({ count: 50, urgentOnly: false, isHeldUp: false });
  expect(planClaim(IDLE_WORKER, { ...FACTS, ready: 25 })).toMatchObject({ count: 25, urgentOnly: false });
  expect(planClaim(IDLE_WORKER, { ...FACTS, ready: 26 })).toMatchObject({ count: 50, urgentOnly: true });
  expect(planClaim(IDLE_WORKER, { ...FACTS, ready: 60, readyUrgent: 60 })).toMatchObject({ count: 0 });
});

test('a worker claims nothing while it holds too many bytes or every server is backing off', () => {
  const [full] = apply(IDLE_WORKER, { type: 'claimed', bytes: 33 * 1024 * 1024 });
  expect(planClaim(full, FACTS)).toMatchObject({ count: 0, isHeldUp: true });
  expect(planClaim(IDLE_WORKER, { ...FACTS, unavailable: 'all' })).toMatchObject({
    count: 0,
    isHeldUp: true,
  });
  const [emptied] = apply(full, { type: 'returned', bytes: 33 * 1024 * 1024 });
  expect(planClaim(emptied, FACTS)).toMatchObject({ count: 50 });
});

test('a claim skips domains whose servers are full, for urgent mail only those that are full for it too', () => {
  const plan = planClaim(IDLE_WORKER, {
    ...FACTS,
    unavailable: ['a.test', 'b.test'],
    unavailableToUrgent: ['b.test'],
  });
  expect(plan).toMatchObject({ except: ['a.test', 'b.test'], exceptForUrgent: ['b.test'], isHeldUp: true });
});

test('in every order of events nothing is lost, written twice or left without a timer', () => {
  for (let seed = 1; seed <= 50; seed += 1) runAtRandom(seed);
});

/** Runs a worker on 300 deliveries with random replies from the network and the database. */
function runAtRandom(seed: number): void {
  const random = createRandom(seed);
  const written: number[] = [];
  let state: State = IDLE_WORKER;
  let hasTimer = false;
  let next = 0;
  let putBack = 0;
  const running: number[] = [];
  const batches: (readonly number[])[] = [];

  function fill(): void {
    while (mayBegin(state).bulk && next < 300 && random() < 0.9) {
      dispatch({ type: 'begun' });
      running.push(next);
      next += 1;
    }
  }

  function dispatch(event: Event): void {
    const [after, effects] = nextWorkerState(state, event);
    state = after;
    for (const effect of effects) {
      if (effect.type === 'write') batches.push(effect.batch);
      else if (effect.type === 'fill') {
        fill();
        dispatch({ type: 'filled' });
      } else hasTimer = effect.type === 'start-batch-timer';
    }
  }

  while (written.length + putBack < 300) {
    const chance = random();
    if (chance < 0.5 && running.length > 0) {
      const [outcome] = running.splice(Math.floor(random() * running.length), 1);
      if (random() < 0.1) {
        putBack += 1;
        dispatch({ type: 'put-back', bytes: 0 });
      } else dispatch({ type: 'ended', outcome: outcome! });
    } else if (chance < 0.7 && batches.length > 0) {
      const [batch] = batches.splice(Math.floor(random() * batches.length), 1);
      written.push(...batch!);
      dispatch({ type: 'written', count: batch!.length, bytes: 0 });
    } else if (chance < 0.8 && hasTimer) {
      hasTimer = false;
      dispatch({ type: 'batch-waited' });
    } else fill();
    const isCounted =
      state.inFlight <= 50 &&
      state.writers === batches.length &&
      state.isBatchWaiting === hasTimer &&
      running.length + state.outcomes.length + state.writing === state.inFlight;
    // Waiting outcomes must have a timer, or a running batch after which they are written.
    const isStuck = state.outcomes.length > 0 && !hasTimer && state.writers === 0;
    if (!isCounted || isStuck) expect.fail(JSON.stringify({ seed, state, hasTimer, running, batches }));
  }
  expect(new Set(written).size).toBe(written.length);
  expect(state).toMatchObject({ inFlight: 0, outcomes: [], writing: 0, writers: 0 });
}

/** The mulberry32 generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
