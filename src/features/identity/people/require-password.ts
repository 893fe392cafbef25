/** Asks for the password again, because someone else may be using an unattended session. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Person } from '../../api/caller.ts';
import { isPassword } from './passwords.ts';
import { withAttemptInside } from './throttle.ts';
import { getUser, type UserRow } from './users.ts';

const RECENT_MINUTES = 10;

export async function requirePassword(db: Db, user: UserRow, field: string, password: string): Promise<void> {
  await withAttemptInside(db, user.email_key, async (attempt) => {
    if (!(await isPassword(password, user.password_hash))) throw invalidField(field, 'is incorrect');
    await attempt.takeBack();
  });
}

/**
 * For people who may have no password: a sign-in of the last minutes does as well. One with the provider of a team does
 * not, because the team could let somebody else in that way, and the account may be in other teams.
 */
export async function requireRecentProof(
  db: Db,
  person: Person,
  password: string | undefined,
): Promise<void> {
  if (password !== undefined)
    return requirePassword(db, await getUser(db, person.userId), 'password', password);
  const { rows } = await sql`
    select from sessions where id = ${decodeId('ses', person.sessionId)} and not only_team
      and created_at > now() - make_interval(mins => ${RECENT_MINUTES})`.execute(db);
  if (rows.length === 0)
    throw invalidField(
      'password',
      `is required, unless you have signed in within ${RECENT_MINUTES} minutes other than with the provider of a team`,
    );
}
