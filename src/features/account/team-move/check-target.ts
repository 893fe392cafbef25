/**
 * Checks that values which are unique across the teams of an instance are still free in the other one. This runs before
 * the team is closed.
 */
import type pg from 'pg';
import { AppError } from '../../../platform/errors.ts';

interface UniqueValue {
  what: string;
  table: string;
  column: string;
  where?: string;
}

/** The list has every unique index that does not begin with team_id, except those on random tokens of links. */
const UNIQUE: UniqueValue[] = [
  { what: 'API keys', table: 'api_keys', column: 'key_hash' },
  { what: 'verified domains', table: 'domains', column: 'name', where: 'held' },
  { what: 'mailbox addresses', table: 'mailboxes', column: 'address_key' },
  { what: 'app passwords', table: 'app_passwords', column: 'password_hash' },
  { what: 'forms', table: 'forms', column: 'id' },
];
const SHOWN = 5;

export async function refuseConflicts(
  source: pg.ClientBase,
  target: pg.ClientBase,
  teamId: number,
): Promise<void> {
  const problems: string[] = [];
  for (const { what, table, column, where = 'true' } of UNIQUE) {
    const { rows } = await source.query<{ value: string | Buffer }>(
      `select ${column} as value from ${table} where team_id = $1 and ${where}`,
      [teamId],
    );
    if (rows.length === 0) continue;
    const { rows: taken } = await target.query<{ value: string | Buffer }>(
      `select ${column} as value from ${table} where ${column} = any($1) and ${where} limit ${SHOWN}`,
      [rows.map(({ value }) => value)],
    );
    if (taken.length === 0) continue;
    const names = taken.map(({ value }) => value).filter((value) => typeof value === 'string');
    problems.push(names.length > 0 ? `${what} (${names.join(', ')})` : what);
  }
  if (problems.length > 0)
    throw new AppError(
      'CONFLICT',
      `The other instance already has some of the team's ${problems.join(', ')}.`,
    );
}
