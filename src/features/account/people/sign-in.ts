/** Sign-in with address and password, and a code when two-factor is on. */
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { SignInInput } from './people.schema.ts';
import { isPassword } from './passwords.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { beginAttempt, beginCodeAttempt } from './throttle.ts';
import { consumeCode } from './two-factor.ts';
import { emailKeyOf, findUserByEmail, type UserRow } from './users.ts';

interface Credentials {
  emailKey: string;
  password: string;
  code?: string | undefined;
  ip: string;
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
  ip: string,
): Promise<NewSession | null> {
  const proof = await proveIdentity(db, instanceSecret, { emailKey: emailKeyOf(email), password, code, ip });
  if (proof.kind === 'needs-code') return null;
  const teamId = await findTeamOf(db, proof.user.id);
  if (teamId === undefined) throw wrongCredentials();
  return beginSession(db, teamId, proof.user.id);
}

export async function proveIdentity(
  db: Db,
  instanceSecret: Buffer,
  { emailKey, password, code, ip }: Credentials,
): Promise<Proof> {
  const attempt = await beginAttempt(db, emailKey, ip);
  const user = await findUserByEmail(db, emailKey);
  const isRight = await isPassword(password, user?.password_hash);
  if (!user || !isRight) throw wrongCredentials();
  if (user.totp_enabled) {
    if (code === undefined) {
      await attempt.takeBack();
      return { kind: 'needs-code' };
    }
    const codeAttempt = await beginCodeAttempt(db, emailKey);
    if (!(await consumeCode(db, instanceSecret, user, code))) {
      throw new AppError('UNAUTHORIZED', 'The code is incorrect or was already used.');
    }
    await codeAttempt.succeed();
  }
  await attempt.succeed();
  return { kind: 'proven', user };
}

function wrongCredentials(): AppError {
  return new AppError('UNAUTHORIZED', 'The email address or password is incorrect.');
}

/** Returns the team in which the person was last seen. */
async function findTeamOf(db: Db, userUuid: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('memberships')
    .select('team_id')
    .where('user_id', '=', userUuid)
    .orderBy('last_seen_at', (order) => order.desc().nullsLast())
    .orderBy('team_id')
    .limit(1)
    .executeTakeFirst();
  return row?.team_id;
}
