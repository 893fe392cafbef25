/**
 * Writes every generated file; with --check it writes nothing and fails when one is out of date.
 * The types of the tables come from a real database that all migrations ran on.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { settings } from '../src/config.ts';
import { enterEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { rolesPage } from './roles-page.ts';
import { migrate } from '../src/platform/migrations.ts';

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  generated: boolean;
}

const TYPES: Record<string, string> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  bool: 'boolean',
  text: 'string',
  uuid: 'string',
  bytea: 'Buffer',
  timestamptz: 'Timestamp',
  date: 'string',
  jsonb: 'Json',
  tsvector: 'string',
  _text: 'string[]',
  _uuid: 'string[]',
};

async function readColumns(): Promise<Column[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-generate-'));
  const postgres = await enterEmbeddedPostgres(dataDir, { durable: false });
  const pool = new pg.Pool({ connectionString: postgres.url });
  // The server may end an idle connection before the pool has closed it.
  pool.on('error', () => {});
  try {
    await migrate(pool);
    const { rows } = await pool.query<Column>(`
      select c.table_name as "table", c.column_name as name, c.udt_name as type,
        c.is_nullable = 'YES' as nullable,
        c.column_default is not null or c.is_identity = 'YES' as generated
      from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> 'schema_migrations'
        and not (select relispartition from pg_class where oid = format('%I', c.table_name)::regclass)
      order by c.table_name, c.ordinal_position`);
    return rows;
  } finally {
    await pool.end();
    await postgres.leave();
    rmSync(dataDir, { recursive: true });
  }
}

function tablesFile(columns: Column[]): string {
  const tables = [...new Set(columns.map((column) => column.table))];
  const interfaces = tables.map((table) => {
    const lines = columns
      .filter((column) => column.table === table)
      .map((column) => `    ${column.name}: ${columnType(column)};`);
    return `  ${table}: {\n${lines.join('\n')}\n  };`;
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

function columnType({ type, nullable, generated, table, name }: Column): string {
  const base = TYPES[type];
  if (!base)
    throw new Error(`${table}.${name} has the type ${type}, which scripts/generate.ts does not know yet.`);
  if (generated && (base === 'Timestamp' || base === 'Json')) return `Default${base}`;
  const whole = nullable ? `${base} | null` : base;
  return generated ? `Generated<${whole}>` : whole;
}

function configurationPage(): string {
  const rows = Object.values(settings).map(
    ({ name, defaultText, description }) => `| \`${name}\` | ${defaultText} | ${description} |`,
  );
  return `# Settings

Posthorn reads its settings from the environment, and from a file \`.env\` in the folder it is started in. None is
needed. A wrong one stops the start with a list of everything that is wrong.

| setting | default | meaning |
| --- | --- | --- |
${rows.join('\n')}

Generated from \`src/config.ts\` by \`npm run generate\`.
`;
}

function environmentExample(): string {
  const entries = Object.values(settings).map(
    ({ name, defaultText, description }) => `# ${description}\n# Default: ${defaultText}\n#${name}=\n`,
  );
  return `# Copy this to .env and uncomment what you need.\n\n${entries.join('\n')}`;
}

const files: Record<string, string> = {
  'src/platform/tables.ts': tablesFile(await readColumns()),
  'docs/configuration.md': configurationPage(),
  '.env.example': environmentExample(),
  'docs/roles.md': rolesPage(),
};
const stale = Object.entries(files).filter(
  ([path, content]) => !existsSync(path) || readFileSync(path, 'utf8') !== content,
);
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is out of date: run npm run generate`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, content] of stale) writeFileSync(path, content);
}
