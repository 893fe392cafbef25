/** Becoming a member by a link: with a new account, or with the one that the address has already. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { conflict, wrongField } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Role } from '../../platform/route.ts';
import { hashPassword } from './passwords.ts';
import { beginSession, type BegunSession } from './sessions.ts';
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
 * `claim` uses the link up within the transaction, or throws when another was quicker. An account that exists is
 * only joined by who can sign in to it: the link alone must not give it away.
 */
export async function joinTeam(
  db: Db,
  instanceSecret: Buffer,
  newcomer: Newcomer,
  claim: (trx: Db) => Promise<{ teamId: number; role: Role }>,
): Promise<BegunSession> {
  const { email, name, password, code, ip } = newcomer;
  const emailKey = emailKeyOf(email);
  const known = await findUserByEmail(db, emailKey);
  if (known) {
    const proof = await proveIdentity(db, instanceSecret, { emailKey, password, code, ip });
    if (proof.kind === 'needs-code') throw wrongField('code', 'is required: this account has two-factor on');
  }
  const passwordHash = known ? null : await hashPassword(password);
  try {
    return await inTransaction(db, async (trx) => {
      const { teamId, role } = await claim(trx);
      const userUuid = known?.id ?? newUuid();
      if (known) await holdUser(trx, known.id);
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
      throw conflict('This address has just got an account. Try again with its password.');
    }
    if (isUniqueViolation(error, 'memberships_pkey')) {
      throw conflict('This address is in the team already. Sign in instead.');
    }
    throw error;
  }
}

/** Who was taken out of their last team since the password was looked at is not there any more. */
async function holdUser(trx: Db, userUuid: string): Promise<void> {
  const { rows } = await sql`select from users where id = ${userUuid} for key share`.execute(trx);
  if (rows.length === 0) throw conflict('This account was removed just now. Try again to make a new one.');
}
