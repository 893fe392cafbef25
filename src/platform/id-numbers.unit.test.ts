import { expect, test } from 'vitest';
import { toIdNumber, uuidsOf } from './id-numbers.ts';
import { encodeId, newUuid } from './ids.ts';

test('the number of an id leads back to it', () => {
  for (let count = 0; count < 1_000; count++) {
    const uuid = newUuid();
    const number = toIdNumber('tpl', encodeId('tpl', uuid));
    const { first, last } = uuidsOf(number)!;
    expect(Number.isSafeInteger(number)).toBe(true);
    expect([first <= uuid, uuid <= last]).toEqual([true, true]);
    expect(uuidsOf(number + 1)!.first > uuid).toBe(true);
  }
});

test('other numbers lead to nothing, or to no existing id', () => {
  for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53]) expect(uuidsOf(wrong)).toBeNull();
  expect(uuidsOf(1)).toEqual({
    first: '00000000-0000-7001-0000-000000000000',
    last: '00000000-0000-7001-ffff-ffffffffffff',
  });
});
