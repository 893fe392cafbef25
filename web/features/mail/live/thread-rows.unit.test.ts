import { describe, expect, test } from 'vitest';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import {
  beginRows,
  changeRows,
  fillRows,
  firstMissing,
  joinHead,
  markStale,
  PAGE_ROWS,
  placeOf,
  type ThreadRows,
} from './thread-rows.ts';

function thread(no: number): Thread {
  return { id: `thr_${no}`, subject: `Thread ${no}` } as Thread;
}

function page(from: number, to: number, next_cursor: string | null = `after ${to}`) {
  return { items: Array.from({ length: to - from + 1 }, (_, at) => thread(from + at)), next_cursor };
}

function idsOf({ rows }: ThreadRows): (string | undefined)[] {
  return rows.map((row) => row?.id.slice('thr_'.length));
}

describe('a list begins', () => {
  test('with its whole length where the folder is counted', () => {
    const list = beginRows(page(1, 3), 6);
    expect(idsOf(list)).toEqual(['1', '2', '3', undefined, undefined, undefined]);
    expect(list.isCounted).toBe(true);
  });

  test('with room for one more page where nothing is counted', () => {
    const list = beginRows(page(1, 2), null);
    expect(list.rows).toHaveLength(2 + PAGE_ROWS);
    expect(list.isCounted).toBe(false);
  });

  test('and ends at its only page, whatever the count said', () => {
    const list = beginRows(page(1, 2, null), 7);
    expect(idsOf(list)).toEqual(['1', '2']);
    expect(list.isCounted).toBe(true);
  });
});

describe('a page', () => {
  test('is put where it was asked for, and its cursor is kept', () => {
    const list = fillRows(beginRows(page(1, 2), 6), 3, page(4, 5));
    expect(idsOf(list)).toEqual(['1', '2', undefined, '4', '5', undefined]);
    expect(list.cursors.get('thr_5')).toBe('after 5');
  });

  test('that is the last one ends the list', () => {
    expect(idsOf(fillRows(beginRows(page(1, 2), 9), 2, page(3, 4, null)))).toEqual(['1', '2', '3', '4']);
  });

  test('shows a thread that has moved only at its new place', () => {
    const list = fillRows(beginRows(page(1, 3), 6), 3, { items: [thread(2), thread(5)], next_cursor: 'x' });
    expect(idsOf(list)).toEqual(['1', undefined, '3', '2', '5', undefined]);
  });

  test('makes what was stale fresh', () => {
    const list = { ...beginRows(page(1, 3), 3), stale: new Set(['thr_2', 'thr_9']) };
    expect([...fillRows(list, 0, page(1, 3)).stale]).toEqual(['thr_9']);
  });
});

describe('the newest page', () => {
  test('moves the rest down by what is new', () => {
    const list = beginRows(page(1, 4), 6);
    const joined = joinHead(list, { items: [thread(0), thread(1), thread(2)], next_cursor: 'x' });
    expect(idsOf(joined)).toEqual(['0', '1', '2', '3', '4', undefined, undefined]);
    expect(joined.shifts).toBe(list.shifts + 1);
  });

  test('that is the same moves nothing', () => {
    const list = beginRows(page(1, 3), 5);
    const joined = joinHead(list, page(1, 3));
    expect(idsOf(joined)).toEqual(idsOf(list));
    expect(joined.shifts).toBe(list.shifts);
  });

  test('that shares no thread with the list leaves holes below', () => {
    const joined = joinHead(beginRows(page(1, 4, null), 4), page(11, 12));
    expect(idsOf(joined)).toEqual(['11', '12', undefined, undefined]);
  });

  test('that is the only page is the whole list', () => {
    expect(idsOf(joinHead(beginRows(page(1, 4), 9), page(3, 4, null)))).toEqual(['3', '4']);
  });
});

describe('threads of a list', () => {
  const list = beginRows(page(1, 4, null), 4);

  test('are changed in their place', () => {
    const changed = changeRows(list, new Set(['thr_2']), (row) => ({ ...row, subject: 'New' }));
    expect(changed.rows.map((row) => row?.subject)).toEqual(['Thread 1', 'New', 'Thread 3', 'Thread 4']);
    expect(changed.shifts).toBe(list.shifts);
  });

  test('leave it, and the others move up', () => {
    const changed = changeRows(list, new Set(['thr_1', 'thr_3']), () => null);
    expect(idsOf(changed)).toEqual(['2', '4']);
    expect(changed.shifts).toBe(list.shifts + 1);
  });

  test('are found by their id', () => {
    expect([placeOf(list.rows, 'thr_3'), placeOf(list.rows, 'thr_9'), placeOf(list.rows, undefined)]).toEqual(
      [2, -1, -1],
    );
  });
});

test('only rows below the first page become stale, and they are loaded again', () => {
  const long = fillRows(beginRows(page(1, PAGE_ROWS), 60), PAGE_ROWS, page(PAGE_ROWS + 1, 60, null));
  expect(firstMissing(long, 0, 60)).toBe(-1);
  const stale = markStale(long, new Set(['thr_3', 'thr_55']));
  expect([...stale.stale]).toEqual(['thr_55']);
  expect(firstMissing(stale, 0, 60)).toBe(54);
  expect(markStale(long).stale.size).toBe(10);
});

test('the first missing row is searched only in the given range', () => {
  const list = fillRows(beginRows(page(1, 2), 6), 3, page(4, 5));
  expect(firstMissing(list, 0, 6)).toBe(2);
  expect(firstMissing(list, -5, 2)).toBe(-1);
  expect(firstMissing(list, 3, 99)).toBe(5);
});
