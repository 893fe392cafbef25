import { expect, test } from 'vitest';
import type { Row } from '../live/thread-rows.ts';
import { nextSelection } from './selection.ts';

const ROWS = ['a', 'b', undefined, 'd', 'e'].map((id) => (id === undefined ? undefined : { id })) as Row[];

function select(before: string[], threadId: string, from: string | null): string[] {
  return [...nextSelection(new Set(before), ROWS, threadId, from)].toSorted();
}

test('one is added, and taken out again', () => {
  expect(select(['a'], 'b', null)).toEqual(['a', 'b']);
  expect(select(['a', 'b'], 'b', null)).toEqual(['a']);
});

test('a range is added in both directions, without rows that are not loaded', () => {
  expect(select([], 'd', 'a')).toEqual(['a', 'b', 'd']);
  expect(select(['e'], 'a', 'b')).toEqual(['a', 'b', 'e']);
});

test('a range from a row that has left the list is the row alone', () => {
  expect(select([], 'd', 'z')).toEqual(['d']);
});
