import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { readRecords, type CsvRecord, type CsvPosition } from './import-csv.ts';

const START = { bytes: 0, lines: 0 };
const PIECES = ['a', 'é', ',', '"', '""', ',"', '",', '\r', '\n', '\r\n', ' ', '\0', 'x@y.z,'];

async function read(bytes: Buffer, pieceBytes: number, from: CsvPosition = START) {
  const records: CsvRecord[] = [];
  const stops: { position: CsvPosition; count: number }[] = [];
  const file = {
    totalBytes: bytes.length,
    read: (start: number) => Promise.resolve(bytes.subarray(start, start + pieceBytes)),
  };
  for await (const piece of readRecords(file, from, ',')) {
    records.push(...piece.records);
    stops.push({ position: piece.end, count: records.length });
  }
  return { records, stops };
}

/** Seeded, so that a failure can be reproduced. */
function createRandom(seed: number): (below: number) => number {
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
}

test('any bytes give the same records, however they are split and wherever reading resumes', async () => {
  const random = createRandom(1);
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 1 + random(60) }, () => PIECES[random(PIECES.length)]!).join('');
    const bytes = Buffer.from(text);
    const whole = await read(bytes, bytes.length);
    const cut = await read(bytes, 1 + random(5));
    expect(cut.records, JSON.stringify(text)).toEqual(whole.records);
    for (const { position, count } of cut.stops) {
      if (position.bytes === bytes.length) continue;
      const rest = await read(bytes, 7, position);
      expect(rest.records, JSON.stringify(text)).toEqual(whole.records.slice(count));
    }
  }
});

test('results equal those of csv-parse, and text that it rejects has a broken record', async () => {
  const random = createRandom(2);
  // Blanks are left out, because csv-parse accepts `"" ""` as one empty field, and we report text after a closing
  // quote.
  const pieces = PIECES.filter((piece) => piece !== ' ');
  let valid = 0;
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: 1 + random(20) }, () => pieces[random(pieces.length)]!).join('');
    const { records } = await read(Buffer.from(text), 5);
    const expected = parseWithLibrary(text);
    if (expected) {
      const cells = records.map((record) => record.cells).filter((row) => row.join('') !== '');
      expect(cells, JSON.stringify(text)).toEqual(expected.filter((row) => row.join('') !== ''));
      valid += 1;
    } else {
      expect(
        records.some(({ problem }) => problem?.includes('quote')),
        JSON.stringify(text),
      ).toBe(true);
    }
  }
  expect(valid).toBeGreaterThan(500);
});

function parseWithLibrary(text: string): string[][] | null {
  try {
    return parse(text, { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, trim: true });
  } catch {
    return null;
  }
}

test('a line of many megabytes is one rejected record', async () => {
  const middle = 64 * 1024 * 1024;
  const file = {
    totalBytes: 4 + middle + 6,
    read(start: number) {
      if (start === 0) return Promise.resolve(Buffer.from('a,b\n'));
      if (start < 4 + middle)
        return Promise.resolve(Buffer.alloc(Math.min(65_536, 4 + middle - start), '"a'));
      return Promise.resolve(Buffer.from('\r\nc,d\n'.slice(start - 4 - middle)));
    },
  };
  const records: CsvRecord[] = [];
  for await (const piece of readRecords(file, START, ',')) records.push(...piece.records);
  expect(records).toMatchObject([
    { line: 1, cells: ['a', 'b'], problem: null },
    { line: 2, problem: 'The row is longer than 256 KiB. A closing quote may be missing.' },
    { line: 3, cells: ['c', 'd'], problem: null },
  ]);
});
