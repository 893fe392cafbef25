/** What a person changes about their own account, and the operator's way back in for who forgot the password. */
import { sql } from 'kysely';
import { sha256 } from '../../platform/crypto.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { notFound, wrongField } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import type { Person } from '../../platform/route.ts';
import { hashPassword } from './passwords.ts';
import type { AccountUpdate, Session } from './people.schema.ts';
import { requirePassword } from './require-password.ts';
import { endAllSessions, getSession } from './sessions.ts';
import { deadLink, newToken } from './tokens.ts';
import { emailKeyOf, findUserByEmail, getUser } from './users.ts';

/** A new password ends the other sessions: they may be what it was changed for. */
export async function updateAccount(
  db: Db,
  teamId: number,
  person: Person,
  { name, currentPassword, newPassword }: AccountUpdate,
): Promise<Session> {
  if (newPassword !== undefined && currentPassword === undefined) {
    throw wrongField('currentPassword', 'is required to set a new one');
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

/** The token of a link that sets a new password; one made before is over. */
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

/** Everyone who is signed in to the account is out; two-factor stays as it is. */
export async function resetPassword(db: Db, token: string, password: string): Promise<void> {
  const tokenHash = sha256(token);
  const known = await sql`
    select from password_resets where token_hash = ${tokenHash} and expires_at > now()`.execute(db);
  if (known.rows.length === 0) throw deadLink();
  const passwordHash = await hashPassword(password);
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ userId: string }>`
      delete from password_resets where token_hash = ${tokenHash} and expires_at > now()
      returning user_id as "userId"`.execute(trx);
    if (!rows[0]) throw deadLink();
    await trx
      .updateTable('users')
      .set({ password_hash: passwordHash, updated_at: sql`now()` })
      .where('id', '=', rows[0].userId)
      .execute();
    await endAllSessions(trx, rows[0].userId);
  });
}
