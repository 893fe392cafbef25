/** Teams that are closed because they move to another instance, or have moved (features/account/team-move). */
import { sql } from 'kysely';
import { Fragment, type Db } from '../../platform/database/database.ts';
import { teamClosed, teamMoved } from '../../platform/database/database-errors.ts';
import type { CamelRow } from '../../platform/database/rows.ts';

const CLOSED_TEAMS = 'array(select id from teams where closed_at is not null)';

/** Excludes closed teams from a statement that works on the rows of all teams. */
export const NOT_CLOSED = new Fragment(`team_id <> all(${CLOSED_TEAMS})`);
export const notClosed = sql.raw<boolean>(NOT_CLOSED.text);

export type TeamState = CamelRow<'teams', 'closed_at' | 'moved_to'>;

/** The columns of a TeamState, of the table `teams` under the name `t`. */
export const TEAM_STATE = sql.raw(`t.closed_at as "closedAt", t.moved_to as "movedTo"`);

/** Callers of a closed team must try again later; those of a moved team must use its new address. */
export function refuseClosed({ closedAt, movedTo }: TeamState): void {
  if (closedAt === null) return;
  throw movedTo === null ? teamClosed() : teamMoved(movedTo);
}

/** The URL of the instance where the team is now; null if it is here. */
export async function findNewAddress(db: Db, teamId: number): Promise<string | null> {
  const team = await db.selectFrom('teams').select('moved_to').where('id', '=', teamId).executeTakeFirst();
  return team?.moved_to ?? null;
}
