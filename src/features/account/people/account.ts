/** Changes to a person's own account, and password resets by link. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound, invalidField } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { Person } from '../../api/caller.ts';
import { hashPassword } from './passwords.ts';
import type { AccountUpdate, SignInSession } from './people.schema.ts';
import { requirePassword } from './require-password.ts';
import { endAllSessions, getSession } from './sessions.ts';
import { invalidLink, newToken } from './tokens.ts';
import { emailKeyOf, findUserByEmail, getUser } from './users.ts';

/** A new password ends the person's other sessions, because someone else may have opened them. */
export async function updateAccount(
  db: Db,
  teamId: number,
  person: Person,
  { name, currentPassword, newPassword }: AccountUpdate,
): Promise<SignInSession> {
  if (newPassword !== undefined && currentPassword === undefined) {
    throw invalidField('currentPassword', 'is required to set a new password');
  }
  const id = decodeId('usr', person.userId)!;
  let passwordHash: string | undefined;
  if (newPassword !== undefined) {
    await requirePassword(db, await getUser(db, person.userId), 'currentPassword', currentPassword!);
    passwordHash = await hashPassword(newPassword);
  }
  return inTransaction(db, async (trx) => {
    if (name !== undefined || passwordHash !== undefined) {
      await trx
        .updateTable('users')
        .set({
          ...(name === undefined ? {} : { name }),
          ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
          updated_at: sql`now()`,
        })
        .where('id', '=', id)
        .execute();
    }
    if (passwordHash !== undefined) await endAllSessions(trx, id, person.sessionId);
    return getSession(trx, teamId, person);
  });
}

/** Returns the token of a link that sets a new password. Earlier links become invalid. */
export async function createPasswordReset(db: Db, email: string, validHours: number): Promise<string> {
  const user = await findUserByEmail(db, emailKeyOf(email));
  if (!user) throw notFound('User');
  const token = newToken();
  await sql`
    insert into password_resets (user_id, token_hash, expires_at)
    values (${user.id}, ${sha256(token)}, now() + make_interval(hours => ${validHours}))
    on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
  `.execute(db);
  return token;
}

export function resetUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/reset?token=${token}`;
}

/** Ends all sessions of the account. Two-factor stays on. */
export async function resetPassword(db: Db, token: string, password: string): Promise<void> {
  const tokenHash = sha256(token);
  // Check first, so that an invalid token does not cost a password hash.
  const valid = await sql`
    select from password_resets where token_hash = ${tokenHash} and expires_at > now()`.execute(db);
  if (valid.rows.length === 0) throw invalidLink();
  const passwordHash = await hashPassword(password);
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<CamelRow<'password_resets', 'user_id'>>`
      delete from password_resets where token_hash = ${tokenHash} and expires_at > now()
      returning user_id as "userId"`.execute(trx);
    if (!rows[0]) throw invalidLink();
    await trx
      .updateTable('users')
      .set({ password_hash: passwordHash, updated_at: sql`now()` })
      .where('id', '=', rows[0].userId)
      .execute();
    await endAllSessions(trx, rows[0].userId);
  });
}
