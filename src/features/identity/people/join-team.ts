/** Adds a person to a team by a link, with a new account or the account that the address already has. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Visitor } from '../../api/caller.ts';
import type { Role } from '../../api/roles.ts';
import type { PasskeyFacts } from '../webauthn/relying-party.ts';
import type { Assertion } from '../webauthn/webauthn.schema.ts';
import { hashPassword } from './passwords.ts';
import { adoptWaiting, proveAddress } from './prove-address.ts';
import { recordJoined } from './record-joined.ts';
import { beginSession, type NewSession } from './sessions.ts';
import { keepPassword, proveIdentity } from './sign-in.ts';
import { emailKeyOf, findUserByEmail, type UserRow } from './users.ts';

interface Newcomer {
  email: string;
  name: string;
  password: string;
  code?: string | undefined;
  passkey?: Assertion | undefined;
  visitor: Visitor;
}

interface JoinLink {
  /** Whether only the owner of the address, or someone whom the operator knows, can have the link. */
  proves: boolean;
  /** Consumes the link within the transaction, or throws when another request has already used it. */
  claim(trx: Db): Promise<{ teamId: number; role: Role }>;
}

/**
 * - A proven account joins after its owner has signed in, because the link alone must not give access to it.
 * - An account that is not proven joins only by a link that proves the address. It then gets the new password, and
 *   loses everything that its holder has set before.
 * - Otherwise a new account is created, proven or not as the link is.
 */
export async function joinTeam(
  db: Db,
  facts: PasskeyFacts,
  newcomer: Newcomer,
  link: JoinLink,
): Promise<NewSession> {
  const emailKey = emailKeyOf(newcomer.email);
  const existing = await findUserByEmail(db, emailKey);
  const isFirstProof = existing?.proven_at === null && link.proves;
  const known = existing && !isFirstProof ? await signInToJoin(db, facts, newcomer) : null;
  const passwordHash = known?.password_hash ?? (await hashPassword(newcomer.password));
  try {
    return await inTransaction(db, async (trx) => {
      const { teamId, role } = await link.claim(trx);
      const userUuid = existing?.id ?? newUuid();
      if (known) await keepPassword(trx, userUuid, passwordHash);
      else if (existing) await takeOver(trx, userUuid, newcomer.name, passwordHash);
      else await createUser(trx, userUuid, newcomer, { passwordHash, proves: link.proves });
      await trx.insertInto('memberships').values({ team_id: teamId, user_id: userUuid, role }).execute();
      await recordJoined(trx, facts.secret, { teamId, userUuid, role, visitor: newcomer.visitor });
      return beginSession(trx, facts.secret, teamId, userUuid, newcomer.visitor);
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

async function signInToJoin(
  db: Db,
  facts: PasskeyFacts,
  { email, ...credentials }: Newcomer,
): Promise<UserRow> {
  const emailKey = emailKeyOf(email);
  const proof = await proveIdentity(db, facts, { ...credentials, emailKey });
  if (proof.kind === 'needs-code')
    throw invalidField('code', 'is required because this account uses two-factor authentication');
  if (proof.user.proven_at === null)
    throw conflict(
      'The address of this account is not proven yet, so it cannot join another team. Reset its password with a link that is sent to the address, or ask whoever runs this server for a link.',
    );
  return proof.user;
}

/** The account may have been proven by another link since it was read. Then this link does not open it. */
async function takeOver(trx: Db, userUuid: string, name: string, passwordHash: string): Promise<void> {
  const account = await proveAddress(trx, userUuid);
  if (!account.isFirstProof || account.userUuid !== userUuid)
    throw conflict('The password of this account was just set. Try again with that password.');
  await trx
    .updateTable('users')
    .set({ name, password_hash: passwordHash, has_password: true, updated_at: sql`now()` })
    .where('id', '=', userUuid)
    .execute();
}

async function createUser(
  trx: Db,
  userUuid: string,
  { email, name }: Newcomer,
  { passwordHash, proves }: { passwordHash: string; proves: boolean },
): Promise<void> {
  await trx
    .insertInto('users')
    .values({
      id: userUuid,
      email,
      email_key: emailKeyOf(email),
      name,
      password_hash: passwordHash,
      proven_at: proves ? sql`now()` : null,
    })
    .execute();
  if (proves) await adoptWaiting(trx, userUuid);
}
