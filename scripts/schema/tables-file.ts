/** Generates src/platform/database/tables.ts: the types of all tables, for Kysely and rows.ts. */
import type { Column, Table } from './read-catalog.ts';

const TYPES: Record<string, string> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  bool: 'boolean',
  text: 'string',
  uuid: 'string',
  xid8: 'string',
  bytea: 'Buffer',
  timestamptz: 'Timestamp',
  date: 'string',
  json: 'Json',
  jsonb: 'Json',
  tsvector: 'string',
  _int4: 'number[]',
  _text: 'string[]',
  _uuid: 'string[]',
};

export function tablesFile(tables: Table[]): string {
  const interfaces = tables.map((table) => {
    const lines = table.columns.map((column) => {
      const comment = column.comment ? `    /** ${column.comment} */\n` : '';
      return `${comment}    ${column.name}: ${columnType(table, column)};`;
    });
    const comment = table.comment ? `  /** ${table.comment} */\n` : '';
    return `${comment}  ${table.name}: {\n${lines.join('\n')}\n  };`;
  });
  return `// Generated from the migrations by \`npm run generate\`.
import type { ColumnType, Generated } from 'kysely';

type Timestamp = ColumnType<Date, Date, Date>;
type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>;
type Json = ColumnType<Record<string, unknown>, string, string>;
type DefaultJson = ColumnType<Record<string, unknown>, string | undefined, string>;

export interface Tables {
${interfaces.join('\n')}
}
`;
}

function columnType(table: Table, column: Column): string {
  const { name, typeName, nullable } = column;
  const base = valuesOf(table, name) ?? TYPES[typeName];
  if (!base) {
    throw new Error(
      `${table.name}.${name} has the type ${typeName}, which scripts/schema/tables-file.ts does not know yet.`,
    );
  }
  const hasDefault = column.defaultValue !== null || column.identity !== null;
  if (hasDefault && (base === 'Timestamp' || base === 'Json')) return `Default${base}`;
  const whole = nullable ? `${base} | null` : base;
  return hasDefault ? `Generated<${whole}>` : whole;
}

/** A text column with a check that lists its values has the union of these as its type. */
function valuesOf(table: Table, column: string): string | undefined {
  const pattern = new RegExp(`^CHECK \\(\\(${column} = ANY \\(ARRAY\\[(.*)\\]\\)\\)\\)$`);
  const list = table.constraints.map(({ definition }) => pattern.exec(definition)?.[1]).find(Boolean);
  return list?.replaceAll('::text', '').replaceAll(', ', ' | ');
}
