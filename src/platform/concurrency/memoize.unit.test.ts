import { expect, test } from 'vitest';
import { createMemoizer } from './memoize.ts';

function setUp() {
  let nowMs = 0;
  const loaded: string[] = [];
  const memoize = createMemoizer<number>(() => nowMs);
  return {
    loaded,
    find: (key: string) => memoize(key, async () => loaded.push(key)),
    pass: (ms: number) => (nowMs += ms),
  };
}

test('a key that is needed rarely is loaded each time', async () => {
  const { loaded, find, pass } = setUp();
  for (let round = 0; round < 500; round++) {
    await find('example.org');
    pass(30);
  }
  expect(loaded).toHaveLength(500);
});

test('a key that is needed constantly is loaded at most 50 times a second', async () => {
  const { loaded, find, pass } = setUp();
  for (let round = 0; round < 2_000; round++) {
    await find('example.org');
    pass(1);
  }
  expect(loaded).toHaveLength(100);
  expect(await find('other.example')).toBe(101);
});

test('many other keys do not displace a key that is needed constantly', async () => {
  const { loaded, find } = setUp();
  for (let round = 0; round < 60; round++) await find('example.org');
  for (let other = 0; other < 4_000; other++) await find(`${other}.example`);
  await find('example.org');
  expect(loaded.filter((key) => key === 'example.org')).toHaveLength(50);
});
