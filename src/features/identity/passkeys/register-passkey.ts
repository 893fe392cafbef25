/** Adds a passkey to the account of a person who is signed in. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, conflict, invalidField } from '../../../platform/errors.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Person } from '../../api/caller.ts';
import { issueRecoveryCodes } from '../people/recovery-codes.ts';
import { requireRecentProof } from '../people/require-password.ts';
import { mailSecurityLater } from '../people/security-mail.ts';
import { requireSession } from '../people/sessions.ts';
import { getUser } from '../people/users.ts';
import { CHALLENGE_MS, consumeChallenge, createChallenge } from '../webauthn/challenges.ts';
import { ALGORITHMS, challengeOf, readAttestation, type NewCredential } from '../webauthn/read-responses.ts';
import { requireRelyingParty, type PasskeyFacts } from '../webauthn/relying-party.ts';
import { listDescriptors, userHandleOf } from '../webauthn/use-passkey.ts';
import type { CreationOptions } from '../webauthn/webauthn.schema.ts';
import { presentPasskey } from './passkeys.ts';
import type { AddedPasskey, PasskeyInput } from './passkeys.schema.ts';

const MAX_PASSKEYS = 20;

/** Who gets the challenge has shown that they are the person, so the answer to it needs no further proof. */
export async function beginRegistration(
  db: Db,
  facts: PasskeyFacts,
  person: Person,
  password: string | undefined,
): Promise<CreationOptions> {
  const { rpId } = requireRelyingParty(facts);
  await requireRecentProof(db, person, password);
  const user = await getUser(db, person.userId);
  await requireRoom(db, user.id);
  return {
    challenge: await createChallenge(db, facts.secret, useOf(person)),
    rp: { id: rpId, name: 'Posthorn' },
    user: { id: userHandleOf(user.id), name: user.email, displayName: user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: await listDescriptors(db, rpId, user.id),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

/** Returns recovery codes with the first passkey of a person who has no other second factor. */
export async function registerPasskey(
  db: Db,
  facts: PasskeyFacts,
  person: Person,
  { name, credential }: PasskeyInput,
): Promise<AddedPasskey> {
  const party = requireRelyingParty(facts);
  const challenge = challengeOf(credential);
  if (challenge === null || !(await consumeChallenge(db, facts.secret, useOf(person), challenge)))
    throw badRequest('The passkey was created too late, or this request was sent twice. Start again.');
  const made = await readAttestation(party, credential, challenge);
  if (!made) throw invalidField('credential', `is not a passkey that was made for ${party.origin}`);
  return inTransaction(db, async (trx) => {
    const userUuid = decodeId('usr', person.userId)!;
    const { rows } = await sql<Row<'users', 'totp_enabled'>>`
      select totp_enabled from users where id = ${userUuid} for update`.execute(trx);
    await requireSession(trx, person);
    const before = await requireRoom(trx, userUuid);
    const transports = credential.response.transports ?? [];
    const row = await insertPasskey(trx, { ...made, userUuid, name, rpId: party.rpId, transports });
    await mailSecurityLater(trx, userUuid, 'passkey-added', name);
    const isFirst = before === 0 && !rows[0]!.totp_enabled;
    return {
      ...presentPasskey(row, party.rpId),
      recoveryCodes: isFirst ? await issueRecoveryCodes(trx, userUuid) : null,
    };
  });
}

interface NewPasskey extends NewCredential {
  userUuid: string;
  name: string;
  rpId: string;
  transports: string[];
}

async function insertPasskey(trx: Db, passkey: NewPasskey): Promise<Row<'passkeys'>> {
  const row = await trx
    .insertInto('passkeys')
    .values({
      id: newUuid(),
      user_id: passkey.userUuid,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      transports: passkey.transports,
      name: passkey.name,
      rp_id: passkey.rpId,
      backed_up: passkey.backedUp,
    })
    .onConflict((on) => on.constraint('passkeys_credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw conflict('This passkey is registered already.');
  return row;
}

/** Returns how many passkeys the person has. */
async function requireRoom(db: Db, userUuid: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from passkeys where user_id = ${userUuid}`.execute(db);
  const { count } = rows[0]!;
  if (count >= MAX_PASSKEYS)
    throw conflict(`A person can have at most ${MAX_PASSKEYS} passkeys. Delete one first.`);
  return count;
}

function useOf({ sessionId }: Person) {
  return { purpose: 'register', sessionId } as const;
}
