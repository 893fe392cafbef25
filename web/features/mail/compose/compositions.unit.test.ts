import { expect, test } from 'vitest';
import { withComposition, type Composition } from './compositions.ts';

function composition(key: string, parts: Partial<Composition> = {}): Composition {
  return {
    key,
    mailboxId: 'mbx_1',
    place: 'window',
    threadId: null,
    draftId: null,
    isMinimised: false,
    calls: 0,
    ...parts,
  } as Composition;
}

function keysOf(list: readonly Composition[]): string[] {
  return list.map(({ key }) => key);
}

test('a fourth window closes the oldest, and leaves answers alone', () => {
  const answer = composition('answer', { place: 'thread', threadId: 'thr_1' });
  const open = [answer, ...['a', 'b', 'c'].map((key) => composition(key))];
  expect(keysOf(withComposition(open, composition('d')))).toEqual(['answer', 'b', 'c', 'd']);
});

test('a draft that is open is called again, and not opened twice', () => {
  const open = [composition('a', { draftId: 'msg_1', isMinimised: true })];
  const list = withComposition(open, composition('b', { draftId: 'msg_1' }));
  expect(list).toEqual([{ ...open[0], isMinimised: false, calls: 1 }]);
});

test('a conversation has one answer at a time', () => {
  const open = [composition('a', { place: 'thread', threadId: 'thr_1' })];
  const same = withComposition(open, composition('b', { place: 'thread', threadId: 'thr_1' }));
  expect(keysOf(same)).toEqual(['a']);
  const other = withComposition(open, composition('b', { place: 'thread', threadId: 'thr_2' }));
  expect(keysOf(other)).toEqual(['a', 'b']);
});

test('messages without a draft are never the same', () => {
  expect(keysOf(withComposition([composition('a')], composition('b')))).toEqual(['a', 'b']);
});
