/** Whether a person can enter a team without its provider. Owners always can, so that a mistake locks nobody out. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';

/** A condition on a membership: the team does not require its provider of this person. */
export function isOpenTo(membership: 'm' | 'memberships'): RawBuilder<boolean> {
  const m = sql.table(membership);
  return sql<boolean>`(${m}.role = 'owner' or not exists (
    select from team_sign_on s where s.team_id = ${m}.team_id and s.required
  ))`;
}

export async function requireOpenTeam(db: Db, teamId: number, userUuid: string): Promise<void> {
  const { rows } = await sql`
    select from memberships m where m.team_id = ${teamId} and m.user_id = ${userUuid} and ${isOpenTo('m')}`.execute(
    db,
  );
  if (rows.length === 0) throw signOnRequired();
}

export function signOnRequired(): AppError {
  return new AppError(
    'FORBIDDEN',
    'Your team requires you to sign in with your company. Use "Sign in with your company" on the sign-in page.',
  );
}
