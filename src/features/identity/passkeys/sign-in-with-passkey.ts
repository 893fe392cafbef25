/**
 * Sign-in with a passkey alone. The browser chooses among the passkeys that the device has for this host, so the
 * options name no account. The device verifies the person, so no code is asked for. Attempts count like those with a
 * password: for the account if the passkey is one of ours, and for the network.
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Visitor } from '../../api/caller.ts';
import { beginSession, type NewSession } from '../people/sessions.ts';
import { requireTeamOf } from '../people/sign-in.ts';
import { withAttempt } from '../people/throttle.ts';
import { CHALLENGE_MS, createChallenge } from '../webauthn/challenges.ts';
import { requireRelyingParty, type PasskeyFacts } from '../webauthn/relying-party.ts';
import { findPasskey, provePasskey, unknownPasskey, type FoundPasskey } from '../webauthn/use-passkey.ts';
import type { Assertion, RequestOptions } from '../webauthn/webauthn.schema.ts';

const USE = { purpose: 'sign-in' } as const;

export async function beginPasskeySignIn(db: Db, facts: PasskeyFacts): Promise<RequestOptions> {
  const { rpId } = requireRelyingParty(facts);
  return {
    challenge: await createChallenge(db, facts.secret, USE),
    rpId,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: [],
  };
}

export async function signInWithPasskey(
  db: Db,
  facts: PasskeyFacts,
  assertion: Assertion,
  visitor: Visitor,
): Promise<NewSession> {
  const found = await findPasskey(db, facts, assertion);
  const account = found?.emailKey ?? `unknown passkey ${sha256(assertion.id).toString('hex')}`;
  const passkey = await withAttempt(db, account, visitor, async (attempt) => {
    await provePasskey(db, facts, found, { assertion, use: USE, visitor });
    await attempt.succeed();
    return found!;
  });
  const teamId = await requireTeamOf(db, passkey.userId);
  return inTransaction(db, async (trx) => {
    await keepPasskey(trx, passkey);
    return beginSession(trx, facts.secret, teamId, passkey.userId, visitor, { passkeyUuid: passkey.id });
  });
}

/**
 * Locks the user while a session begins, and rejects it if the passkey was deleted since it was checked. Otherwise a
 * sign-in that overlaps with the first proof of the address would outlive it.
 */
async function keepPasskey(trx: Db, { id, userId }: FoundPasskey): Promise<void> {
  await sql`select from users where id = ${userId} for share`.execute(trx);
  const { rows } = await sql`select from passkeys where id = ${id} for key share`.execute(trx);
  if (rows.length === 0) throw unknownPasskey();
}
