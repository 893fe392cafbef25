/** Checks that every table has a comment, and every column that does not explain itself. */
import type { Column, Table } from './read-catalog.ts';

/** Columns with the same meaning in every table. Columns with a foreign key need no comment either. */
const OBVIOUS = new Set(
  `team_id id name first_name last_name description email address role subject html url filename status reason
  created_at updated_at changed_at subscription_changed_at started_at finished_at happened_at expires_at revoked_at
  last_message_at duration_ms sent opened clicked bounced complained message_count attachment_count rows_created
  rows_updated rows_refused`.split(/\s+/),
);

export function findMissingComments(tables: Table[]): string[] {
  return tables.flatMap((table) => [
    ...(table.comment
      ? []
      : [`The table ${table.name} has no comment: comment on table ${table.name} is '…';`]),
    ...table.columns
      .filter((column) => !column.comment && !isObvious(table, column))
      .map(({ name }) => {
        const column = `${table.name}.${name}`;
        return `The column ${column} has no comment: comment on column ${column} is '…';`;
      }),
  ]);
}

function isObvious(table: Table, { name }: Column): boolean {
  return (
    OBVIOUS.has(name) ||
    table.constraints.some(({ kind, columns }) => kind === 'foreign key' && columns.includes(name))
  );
}
