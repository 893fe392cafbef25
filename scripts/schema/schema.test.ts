import { expect, test } from 'vitest';
import type { Migration } from '../../src/platform/database/migrations.ts';
import { findMissingComments } from './check-comments.ts';
import { findUngrouped } from './groups.ts';
import { checksumsFile, findEdited } from './landed-migrations.ts';
import type { Column, Table } from './read-catalog.ts';
import { findUnknownTargets, relationsOf } from './relations.ts';
import { tablesFile } from './tables-file.ts';

test('a new migration is added to the list of those that have landed', () => {
  const landed = { '0001_a.sql': 'aa' };
  const migrations = [migration('0001_a.sql', 'aa'), migration('0002_b.sql', 'bb')];
  expect(findEdited(landed, migrations)).toEqual([]);
  expect(JSON.parse(checksumsFile(landed, migrations))).toEqual({ '0001_a.sql': 'aa', '0002_b.sql': 'bb' });
});

test('a migration that was changed or removed after it landed is a problem, and its checksum stays', () => {
  const landed = { '0001_a.sql': 'aa', '0002_b.sql': 'bb' };
  const migrations = [migration('0001_a.sql', 'changed')];
  expect(findEdited(landed, migrations)).toEqual([
    expect.stringMatching(/0001_a\.sql was changed\. .* write a new migration/),
    expect.stringMatching(/0002_b\.sql was removed\. .* write a new migration/),
  ]);
  expect(JSON.parse(checksumsFile(landed, migrations))).toEqual(landed);
});

test('a table or a column without a comment is a problem, unless the column is obvious or a foreign key', () => {
  const silent = table('things', [
    column('team_id'),
    column('created_at'),
    column('user_id'),
    column('slot'),
    { ...column('height'), comment: 'In metres.' },
  ]);
  silent.constraints.push(foreignKey(['user_id'], 'users'));
  expect(findMissingComments([silent])).toEqual([
    `The table things has no comment: comment on table things is '…';`,
    `The column things.slot has no comment: comment on column things.slot is '…';`,
  ]);
});

test('a table that is in no group is a problem', () => {
  expect(findUngrouped([table('things', [])])[0]).toMatch(/^The table things is in no group\./);
});

test('relations are foreign keys and columns whose comment begins with References', () => {
  const things = table('things', [
    column('user_id'),
    { ...column('email_id'), comment: 'References emails; null for now.' },
    { ...column('note'), comment: 'What References means.' },
  ]);
  things.constraints.push(foreignKey(['team_id', 'user_id'], 'users'), foreignKey(['team_id'], 'teams'));
  expect(relationsOf(things)).toEqual([
    { from: 'things', column: 'user_id', to: 'users', isForeignKey: true },
    { from: 'things', column: 'email_id', to: 'emails', isForeignKey: false },
  ]);
  expect(findUnknownTargets([things, table('users', [])])).toEqual([
    'The comment on things.email_id references emails, which is no table.',
  ]);
});

test('a text column that a check limits to some values has the type of these values', () => {
  const things = table('things', [{ ...column('state'), nullable: false }, column('note')]);
  things.constraints.push({
    name: 'things_state_check',
    kind: 'check',
    definition: `CHECK ((state = ANY (ARRAY['new'::text, 'done'::text])))`,
    columns: ['state'],
    target: null,
  });
  const file = tablesFile([things]);
  expect(file).toContain(`    state: 'new' | 'done';`);
  expect(file).toContain('    note: string | null;');
});

function migration(name: string, checksum: string): Migration {
  return { version: Number(name.slice(0, 4)), name, sql: '', checksum };
}

function table(name: string, columns: Column[]): Table {
  return {
    name,
    comment: null,
    options: [],
    partitionKey: null,
    columns,
    constraints: [],
    indexes: [],
    triggers: [],
  };
}

function column(name: string): Column {
  return {
    name,
    type: 'text',
    typeName: 'text',
    nullable: true,
    defaultValue: null,
    identity: null,
    generated: null,
    collation: null,
    storage: null,
    comment: null,
  };
}

function foreignKey(columns: string[], target: string): Table['constraints'][number] {
  return { name: 'key', kind: 'foreign key', definition: '', columns, target };
}
