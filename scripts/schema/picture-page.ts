/** docs/schema.md: the tables of each group and their relations, as diagrams that GitHub and most editors draw. */
import { groupTables, type GroupedTables } from './groups.ts';
import type { Table } from './read-catalog.ts';
import { relationsOf } from './relations.ts';

export function schemaPage(tables: Table[]): string {
  return `# The tables

[schema.sql](schema.sql) lists every column with its meaning. The pictures show the keys only: the primary key (PK) of
each table and the columns that point to other tables. A solid line is a foreign key. A dotted line is a relation
without one; the comment on the column says why where it matters. Tables of other groups stand without columns.

Nearly every table has a \`team_id\`, first in its key, that points to \`teams\`. Those lines are left out.

${groupTables(tables).map(section).join('\n\n')}

Generated from the migrations by \`npm run generate\`.
`;
}

function section({ title, about, tables }: GroupedTables): string {
  const listed = tables.map(
    ({ name, comment }) => `| \`${name}\` | ${(comment ?? '').replaceAll('|', '\\|')} |`,
  );
  const lines = tables
    .flatMap(relationsOf)
    .map(
      ({ from, to, column, isForeignKey }) => `  ${to} ||${isForeignKey ? '--' : '..'}o{ ${from} : ${column}`,
    );
  return [
    `## ${title}\n`,
    `${about}\n`,
    '| table | what it holds |',
    '| --- | --- |',
    ...listed,
    '\n```mermaid\nerDiagram',
    ...tables.map(entity),
    ...lines,
    '```',
  ].join('\n');
}

function entity(table: Table): string {
  const primary = new Set(table.constraints.find(({ kind }) => kind === 'primary key')?.columns);
  const pointing = new Set(relationsOf(table).map(({ column }) => column));
  const lines = table.columns
    .filter(({ name }) => primary.has(name) || pointing.has(name))
    .map(({ name, typeName }) => {
      const marks = [primary.has(name) ? 'PK' : '', pointing.has(name) ? 'FK' : ''].filter(Boolean);
      return `    ${typeName.replace(/^_(.*)/, '$1-array')} ${name} ${marks.join(', ')}`;
    });
  return `  ${table.name} {\n${lines.join('\n')}\n  }`;
}
