/** Generates docs/schema.sql: every table as it is now, with its comments. */
import { groupTables } from './groups.ts';
import type { Column, Constraint, Table } from './read-catalog.ts';

const WIDTH = 120;
const RULE = '-'.repeat(WIDTH);

export function schemaSql(tables: Table[]): string {
  const groups = groupTables(tables).map(({ title, about, tables: members }) =>
    [
      `${RULE}\n-- ${title}\n${wrapComment(about, '')}\n${RULE}`,
      ...members.map((table) => writeTable(table)),
    ].join('\n\n'),
  );
  return `-- The tables of Posthorn. Generated from the migrations by \`npm run generate\`: read it, do not run it.
-- The functions that the triggers call are in migrations/functions.sql.

${groups.join('\n\n\n')}
`;
}

function writeTable(table: Table): string {
  const members = [
    ...table.columns.map((column) => ({ comment: column.comment, text: writeColumn(column) })),
    ...table.constraints.map((constraint) => ({ comment: null, text: writeConstraint(constraint) })),
  ];
  const lines = members.flatMap(({ comment, text }, at) => {
    const comma = at < members.length - 1 ? ',' : '';
    return [...(comment ? [wrapComment(comment, '  ')] : []), wrapSql(`${text}${comma}`, '  ')];
  });
  const partition = table.partitionKey ? ` partition by ${lowerKeywords(table.partitionKey)}` : '';
  const options =
    table.options.length > 0 ? ` with (${table.options.join(', ').replaceAll('=', ' = ')})` : '';
  return [
    wrapComment(table.comment ?? '', ''),
    `create table ${table.name} (`,
    ...lines,
    `)${partition}${options};`,
    ...[...table.indexes, ...table.triggers].map((definition) => wrapSql(`${tidy(definition)};`, '')),
  ].join('\n');
}

function writeColumn(column: Column): string {
  const { name, type, nullable, defaultValue, identity, generated, collation, storage } = column;
  return [
    name,
    type,
    storage ? `storage ${storage}` : '',
    collation ? `collate "${collation}"` : '',
    nullable ? '' : 'not null',
    defaultValue === null ? '' : `default ${tidy(defaultValue)}`,
    identity ? `generated ${identity} as identity` : '',
    generated === null ? '' : `generated always as (${tidy(generated)}) stored`,
  ]
    .filter(Boolean)
    .join(' ');
}

function writeConstraint({ name, kind, definition }: Constraint): string {
  return kind === 'primary key' ? tidy(definition) : `constraint ${name} ${tidy(definition)}`;
}

/** Shortens PostgreSQL's spelling without changing the meaning. */
function tidy(definition: string): string {
  return lowerKeywords(definition)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('public.', '')
    .replaceAll(' using btree', '')
    .replaceAll(/(?<=')::\w+/g, '')
    .replaceAll('null::timestamp with time zone', 'null')
    .replaceAll(' else null end', ' end')
    .replaceAll(/= any \(array\[(.*?)\]\)/g, 'in ($1)')
    .replace(/ where \((.*)\)$/, ' where $1')
    .replace(/^check \(\((.*)\)\)$/, 'check ($1)');
}

/** All text outside quotes can be lower-cased, because it consists of keywords and lower-case names. */
function lowerKeywords(definition: string): string {
  return definition.replaceAll(/'[^']*'|"[^"]*"|[A-Z]+/g, (part) =>
    /^['"]/.test(part) ? part : part.toLowerCase(),
  );
}

function wrapComment(text: string, indent: string): string {
  return wrap(text.split(' '), `${indent}-- `, `${indent}-- `);
}

/** Breaks lines between words, but not inside quotes. */
function wrapSql(text: string, indent: string): string {
  return wrap(text.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? [], indent, `${indent}  `);
}

function wrap(words: string[], first: string, next: string): string {
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    if (line.length + word.length > WIDTH) {
      lines.push(line.trimEnd());
      line = next;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
