/**
 * Signing in with a passkey, alone or after the password. A passkey is found by its credential ID and host. Each use
 * raises its counter in the statement that compares it, so that of two uses with one counter only one succeeds.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Visitor } from '../../api/caller.ts';
import { recordInTeamsOf } from '../../audit/record-in-teams.ts';
import { CHALLENGE_MS, consumeChallenge, createChallenge, type ChallengeUse } from './challenges.ts';
import { challengeOf, readAssertion, type CredentialUse } from './read-responses.ts';
import { findRelyingParty, requireRelyingParty, type PasskeyFacts } from './relying-party.ts';
import type { Assertion, RequestOptions } from './webauthn.schema.ts';

export interface FoundPasskey extends CamelRow<'passkeys', 'id' | 'user_id' | 'public_key'> {
  emailKey: Row<'users'>['email_key'];
}

/** Does not find passkeys of another host, nor those of a waiting account, which nobody can sign in to. */
export async function findPasskey(
  db: Db,
  facts: PasskeyFacts,
  { id }: Assertion,
): Promise<FoundPasskey | undefined> {
  const { rows } = await sql<FoundPasskey>`
    select p.id, p.user_id as "userId", p.public_key as "publicKey", u.email_key as "emailKey"
    from passkeys p join users u on u.id = p.user_id
    where p.credential_id = ${Buffer.from(id, 'base64url')} and p.rp_id = ${requireRelyingParty(facts).rpId}
      and not u.waiting`.execute(db);
  return rows[0];
}

/** What the browser needs to use a passkey after the password. Null if the person has none that works here. */
export async function offerPasskeys(
  db: Db,
  facts: PasskeyFacts,
  userUuid: string,
): Promise<RequestOptions | null> {
  const party = findRelyingParty(facts);
  if (!party) return null;
  const passkeys = await listDescriptors(db, party.rpId, userUuid);
  if (passkeys.length === 0) return null;
  const use = { purpose: 'second-factor', userId: encodeId('usr', userUuid) } as const;
  return {
    challenge: await createChallenge(db, facts.secret, use),
    rpId: party.rpId,
    timeout: CHALLENGE_MS,
    userVerification: 'preferred',
    allowCredentials: passkeys,
  };
}

export async function listDescriptors(
  db: Db,
  rpId: string,
  userUuid: string,
): Promise<RequestOptions['allowCredentials']> {
  const rows = await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userUuid)
    .where('rp_id', '=', rpId)
    .orderBy('id')
    .execute();
  return rows.map(({ credential_id, transports }) => ({
    id: credential_id.toString('base64url'),
    type: 'public-key',
    transports,
  }));
}

/** Those of other hosts count too: a change of BASE_URL must not make the password suffice. */
export async function hasPasskeys(db: Db, userUuid: string): Promise<boolean> {
  const { rows } = await sql`select from passkeys where user_id = ${userUuid} limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Throws unless the assertion is one of this passkey for this use. The challenge is used up in any case. `db` must not
 * be a transaction, because that must hold when the assertion is wrong.
 */
export async function provePasskey(
  db: Db,
  facts: PasskeyFacts,
  passkey: FoundPasskey | undefined,
  { assertion, use, visitor }: { assertion: Assertion; use: ChallengeUse; visitor: Visitor },
): Promise<void> {
  const challenge = challengeOf(assertion);
  if (challenge === null || !(await consumeChallenge(db, facts.secret, use, challenge))) throw tooLate();
  if (!passkey || !isForUser(assertion, passkey.userId, use)) throw unknownPasskey();
  const proof = await readAssertion(requireRelyingParty(facts), assertion, {
    publicKey: passkey.publicKey,
    challenge,
    needsUserVerification: use.purpose === 'sign-in',
  });
  if (!proof) throw unknownPasskey();
  if (await recordUse(db, passkey, proof)) return;
  await recordRejection(db, facts, passkey, visitor);
  throw new AppError(
    'UNAUTHORIZED',
    'This passkey was rejected, because its counter did not rise. It may have been copied. Sign in another way, then delete it.',
  );
}

/** Alone, a passkey must say whose it is; after the password, security keys may leave it out. */
function isForUser({ response }: Assertion, userUuid: string, { purpose }: ChallengeUse): boolean {
  const { userHandle } = response;
  if (userHandle === null || userHandle === undefined || userHandle === '') return purpose !== 'sign-in';
  return userHandle === userHandleOf(userUuid);
}

/** How devices know the person. Base64url. */
export function userHandleOf(userUuid: string): string {
  return Buffer.from(encodeId('usr', userUuid)).toString('base64url');
}

/** Returns false if the counter did not rise, unless the device counts nothing. */
async function recordUse(
  db: Db,
  { id }: FoundPasskey,
  { signCount, backedUp }: CredentialUse,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update passkeys set sign_count = ${signCount}, backed_up = ${backedUp}, last_used_at = now()
    where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount}::bigint = 0))`.execute(
    db,
  );
  if (Number(numAffectedRows) === 1) return true;
  const { rows } = await sql`select from passkeys where id = ${id}`.execute(db);
  if (rows.length === 0) throw unknownPasskey();
  return false;
}

async function recordRejection(
  db: Db,
  { secret }: PasskeyFacts,
  { id, userId }: FoundPasskey,
  { ip, requestId }: Visitor,
): Promise<void> {
  await inTransaction(db, (trx) =>
    recordInTeamsOf(trx, secret, userId, {
      actor: { kind: 'person', id: encodeId('usr', userId), ip },
      action: 'passkey.rejected',
      target: encodeId('pky', id),
      after: { reason: 'The counter did not rise.' },
      requestId,
    }),
  );
}

function tooLate(): AppError {
  return new AppError('UNAUTHORIZED', 'The passkey was used too late, or twice. Try again.');
}

/** The same whether the passkey is unknown or wrong. */
export function unknownPasskey(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'This passkey is not known here, or could not be verified. Use another one, or sign in with your password.',
  );
}
