import { expect, test } from 'vitest';
import {
  foldBytes,
  foldCase,
  joinTables,
  makeTable,
  ROWS,
  rowsOf,
  searchedRows,
  textsWithAll,
  widthFor,
} from './grams.ts';

const TEXTS = Array.from(
  { length: 130 },
  (_, no) => `Message ${no} about boats ${no % 10 === 0 ? 'and Lighthouses' : ''}`,
);

const tableOf = (texts: string[]) => makeTable(texts.map((text) => rowsOf([Buffer.from(foldCase(text))])));

function find(table: Buffer, count: number, searched: string): number[] {
  const [width, rows] = [widthFor(count), searchedRows(Buffer.from(foldCase(searched)))];
  return textsWithAll(
    Buffer.concat(rows.map((row) => table.subarray(row * width, (row + 1) * width))),
    width,
  );
}

test('a table names the texts with a part of a word, whatever its case', () => {
  const found = find(tableOf(TEXTS), TEXTS.length, 'GHTHOU');
  const all = TEXTS.flatMap((_, no) => (no % 10 === 0 ? [no] : []));
  expect(found.filter((no) => no % 10 === 0)).toEqual(all);
  expect(found.length).toBeLessThan(20);
});

test('no text is missed, wherever and however long the searched text is', () => {
  const text = 'Żółw, 東京 and ΟΔΥΣΣΕΥΣ: <ab.cd@example.org> ' + 'x'.repeat(500);
  const table = tableOf([text]);
  for (let from = 0; from < text.length; from += 1)
    for (const length of [3, 5, 11, 300]) {
      const part = text.slice(from, from + length).toWellFormed();
      if (part.includes('\uFFFD') || searchedRows(Buffer.from(foldCase(part))).length === 0) continue;
      expect(find(table, 1, part)).toEqual([0]);
    }
  expect(find(table, 1, 'needle')).toEqual([]);
});

test('joined tables name the same texts as one', () => {
  const parts = [TEXTS.slice(0, 64), TEXTS.slice(64, 128), TEXTS.slice(128)].map(tableOf);
  expect(joinTables(parts).equals(tableOf(TEXTS))).toBe(true);
});

test('a text that may contain anything is always named', () => {
  const table = makeTable([rowsOf([Buffer.from('boats')]), null]);
  expect(table.length).toBe(ROWS);
  expect(find(table, 2, 'needle')).toEqual([1]);
});

test('the bytes of headers are compared with ASCII letters in lower case only', () => {
  expect(foldBytes(Buffer.from('X-ÄB'))).toBe(Buffer.from('x-Äb').toString('latin1'));
});
