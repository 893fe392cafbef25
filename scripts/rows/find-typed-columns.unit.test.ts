import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findTypedColumns, readTables } from './find-typed-columns.ts';

const folder = mkdtempSync(join(tmpdir(), 'typed-columns-'));
afterAll(() => rmSync(folder, { recursive: true }));

const tables = readTables(
  write(
    'tables.ts',
    'export interface Tables { topics: { id: string; team_id: number; name: string | null; state: string } }',
  ),
);

test('a column with a type written by hand is found under its own name and under another', () => {
  const found = find(
    'sql<{ id: string; teamId: number; label: string | null }>`select t.id, t.team_id as "teamId", t.name as label from topics t`',
  );
  expect(found).toEqual(['id: topics.id', 'teamId: topics.team_id', 'label: topics.name']);
});

test('expressions, types of the tables and named types are not found', () => {
  expect(
    find('sql<{ id: string; count: number }>`select coalesce(a.id, b.id) as id, count(*) from topics`'),
  ).toEqual([]);
  expect(
    find("sql<Row<'topics', 'id'> & { label: Row<'topics'>['name'] }>`select id, name as label from topics`"),
  ).toEqual([]);
  expect(find('sql<{ state: TopicState }>`select state from topics`')).toEqual([]);
  expect(find('sql<{ id: string }>`select id from other`')).toEqual([]);
});

test('a column of a statement with a constant list of columns is found where its type is declared', () => {
  write(
    'topic-row.ts',
    'interface Base { name: string | null }\nexport interface TopicRow extends Base { id: string; state: string }',
  );
  const file = write(
    'topics.ts',
    "import type { TopicRow } from './topic-row.ts';\nconst COLUMNS = sql`id, name`;\nsql<Omit<TopicRow, 'state'>>`insert into topics (id) values (1) returning ${COLUMNS}`;",
  );
  expect(findTypedColumns(file, tables).map(({ line, property, file: at }) => [at, line, property])).toEqual([
    [join(folder, 'topic-row.ts'), 2, 'id'],
    [join(folder, 'topic-row.ts'), 1, 'name'],
  ]);
});

test('queries of a client and statements with a tag that is called are looked at', () => {
  expect(find("client.query<{ id: string }>('select id from topics')")).toEqual(['id: topics.id']);
  expect(find('statement<{ id: string }>(db)`delete from topics returning id`')).toEqual(['id: topics.id']);
});

let written = 0;

function find(code: string): string[] {
  const file = write(`statement-${(written += 1)}.ts`, code);
  return findTypedColumns(file, tables).map(
    ({ property, table, column }) => `${property}: ${table}.${column}`,
  );
}

function write(name: string, code: string): string {
  const file = join(folder, name);
  writeFileSync(file, code);
  return file;
}
