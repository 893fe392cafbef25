/** Changes to a person's own account, and password resets by link. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound, invalidField } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { Person, Visitor } from '../../api/caller.ts';
import { recordInTeamsOf } from '../../audit/record-in-teams.ts';
import { rememberPlace } from './known-places.ts';
import { hashPassword } from './passwords.ts';
import type { AccountUpdate, SignInSession } from './people.schema.ts';
import { lockAddress, proveAddress } from './prove-address.ts';
import { requirePassword } from './require-password.ts';
import { mailSecurityLater } from './security-mail.ts';
import { endAllSessions, getSession } from './sessions.ts';
import { invalidLink, newToken } from './tokens.ts';
import { emailKeyOf, findAccount, getUser } from './users.ts';

/** A new password ends the person's other sessions, because someone else may have opened them. */
export async function updateAccount(
  db: Db,
  teamId: number,
  person: Person,
  { name, currentPassword, newPassword, language }: AccountUpdate,
): Promise<SignInSession> {
  if (newPassword !== undefined && currentPassword === undefined) {
    throw invalidField('currentPassword', 'is required to set a new password');
  }
  const id = decodeId('usr', person.userId)!;
  let passwordHash: string | undefined;
  let oldHash: string | undefined;
  if (newPassword !== undefined) {
    const user = await getUser(db, person.userId);
    await requirePassword(db, user, 'currentPassword', currentPassword!);
    oldHash = user.password_hash;
    passwordHash = await hashPassword(newPassword);
  }
  return inTransaction(db, async (trx) => {
    if (name !== undefined || passwordHash !== undefined || language !== undefined) {
      const { numUpdatedRows } = await trx
        .updateTable('users')
        .set({
          ...(name === undefined ? {} : { name }),
          ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
          ...(language === undefined ? {} : { language }),
          updated_at: sql`now()`,
        })
        .where('id', '=', id)
        .$if(oldHash !== undefined, (query) => query.where('password_hash', '=', oldHash!))
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0)
        throw conflict('Your password was changed in the meantime. Try again.');
    }
    if (passwordHash !== undefined) {
      await endAllSessions(trx, id, person.sessionId);
      await mailSecurityLater(trx, id, 'password-changed');
    }
    return getSession(trx, teamId, person);
  });
}

/** Returns the token of a link that sets a new password. Earlier links become invalid. */
export async function createPasswordReset(db: Db, email: string, validHours: number): Promise<string> {
  const user = await findAccount(db, emailKeyOf(email));
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

/**
 * Ends all sessions of the account. The link went to the address or came from the operator, so it proves the address.
 * On the first proof everything that was set before is removed (prove-address.ts); later two-factor stays on. Returns
 * the token of the cookie by which the browser is known from now on.
 */
export async function resetPassword(
  db: Db,
  secret: Buffer,
  { token, password }: { token: string; password: string },
  visitor: Visitor,
): Promise<string> {
  const tokenHash = sha256(token);
  // Check first, so that an invalid token does not cost a password hash.
  const { rows } = await sql<CamelRow<'password_resets', 'user_id'>>`
    select user_id as "userId" from password_resets
    where token_hash = ${tokenHash} and expires_at > now()`.execute(db);
  if (!rows[0]) throw invalidLink();
  const { userId } = rows[0];
  const passwordHash = await hashPassword(password);
  return inTransaction(db, async (trx) => {
    // Accounts are locked before their links, as in proveAddress.
    await lockAddress(trx, userId);
    const { numAffectedRows } = await sql`
      delete from password_resets where token_hash = ${tokenHash} and expires_at > now()`.execute(trx);
    if (Number(numAffectedRows) === 0) throw invalidLink();
    const { userUuid } = await proveAddress(trx, userId);
    await trx
      .updateTable('users')
      .set({ password_hash: passwordHash, has_password: true, updated_at: sql`now()` })
      .where('id', '=', userUuid)
      .execute();
    await endAllSessions(trx, userUuid);
    await mailSecurityLater(trx, userUuid, 'password-changed');
    const id = encodeId('usr', userUuid);
    const { ip, requestId } = visitor;
    await recordInTeamsOf(trx, secret, userUuid, {
      actor: { kind: 'person', id, ip },
      action: 'password.reset',
      target: id,
      requestId,
    });
    return rememberPlace(trx, userUuid, visitor);
  });
}
