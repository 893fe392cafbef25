/**
 * Deletes the rows of a team that has moved away, or of a copy that was never opened. The row of a team that has moved
 * stays, so that links in its old mail are still passed on.
 */
import type pg from 'pg';
import { quote } from '../../../platform/backup/catalog.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { AppError } from '../../../platform/errors.ts';
import { removeFence } from './fence.ts';
import { listTeamTables } from './team-tables.ts';

/** Small enough that no statement holds locks for long. */
const BATCH = 10_000;

export async function forgetTeam(client: pg.ClientBase, teamId: number): Promise<void> {
  const { rows } = await client.query<{ gone: boolean; moved: boolean }>(
    `select closed_at is not null and (moved_to is not null or arrived_from is not null) as gone,
       moved_to is not null as moved
     from teams where id = $1`,
    [teamId],
  );
  if (!rows[0]) throw new AppError('NOT_FOUND', `There is no team ${teamId}.`);
  if (!rows[0].gone) throw new AppError('CONFLICT', 'Only a team that has moved away can be deleted.');
  // Triggers need not update the counters, because these are deleted too.
  await client.query(`set posthorn.loading_team = 'on'`);
  await removeFence(client, teamId);
  const tables = (await listTeamTables(client)).toReversed().map(({ name }) => name);
  const { rows: people } = await client.query<Row<'memberships', 'user_id'>>(
    'select user_id from memberships where team_id = $1',
    [teamId],
  );
  for (const name of ['sessions', ...tables]) await deleteRows(client, name, teamId);
  // A user without any team left is deleted, as when a member is removed.
  await client.query(
    'delete from users u where id = any($1) and not exists (select from memberships m where m.user_id = u.id)',
    [people.map(({ user_id }) => user_id)],
  );
  if (!rows[0].moved) await client.query('delete from teams where id = $1', [teamId]);
}

async function deleteRows(client: pg.ClientBase, table: string, teamId: number): Promise<void> {
  const statement = `delete from ${quote(table)} where (tableoid, ctid) in (
    select tableoid, ctid from ${quote(table)} where team_id = $1 limit ${BATCH})`;
  while ((await client.query(statement, [teamId])).rowCount !== 0);
}
