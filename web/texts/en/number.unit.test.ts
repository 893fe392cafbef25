import { expect, test } from 'vitest';
import { percent } from './number.ts';

test('a rate is never rounded to nothing or to all', () => {
  expect([0, 0.004, 1 / 30.06, 0.5, 1, 33.333].map(percent)).toEqual([
    '0%',
    '<0.01%',
    '0.03%',
    '0.5%',
    '1%',
    '33.3%',
  ]);
  expect([98.44, 99.967, 99.999, 100].map(percent)).toEqual(['98.4%', '99.97%', '>99.99%', '100%']);
});
