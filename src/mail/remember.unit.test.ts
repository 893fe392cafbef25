import { expect, test } from 'vitest';
import { createMemory } from './remember.ts';

function setUp() {
  let nowMs = 0;
  const asked: string[] = [];
  const memory = createMemory<number>(() => nowMs);
  return {
    asked,
    ask: (key: string) => memory(key, async () => asked.push(key)),
    pass: (ms: number) => (nowMs += ms),
  };
}

test('who asks seldom gets a fresh answer each time', async () => {
  const { asked, ask, pass } = setUp();
  for (let round = 0; round < 500; round++) {
    await ask('example.org');
    pass(30);
  }
  expect(asked).toHaveLength(500);
});

test('what is asked all the time is asked a number of times in a second', async () => {
  const { asked, ask, pass } = setUp();
  for (let round = 0; round < 2_000; round++) {
    await ask('example.org');
    pass(1);
  }
  expect(asked).toHaveLength(100);
  expect(await ask('other.example')).toBe(101);
});

test('however many others are asked, what is asked all the time is remembered', async () => {
  const { asked, ask } = setUp();
  for (let round = 0; round < 60; round++) await ask('example.org');
  for (let other = 0; other < 4_000; other++) await ask(`${other}.example`);
  await ask('example.org');
  expect(asked.filter((key) => key === 'example.org')).toHaveLength(50);
});
