import { expect, test } from 'vitest';
import { isUnfinished, offerOperators, withOperator } from './search-operators.ts';

const NOW = new Date(2026, 10, 5, 12);

function offered(text: string): string[] {
  return offerOperators(text, NOW).map((operator) => operator.text);
}

test('an empty field and a new word get all suggestions, with today as the example', () => {
  const all = [
    'from:',
    'to:',
    'subject:',
    'in:',
    'is:unread ',
    'is:starred ',
    'has:attachment ',
    'label:',
    'before:2026-11-05',
    'after:2026-11-05',
    'larger:',
    'smaller:',
    '"',
    '-',
  ];
  expect(offered('')).toEqual(all);
  expect(offered('invoice ')).toEqual(all);
});

test.each([
  ['f', ['from:']],
  ['invoice FR', ['from:']],
  ['is', ['is:unread ', 'is:starred ']],
  ['su', ['subject:']],
  ['a', ['after:2026-11-05']],
  ['invoice', []],
  ['from:', []],
  ['from:ada', []],
  ['-', []],
])('%j is offered %j', (text, expected) => {
  expect(offered(text)).toEqual(expected);
});

test('there are no suggestions inside quotes, and again after them', () => {
  expect(offered('"two ')).toEqual([]);
  expect(offered('"two words" i')).toEqual(['in:', 'is:unread ', 'is:starred ']);
});

test('a chosen suggestion replaces the last word', () => {
  const [from] = offerOperators('invoice fr', NOW);
  expect(withOperator('invoice fr', from!)).toBe('invoice from:');
  expect(withOperator('', from!)).toBe('from:');
});

test.each([
  ['before:', true],
  ['x after:2026-1', true],
  ['-before:2026-11', true],
  ['before:2026-11-05', false],
  ['before:2026 x', false],
  ['from:', false],
  ['larger:', true],
  ['larger:5', false],
  ['smaller:5MB', false],
  ['is:star', true],
  ['is:starred', false],
  ['has:att', true],
  ['', false],
])('%j is unfinished: %j', (text, expected) => {
  expect(isUnfinished(text)).toBe(expected);
});
