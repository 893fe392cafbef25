/** Sign-in with address and password, and a code when two-factor is on. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Visitor } from '../../api/caller.ts';
import { isOpenTo, signOnRequired } from './required-sign-on.ts';
import type { SignInInput } from './people.schema.ts';
import { isPassword } from './passwords.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { withAttempt } from './throttle.ts';
import { consumeCode } from './two-factor.ts';
import { emailKeyOf, findUserByEmail, type UserRow } from './users.ts';

interface Credentials {
  emailKey: string;
  password: string;
  code?: string | undefined;
  visitor: Visitor;
}

type Proof = { kind: 'proven'; user: UserRow } | { kind: 'needs-code' };

/**
 * Returns null when a code is needed. An unknown address and a wrong password get the same response after the same
 * time, so that nobody can find out which addresses have accounts.
 */
export async function signIn(
  db: Db,
  instanceSecret: Buffer,
  { email, password, code }: SignInInput,
  visitor: Visitor,
): Promise<NewSession | null> {
  const proof = await proveIdentity(db, instanceSecret, {
    emailKey: emailKeyOf(email),
    password,
    code,
    visitor,
  });
  if (proof.kind === 'needs-code') return null;
  const { user } = proof;
  const teamId = await findTeamOf(db, user.id);
  if (teamId === undefined) throw (await hasTeam(db, user.id)) ? signOnRequired() : wrongCredentials();
  return inTransaction(db, async (trx) => {
    await keepPassword(trx, user.id, user.password_hash);
    return beginSession(trx, instanceSecret, teamId, user.id, visitor);
  });
}

export async function proveIdentity(
  db: Db,
  instanceSecret: Buffer,
  { emailKey, password, code, visitor }: Credentials,
): Promise<Proof> {
  return withAttempt(db, emailKey, visitor, async (attempt) => {
    const user = await findUserByEmail(db, emailKey);
    const isRight = await isPassword(password, user?.password_hash);
    if (!user || !isRight) throw wrongCredentials();
    if (user.totp_enabled) {
      if (code === undefined) {
        await attempt.takeBack();
        return { kind: 'needs-code' };
      }
      const codeAttempt = await attempt.beginCode();
      if (!(await consumeCode(db, instanceSecret, user, code))) {
        throw new AppError('UNAUTHORIZED', 'The code is incorrect or was already used.');
      }
      await codeAttempt.succeed();
    }
    await attempt.succeed();
    return { kind: 'proven', user };
  });
}

/**
 * Locks the user while a session begins, and rejects it if the password was changed since it was checked. Otherwise a
 * sign-in that overlaps with a password reset would outlive it.
 */
export async function keepPassword(trx: Db, userUuid: string, passwordHash: string): Promise<void> {
  const { rows } = await sql`
    select from users where id = ${userUuid} and password_hash = ${passwordHash} for share`.execute(trx);
  if (rows.length === 0) throw wrongCredentials();
}

function wrongCredentials(): AppError {
  return new AppError('UNAUTHORIZED', 'The email address or password is incorrect.');
}

/** Returns the team in which the person was last seen, of those that they can enter without its provider. */
export async function findTeamOf(db: Db, userUuid: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('memberships')
    .select('team_id')
    .where('user_id', '=', userUuid)
    .where(isOpenTo('memberships'))
    .orderBy('last_seen_at', (order) => order.desc().nullsLast())
    .orderBy('team_id')
    .limit(1)
    .executeTakeFirst();
  return row?.team_id;
}

async function hasTeam(db: Db, userUuid: string): Promise<boolean> {
  const { rows } = await sql`select from memberships where user_id = ${userUuid} limit 1`.execute(db);
  return rows.length > 0;
}
