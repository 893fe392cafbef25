/** The tables with rows of teams, read from PostgreSQL's catalog, so that a new table is moved without a change. */
import type pg from 'pg';

export interface TeamTable {
  name: string;
  /** Generated columns and transaction IDs are left out, because they mean nothing on another server. */
  columns: string[];
}

/**
 * Browsers sign in again in the new instance, which counts by itself what the team stores. Presence is of the moment.
 * Link hosts are taken again when the domains are checked there. The request log belongs to the keys' use of this instance.
 * Browsers subscribe to the push key of one instance. Connected applications ask again there.
 * The words of the spam filter are hashed with the secret of this instance.
 */
const LEFT_BEHIND = [
  'sessions',
  'team_storage',
  'thread_presence',
  'link_hosts',
  'request_log',
  'push_subscriptions',
  'spam_learning',
  'spam_words',
  'spam_learned',
  'oauth_grants',
  'oauth_tokens',
];

const COLUMNS = `
  array(
    select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.atttypid <> 'xid8'::regtype
    order by a.attnum
  )`;

export async function listColumns(client: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ columns: string[] }>(
    `select ${COLUMNS} as columns from pg_class c where c.oid = to_regclass($1)`,
    [table],
  );
  return rows[0]!.columns;
}

/** Tables that others refer to come first. */
export async function listTeamTables(client: pg.ClientBase): Promise<TeamTable[]> {
  const { rows: tables } = await client.query<TeamTable>(`
    select c.relname as name, ${COLUMNS} as columns
    from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped)
    order by c.relname`);
  const { rows: references } = await client.query<{ from: string; to: string }>(`
    select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to"
    from pg_constraint where contype = 'f' and conrelid <> confrelid`);
  const moved = tables.filter(({ name }) => !LEFT_BEHIND.includes(name));
  return sortByReferences(moved, references);
}

function sortByReferences(tables: TeamTable[], references: { from: string; to: string }[]): TeamTable[] {
  const sorted: TeamTable[] = [];
  const visit = (table: TeamTable): void => {
    if (sorted.includes(table)) return;
    for (const { to } of references.filter(({ from }) => from === table.name)) {
      const needed = tables.find(({ name }) => name === to);
      if (needed) visit(needed);
    }
    sorted.push(table);
  };
  for (const table of tables) visit(table);
  return sorted;
}
