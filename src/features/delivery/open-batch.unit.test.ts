import { describe, expect, test } from 'vitest';
import type { LeasedBatch } from '../campaigns/running/lease-batches.ts';
import { endingOf, finish, leaveOut, openBatch, putBack, takeNext } from './open-batch.ts';

const WAITING = ['a', 'b', 'c', 'd'].map((name) => ({ contactId: name, addressKey: `${name}@example.org` }));

function open(changes: Partial<LeasedBatch> = {}) {
  const leased = { recipients: WAITING, isWhole: true, batchSize: 100, copies: 0, waiting: 0, ...changes };
  return openBatch(leased as LeasedBatch);
}

test('a batch is finished when each recipient has an outcome, and not before', () => {
  const batch = open();
  expect(takeNext(batch, 3)).toEqual(WAITING.slice(0, 3));
  expect(endingOf(batch, false)).toBeNull();
  finish(batch, 3);
  expect(endingOf(batch, false)).toBeNull();
  takeNext(batch, 3);
  finish(batch, 1);
  expect(endingOf(batch, false)).toBe('finished');
});

test('a batch of a paused campaign is given back once nothing of it is in flight', () => {
  const batch = open();
  takeNext(batch, 2);
  expect(endingOf(batch, true)).toBeNull();
  putBack(batch, WAITING.slice(1, 2));
  expect(endingOf(batch, true)).toBeNull();
  finish(batch, 1);
  expect(endingOf(batch, true)).toBe('given-back');
  expect(batch.waiting).toEqual(WAITING.slice(1));
});

test('a batch that the rate has cut is given back, and never finished', () => {
  const batch = open({ recipients: WAITING.slice(0, 1), isWhole: false });
  takeNext(batch, 5);
  finish(batch, 1);
  expect(endingOf(batch, false)).toBe('given-back');
});

describe('what goes into the queue', () => {
  test('is limited, and ends the batch at the limit', () => {
    const batch = open({ copies: 9, waiting: 970 });
    expect(takeNext(batch, 4)).toHaveLength(3);
    leaveOut(batch, 3, 3);
    expect([batch.taken, batch.isGivenUp, endingOf(batch, false)]).toEqual([0, true, 'given-back']);
  });

  test('always has space for one recipient, however many copies it has', () => {
    expect(takeNext(open({ copies: 2_000 }), 4)).toHaveLength(1);
  });
});

test('no more recipients are read at a time than the batch size of the campaign', () => {
  expect(takeNext(open({ batchSize: 2 }), 4)).toHaveLength(2);
});
