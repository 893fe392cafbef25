import { expect, test } from 'vitest';
import { splitAtKeys } from './find-keys.ts';
import { renderSlots } from './slotted-text.ts';

function fillKeys(text: string, values: Record<string, string>): string {
  const slotted = splitAtKeys(text, Object.keys(values), (value) => value ?? '');
  return renderSlots(slotted, (name) => values[name]!);
}

test('each key is replaced wherever it occurs', () => {
  expect(fillKeys('Hi -name-, -name- of -town-.', { '-name-': 'Ada', '-town-': 'London' })).toBe(
    'Hi Ada, Ada of London.',
  );
  expect(fillKeys('nothing', { '-name-': 'Ada' })).toBe('nothing');
  expect(fillKeys('', { a: 'b' })).toBe('');
  expect(fillKeys('text', { '': 'x' })).toBe('text');
});

test('of several keys at one position the longest counts, and the first position counts before the second', () => {
  expect(fillKeys('-name2-', { '-name': 'A', '-name2-': 'B' })).toBe('B');
  expect(fillKeys('abcd', { abc: '1', bcd: '2' })).toBe('1d');
  expect(fillKeys('aaaaab', { a: '1', aaab: '2' })).toBe('112');
});

test('values are not searched for keys', () => {
  expect(fillKeys('ab', { a: 'b', b: 'a' })).toBe('ba');
});

test('it gives the same result as trying every key at every position', () => {
  const letters = 'ab-';
  const random = (() => {
    let state = 7;
    return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  })();
  const word = (length: number) => Array.from({ length }, () => letters[random(3)]).join('');
  for (let round = 0; round < 300; round += 1) {
    const values = Object.fromEntries(Array.from({ length: 5 }, (_, no) => [word(1 + random(5)), `<${no}>`]));
    const text = word(40);
    expect(fillKeys(text, values)).toBe(fillSlowly(text, values));
  }
});

function fillSlowly(text: string, values: Record<string, string>): string {
  const keys = Object.keys(values).toSorted((one, two) => two.length - one.length);
  let filled = '';
  for (let at = 0; at < text.length;) {
    const key = keys.find((each) => text.startsWith(each, at));
    filled += key === undefined ? text[at] : values[key];
    at += key?.length ?? 1;
  }
  return filled;
}
