import { expect, test } from 'vitest';
import { createMemoryBudget, type MemoryBudget } from './memory-budget.ts';

const MB = 1024 * 1024;

test('clients without a login cannot use up the memory of others', async () => {
  const budget = createMemoryBudget(64 * MB);
  for (const bytes of [50 * MB, 50 * MB]) void budget.unauthenticated.reserve('stranger', bytes, () => {});
  expect(await budget.authenticated.reserve('team', 50 * MB, () => {})).not.toBeNull();
});

async function countAtOnce(budget: MemoryBudget, bytes: number): Promise<number> {
  let running = 0;
  let most = 0;
  const works = Array.from({ length: 10 }, (_, no) =>
    budget.work(no, bytes, async () => {
      most = Math.max(most, (running += 1));
      await Promise.resolve();
      running -= 1;
    }),
  );
  await Promise.all(works);
  return most;
}

test('with a small budget large bodies are worked on one at a time, and small ones together', async () => {
  expect(await countAtOnce(createMemoryBudget(64 * MB), 20 * MB)).toBe(1);
  expect(await countAtOnce(createMemoryBudget(512 * MB), 20 * MB)).toBe(3);
  expect(await countAtOnce(createMemoryBudget(64 * MB), MB)).toBe(10);
});
