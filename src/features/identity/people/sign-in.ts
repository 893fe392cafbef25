/** Sign-in with address and password, and a second factor if the person has one: a code, or a passkey. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Visitor } from '../../api/caller.ts';
import { isOpenTo, signOnRequired } from './required-sign-on.ts';
import type { SignInInput } from './people.schema.ts';
import type { PasskeyFacts } from '../webauthn/relying-party.ts';
import { findPasskey, hasPasskeys, offerPasskeys, provePasskey } from '../webauthn/use-passkey.ts';
import type { Assertion, RequestOptions } from '../webauthn/webauthn.schema.ts';
import { isPassword } from './passwords.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { withAttempt } from './throttle.ts';
import { consumeCode } from './two-factor.ts';
import { emailKeyOf, findUserByEmail, type UserRow } from './users.ts';

interface Credentials {
  emailKey: string;
  password: string;
  code?: string | undefined;
  passkey?: Assertion | undefined;
  visitor: Visitor;
}

type Proof =
  { kind: 'proven'; user: UserRow; passkeyUuid: string | null } | { kind: 'needs-code'; user: UserRow };

type SignInResult =
  | { kind: 'signed-in'; started: NewSession }
  /** `passkeys` is null if the person has none that works here. */
  | { kind: 'needs-code'; passkeys: RequestOptions | null };

/**
 * An unknown address and a wrong password get the same response after the same
 * time, so that nobody can find out which addresses have accounts.
 */
export async function signIn(
  db: Db,
  facts: PasskeyFacts,
  { email, ...credentials }: SignInInput,
  visitor: Visitor,
): Promise<SignInResult> {
  const proof = await proveIdentity(db, facts, { ...credentials, emailKey: emailKeyOf(email), visitor });
  const { user } = proof;
  if (proof.kind === 'needs-code')
    return { kind: proof.kind, passkeys: await offerPasskeys(db, facts, user.id) };
  const teamId = await requireTeamOf(db, user.id);
  const started = await inTransaction(db, async (trx) => {
    await keepPassword(trx, user.id, user.password_hash);
    const { passkeyUuid } = proof;
    return beginSession(trx, facts.secret, teamId, user.id, visitor, { passkeyUuid, withPassword: true });
  });
  return { kind: 'signed-in', started };
}

export async function proveIdentity(
  db: Db,
  facts: PasskeyFacts,
  { emailKey, password, code, passkey, visitor }: Credentials,
): Promise<Proof> {
  return withAttempt(db, emailKey, visitor, async (attempt) => {
    const user = await findUserByEmail(db, emailKey);
    const isRight = await isPassword(password, user?.password_hash);
    if (!user || !isRight) throw wrongCredentials();
    let passkeyUuid: string | null = null;
    if (user.totp_enabled || (await hasPasskeys(db, user.id))) {
      if (code === undefined && passkey === undefined) {
        await attempt.takeBack();
        return { kind: 'needs-code', user };
      }
      const codeAttempt = await attempt.beginCode();
      if (passkey !== undefined) passkeyUuid = await proveOwnPasskey(db, facts, user, passkey, visitor);
      else if (!(await consumeCode(db, facts.secret, user, code!)))
        throw new AppError('UNAUTHORIZED', 'The code is incorrect or was already used.');
      await codeAttempt.succeed();
    }
    await attempt.succeed();
    return { kind: 'proven', user, passkeyUuid };
  });
}

/** Another person's passkey is as unknown as one that does not exist. */
async function proveOwnPasskey(
  db: Db,
  facts: PasskeyFacts,
  user: UserRow,
  assertion: Assertion,
  visitor: Visitor,
): Promise<string> {
  const found = await findPasskey(db, facts, assertion);
  const own = found?.userId === user.id ? found : undefined;
  const use = { purpose: 'second-factor', userId: encodeId('usr', user.id) } as const;
  await provePasskey(db, facts, own, { assertion, use, visitor });
  return own!.id;
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

export async function requireTeamOf(db: Db, userUuid: string): Promise<number> {
  const teamId = await findTeamOf(db, userUuid);
  if (teamId === undefined) throw (await hasTeam(db, userUuid)) ? signOnRequired() : wrongCredentials();
  return teamId;
}

async function hasTeam(db: Db, userUuid: string): Promise<boolean> {
  const { rows } = await sql`select from memberships where user_id = ${userUuid} limit 1`.execute(db);
  return rows.length > 0;
}
