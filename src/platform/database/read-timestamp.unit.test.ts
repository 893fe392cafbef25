import pg from 'pg';
import { expect, test } from 'vitest';
import { readTimestamp } from './read-timestamp.ts';

test('timestamps are read to the millisecond, whatever fraction they have', () => {
  for (const [text, iso] of [
    ['2026-11-18 02:07:09+00', '2026-11-18T02:07:09.000Z'],
    ['2026-11-18 02:07:09.5+00', '2026-11-18T02:07:09.500Z'],
    ['2026-11-18 02:07:09.057+00', '2026-11-18T02:07:09.057Z'],
    ['2026-12-31 23:59:59.999999+00', '2026-12-31T23:59:59.999Z'],
    ['2024-02-29 00:00:00.000001+00', '2024-02-29T00:00:00.000Z'],
    ['0099-01-02 03:04:05+00', '0099-01-02T03:04:05.000Z'],
    ['9999-12-31 23:59:59+00', '9999-12-31T23:59:59.000Z'],
    ['2026-11-18 02:07:09.5+05:30', '2026-11-17T20:37:09.500Z'],
  ] as const) {
    expect((readTimestamp(text) as Date).toISOString()).toBe(iso);
  }
});

test('other forms are read as pg reads them', () => {
  const read = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);
  for (const text of ['infinity', '-infinity', '10000-01-01 00:00:00+00', '0044-03-15 12:00:00+00 BC'])
    expect(readTimestamp(text)).toEqual(read(text));
});
