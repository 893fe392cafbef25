import { expect, test } from 'vitest';
import { createBudget } from './budget.ts';

/** Each task runs until the test ends it. */
function setUp(size: number) {
  const withinBudget = createBudget(size);
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    started,
    start: (name: string, bytes: number) =>
      withinBudget(bytes, () => {
        started.push(name);
        return new Promise<string>((resolve, reject) =>
          ends.set(name, (error) => (error ? reject(error) : resolve(name))),
        );
      }),
    end: (name: string, error?: Error) => ends.get(name)!(error),
  };
}

test('work that fits starts immediately, other work starts in the order of its arrival', async () => {
  const budget = setUp(100);
  const all = [budget.start('a', 60), budget.start('b', 40), budget.start('c', 50), budget.start('d', 10)];
  await Promise.resolve();
  expect(budget.started).toEqual(['a', 'b']);
  budget.end('b');
  await expect(all[1]).resolves.toBe('b');
  // d would fit, but c came first.
  expect(budget.started).toEqual(['a', 'b']);
  budget.end('a');
  await all[0];
  expect(budget.started).toEqual(['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) budget.end(name);
  await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c', 'd']);
});

test('work that is larger than the budget runs alone', async () => {
  const budget = setUp(100);
  const all = [budget.start('small', 1), budget.start('huge', 500), budget.start('next', 1)];
  await Promise.resolve();
  expect(budget.started).toEqual(['small']);
  budget.end('small');
  await all[0];
  expect(budget.started).toEqual(['small', 'huge']);
  budget.end('huge');
  await all[1];
  expect(budget.started).toEqual(['small', 'huge', 'next']);
  budget.end('next');
  await all[2];
});

test('work that fails returns its bytes to the budget', async () => {
  const budget = setUp(10);
  const failing = budget.start('failing', 10);
  const next = budget.start('next', 10);
  await Promise.resolve();
  budget.end('failing', new Error('No.'));
  await expect(failing).rejects.toThrow('No.');
  expect(budget.started).toEqual(['failing', 'next']);
  budget.end('next');
  await expect(next).resolves.toBe('next');
});
