/** The relations between tables: foreign keys, and columns whose comment begins with "References". */
import type { Table } from './read-catalog.ts';

export interface Relation {
  from: string;
  column: string;
  to: string;
  isForeignKey: boolean;
}

/** Relations to teams are omitted, because nearly every table has one. */
export function relationsOf(table: Table): Relation[] {
  const keys = table.constraints
    .filter(({ kind, target }) => kind === 'foreign key' && target !== 'teams')
    .map(({ columns, target }) => ({
      from: table.name,
      column: columns.at(-1)!,
      to: target!,
      isForeignKey: true,
    }));
  const others = table.columns.flatMap(({ name, comment }) => {
    const to = /^References (\w+)/.exec(comment ?? '')?.[1];
    return to ? [{ from: table.name, column: name, to, isForeignKey: false }] : [];
  });
  return [...keys, ...others];
}

export function findUnknownTargets(tables: Table[]): string[] {
  const names = new Set(tables.map(({ name }) => name));
  return tables
    .flatMap(relationsOf)
    .filter(({ to }) => !names.has(to))
    .map(({ from, column, to }) => `The comment on ${from}.${column} references ${to}, which is no table.`);
}
