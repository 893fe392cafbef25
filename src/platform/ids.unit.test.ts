import { expect, test } from 'vitest';
import { decodeId, encodeId, newUuid } from './ids.ts';

test('ids are unique, decode to their uuid and sort by creation time', () => {
  const uuids = Array.from({ length: 20_000 }, newUuid);
  const ids = uuids.map((uuid) => encodeId('con', uuid));
  expect(ids.map((id) => decodeId('con', id))).toEqual(uuids);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))).toBe(true);
});

test('the smallest and the largest id decode to their uuid', () => {
  for (const uuid of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect(decodeId('key', encodeId('key', uuid))).toBe(uuid);
  }
});

test('text that is no id of the type decodes to null', () => {
  const id = encodeId('con', newUuid());
  for (const wrong of [
    '',
    'con_',
    'con',
    id.slice(0, -1),
    `${id}0`,
    id.toUpperCase(),
    id.replace('con', 'cbk'),
  ]) {
    expect(decodeId('con', wrong)).toBeNull();
  }
  expect(decodeId('con', `con_8${'0'.repeat(25)}`)).toBeNull();
  expect(decodeId('con', `con_u${'0'.repeat(25)}`)).toBeNull();
});
