/**
 * The fence around a closed team consists of triggers that reject every write to its rows, by any statement. Creating a
 * trigger waits for all transactions that have written to the table, so the team's rows in a fenced table cannot change
 * any more. Requests and workers already stay away from a closed team (close-team.ts); the fence guarantees it.
 */
import type pg from 'pg';
import { quote } from '../../../platform/backup/catalog.ts';
import { listTeamTables } from './team-tables.ts';

/**
 * Processes write last-used times for all teams in one statement, so updates of these tables are allowed. The copy does
 * not need those times.
 */
const LAST_USED = ['api_keys', 'app_passwords', 'memberships', 'sessions'];
/** Other writers of the table wait behind the lock request, so it times out early and is retried. */
const LOCK_TIMEOUT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';
const ATTEMPTS = 60;

/** Fences one table. `check` runs while the table is locked; if it returns false, the table is not fenced. */
export async function fenceTable(
  client: pg.ClientBase,
  table: string,
  teamId: number,
  check: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await client.query(`lock table ${quote(table)} in share row exclusive mode`);
      const isFree = await check();
      if (isFree) await makeTriggers(client, table, teamId);
      await client.query(isFree ? 'commit' : 'rollback');
      return isFree;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      const isBusy = (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE;
      if (!isBusy || attempt === ATTEMPTS) throw error;
    }
  }
}

async function makeTriggers(client: pg.ClientBase, table: string, teamId: number): Promise<void> {
  const before = LAST_USED.includes(table) ? 'insert' : 'insert or update';
  await client.query(`
    create or replace trigger ${nameOf('written', teamId)} before ${before} on ${quote(table)} for each row
      when (new.team_id = ${teamId}) execute function refuse_closed_team('${teamId}');
    create or replace trigger ${nameOf('deleted', teamId)} before delete on ${quote(table)} for each row
      when (old.team_id = ${teamId}) execute function refuse_closed_team('${teamId}')`);
}

/** Fences all tables that are not fenced yet. */
export async function fenceTeam(client: pg.ClientBase, teamId: number): Promise<void> {
  for (const { name } of await listTeamTables(client)) await fenceTable(client, name, teamId);
}

export async function removeFence(client: pg.ClientBase, teamId: number): Promise<void> {
  const { rows } = await client.query<{ table: string; trigger: string }>(
    `select t.tgrelid::regclass::text as "table", t.tgname as trigger
     from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not c.relispartition and t.tgname = any($1)`,
    [[nameOf('written', teamId), nameOf('deleted', teamId)]],
  );
  for (const { table, trigger } of rows) {
    await client.query(`drop trigger if exists ${quote(trigger)} on ${table}`);
  }
}

function nameOf(kind: 'written' | 'deleted', teamId: number): string {
  return `closed_team_${teamId}_${kind}`;
}
