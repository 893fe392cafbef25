import { expect, test } from 'vitest';
import { makeKeyword } from './keywords.ts';

test.each([
  ['Billing', 'Billing'],
  ['Größe und Maß', 'Gro_e_und_Ma'],
  ['Café crème', 'Cafe_creme'],
  ['  a / b  ', 'a_b'],
  ['Junk', 'Junk_label'],
  ['$Forwarded', 'Forwarded_label'],
  ['\\Seen', 'Seen_label'],
  ['🎉', 'label'],
  ['שלום', 'label'],
])('the keyword of %s is %s', (name, keyword) => {
  expect(makeKeyword(name, () => true)).toBe(keyword);
});

test('a keyword that is taken gets a number', () => {
  const taken = new Set(['label', 'label_2']);
  expect(makeKeyword('✓', (keyword) => !taken.has(keyword))).toBe('label_3');
});
