/** Finds teams that a move has closed and that nobody opens again, because its command was killed or has failed. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { moveLock } from './move-team.ts';

interface InterruptedMove extends CamelRow<'teams', 'id'> {
  since: NonNullable<CamelRow<'teams', 'closed_at'>['closedAt']>;
}

/** The command of a copy runs in the other instance, which this one cannot ask. */
const COPY_MINUTES = 15;

export async function findInterruptedMoves(db: Db): Promise<InterruptedMove[]> {
  const { rows } = await sql<InterruptedMove>`
    select id, closed_at as since from teams
    where closed_at < now() - interval '1 minute' and moved_to is null
      and (arrived_from is null or closed_at < now() - make_interval(mins => ${COPY_MINUTES}))
    order by id`.execute(db);
  const found: InterruptedMove[] = [];
  for (const team of rows) if (!(await isMoving(db, team.id))) found.push(team);
  return found;
}

/** The command holds the lock until it ends. */
async function isMoving(db: Db, teamId: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ isFree: boolean }>`
      select pg_try_advisory_xact_lock(${moveLock(teamId)}::bigint) as "isFree"`.execute(trx);
    return !rows[0]!.isFree;
  });
}
