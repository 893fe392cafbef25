/** Generates docs/schema.md: the tables of each group and their relations, as Mermaid diagrams. */
import { groupTables, type GroupedTables } from './groups.ts';
import type { Table } from './read-catalog.ts';
import { relationsOf } from './relations.ts';

export function schemaPage(tables: Table[]): string {
  return `# The tables

[schema.sql](schema.sql) lists every column with its comment. The diagrams show only keys: the primary key (PK) of each table
and the columns that refer to other tables. A solid line is a foreign key. A dotted line is a reference without a foreign
key; where it matters, the column's comment says why. Tables of other groups are shown without columns.

Almost every table has a \`team_id\`, first in its key, that refers to \`teams\`. The diagrams leave those lines out.

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
