/** Adds a person to a team by a link, with a new account or the account that the address already has. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Role } from '../../api/roles.ts';
import { hashPassword } from './passwords.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { proveIdentity } from './sign-in.ts';
import { emailKeyOf, findUserByEmail } from './users.ts';

interface Newcomer {
  email: string;
  name: string;
  password: string;
  code?: string | undefined;
  ip: string;
}

/**
 * `claim` consumes the link within the transaction, or throws when another request has already used it. An existing
 * account joins only after its owner proves their identity, because the link alone must not give access to it.
 */
export async function joinTeam(
  db: Db,
  instanceSecret: Buffer,
  newcomer: Newcomer,
  claim: (trx: Db) => Promise<{ teamId: number; role: Role }>,
): Promise<NewSession> {
  const { email, name, password, code, ip } = newcomer;
  const emailKey = emailKeyOf(email);
  const existing = await findUserByEmail(db, emailKey);
  if (existing) {
    const proof = await proveIdentity(db, instanceSecret, { emailKey, password, code, ip });
    if (proof.kind === 'needs-code')
      throw invalidField('code', 'is required because this account uses two-factor authentication');
  }
  const passwordHash = existing ? null : await hashPassword(password);
  try {
    return await inTransaction(db, async (trx) => {
      const { teamId, role } = await claim(trx);
      const userUuid = existing?.id ?? newUuid();
      if (existing) await lockUser(trx, existing.id);
      if (passwordHash !== null) {
        await trx
          .insertInto('users')
          .values({ id: userUuid, email, email_key: emailKey, name, password_hash: passwordHash })
          .execute();
      }
      await trx.insertInto('memberships').values({ team_id: teamId, user_id: userUuid, role }).execute();
      return beginSession(trx, teamId, userUuid);
    });
  } catch (error) {
    if (isUniqueViolation(error, 'users_email_key')) {
      throw conflict('An account for this address was just created. Try again with its password.');
    }
    if (isUniqueViolation(error, 'memberships_pkey')) {
      throw conflict('This address is already in the team. Sign in instead.');
    }
    throw error;
  }
}

/** Locks the user, who may have been deleted with their last team since the password was checked. */
async function lockUser(trx: Db, userUuid: string): Promise<void> {
  const { rows } = await sql`select from users where id = ${userUuid} for key share`.execute(trx);
  if (rows.length === 0) throw conflict('This account was just deleted. Try again to create a new one.');
}
