import { describe, expect, test } from 'vitest';
import { findPatterns } from './find-patterns.ts';
import { findSlowInput } from './find-slow-input.ts';

describe('An expression that takes more than linear time is found', () => {
  const SLOW: [RegExp, string][] = [
    [/\s+$/, 'polynomial'],
    [/^\s*x$/m, 'polynomial'],
    [/^\s*(?:"a"|([^<>"@\r\n]*?))\s*<([^<>]+)>\s*$/, 'polynomial'],
    [/<[a-z][^>]*>/g, 'polynomial'],
    [/<img [^>]*src="cid:[^>]*>/gi, 'polynomial'],
    [/^.*a.*$/, 'polynomial'],
    [/<body\b[^>]{0,2000}>/, 'polynomial'],
    [/\d+(?=px)/, 'polynomial'],
    [/^(a+)+$/, 'exponential'],
    [/^(a|ab|b)*$/, 'exponential'],
    [/(?:a*)*b/, 'exponential'],
  ];
  test.each(SLOW)('%s', (pattern, growth) => {
    expect(findSlowInput(pattern.source, pattern.flags)?.growth).toBe(growth);
  });
});

describe('An expression that takes linear time is left alone', () => {
  const QUICK = [
    /^\s+$/,
    /\s+/g,
    /<[a-z][^<>]*>/g,
    /\s*/y,
    /^[^@]+@[^@]+$/,
    /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*(?:,\s*fallback\s*=([^{}]*))?\}\}/g,
    /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/giu,
  ];
  test.each(QUICK)('%s', (pattern) => expect(findSlowInput(pattern.source, pattern.flags)).toBeNull());
});

test('expressions are found anywhere in the code, even if they are concatenated', () => {
  const code = [
    'const WORD = String.raw`\\s+`;',
    "const NAMES = ['a', 'b'];",
    "const MADE = new RegExp(`^${WORD}$`, 'g');",
    "text.replace(/x\\/y/i, () => new RegExp(NAMES.join('|')));",
    'function make(name: string) { return new RegExp(`<${name}>`); }',
  ].join('\n');
  expect(
    findPatterns('a.ts', code).map(({ source, flags, line, isMade }) => [line, source, flags, isMade]),
  ).toEqual([
    [3, String.raw`^\s+$`, 'g', false],
    [4, String.raw`x\/y`, 'i', false],
    [4, 'a|b', '', false],
    [5, '<x>', '', true],
  ]);
});

test('an expression that is made from the arguments of a function is known as such', () => {
  const code = [
    'function replaceAll(text: string, keys: string[]) {',
    String.raw`  const escaped = keys.map((key) => key.replaceAll(/[.]/g, '\$&'));`,
    "  return text.replaceAll(new RegExp(escaped.join('|'), 'g'), '');",
    '}',
    'const find = (words: { source: string }) => RegExp(words.source);',
  ].join('\n');
  expect(findPatterns('a.ts', code).map(({ line, isMade }) => [line, isMade])).toEqual([
    [2, false],
    [3, true],
    [5, true],
  ]);
});
