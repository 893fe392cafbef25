/**
 * Sessions through a pooler in transaction mode (PgBouncer, `pool_mode = transaction`). Each transaction may run on
 * another connection of the pooler, so a session can only change the settings that the pooler tracks. The others
 * are only checked.
 */
import type pg from 'pg';

/** PgBouncer tracks these settings and sets them again on each connection that it gives to the session. */
const CARRIED = `set timezone = 'UTC'; set datestyle = 'ISO'; set standard_conforming_strings = 'on'`;

/**
 * Settings that the application relies on. The values are PostgreSQL's defaults, but the role or the database may
 * have changed them.
 */
const NEEDED = {
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  intervalstyle: 'postgres',
  lock_timeout: '0',
};

const PROBE = 'posthorn_probe';

/**
 * Prepares a session and returns whether statements may be prepared under names. A pooler that manages prepared
 * statements (PgBouncer 1.21 with max_prepared_statements) gives them names of its own. If PostgreSQL sees our
 * name, or already has it from another session, the next transaction may not find the statement.
 */
export async function preparePooledSession(client: pg.ClientBase): Promise<boolean> {
  await client.query(CARRIED);
  const { rows } = await client.query<Record<keyof typeof NEEDED, string>>(
    `select ${Object.keys(NEEDED)
      .map((name) => `current_setting('${name}') as ${name}`)
      .join(', ')}`,
  );
  for (const [name, needed] of Object.entries(NEEDED)) {
    const found = rows[0]![name as keyof typeof NEEDED];
    if (found !== needed) {
      throw new Error(
        `The setting ${name} of the database is "${found}", and Posthorn needs "${needed}". A pooler in transaction mode does not let Posthorn change it. Run ALTER ROLE … SET ${name} = '${needed}' for the user of DATABASE_URL, and reconnect the pooler.`,
      );
    }
  }
  return managesPreparedStatements(client);
}

async function managesPreparedStatements(client: pg.ClientBase): Promise<boolean> {
  try {
    const { rows } = await client.query<{ seen: boolean }>({
      name: PROBE,
      text: 'select exists (select from pg_prepared_statements where name = $1) as seen',
      values: [PROBE],
    });
    return !rows[0]!.seen;
  } catch {
    return false;
  }
}
