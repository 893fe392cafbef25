import { expect, test } from 'vitest';
import { containsText, indexOfText } from './find-text.ts';

test('a text is found where indexOf finds it', () => {
  let seed = 1;
  function random(limit: number): number {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  }
  const word = (length: number) => Array.from({ length }, () => 'aab'[random(3)]).join('');
  for (let count = 0; count < 2_000; count += 1) {
    const text = word(random(300)) + 'a'.repeat(random(100)) + word(random(300));
    const at = random(text.length + 1);
    const part = random(2) === 0 ? text.slice(at, at + random(120)) : word(30 + random(20));
    const from = random(20);
    expect([text, part, from, indexOfText(text, part, from)]).toEqual([
      text,
      part,
      from,
      text.indexOf(part, from),
    ]);
  }
});

test('a long text that nearly matches everywhere is looked for in one pass', () => {
  const part = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`;
  expect(containsText('a'.repeat(1_000_000), part)).toBe(false);
  expect(containsText(`${'a'.repeat(1_000_000)}b${'a'.repeat(50_000)}`, part)).toBe(true);
});
