import { expect, test } from 'vitest';
import { findWrittenValues } from './find-written-values.ts';

function textsIn(code: string): string[] {
  return findWrittenValues('some.ts', `function run(name, names) { ${code} }`).map(({ text }) => text);
}

test('arrays, rows, patterns, queries and SQL that are written from text are found', () => {
  expect(textsIn('sql`select ${`{${name}}`}::text[]`')).toEqual(['`{${name}}`']);
  expect(textsIn('statement(db)`select ${`(${name},1)`}::place`')).toEqual(['`(${name},1)`']);
  expect(textsIn("sql`select from t where a like ${'%' + name}`")).toEqual(["'%' + name"]);
  expect(textsIn("sql`select ${names.join(' & ')}::tsquery`")).toEqual(["names.join(' & ')"]);
  expect(textsIn("sql.raw(`set x = '${name}'`)")).toEqual(["`set x = '${name}'`"]);
  expect(textsIn("runText(db, `select '${name}'`, [])")).toEqual(["`select '${name}'`"]);
});

test('a value that a constant holds is found', () => {
  expect(textsIn('const pattern = `%${name}%`; sql`select from t where a like ${pattern}`')).toEqual([
    '`%${name}%`',
  ]);
});

test('parameters, escaped patterns, constants of the code and plain text are not reported', () => {
  expect(textsIn('sql`select ${name}, ${names}::text[]`')).toEqual([]);
  expect(textsIn('sql`select from t where a like ${`%${escapeLike(name)}%`}`')).toEqual([]);
  expect(textsIn('sql.raw(`sum(${COLUMNS})`)')).toEqual([]);
  expect(textsIn('sql`select ${`confirmations ${name}`}`')).toEqual([]);
  expect(textsIn('sql`select ${sql.join(names)}`')).toEqual([]);
  expect(findWrittenValues('some.ts', "const A = new Fragment(`(${list.join(', ')})`);")).toEqual([]);
});
