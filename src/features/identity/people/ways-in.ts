/** Keeps people from giving up their last way to sign in: a password that they know, a provider, or a passkey. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import { findRelyingParty, type PasskeyFacts } from '../webauthn/relying-party.ts';

/** Before a person gives up a way to sign in, so that two cannot be given up at the same time. */
export async function lockUser(trx: Db, userUuid: string): Promise<void> {
  await sql`select from users where id = ${userUuid} for update`.execute(trx);
}

/** Throws if the person has no way left. Passkeys of another host are none. */
export async function requireWayIn(
  trx: Db,
  facts: Pick<PasskeyFacts, 'baseUrl'>,
  userUuid: string,
): Promise<void> {
  const rpId = findRelyingParty(facts)?.rpId ?? '';
  const { rows } = await sql`
    select from users u where u.id = ${userUuid} and (
      u.has_password
      or exists (select from identities i where i.user_id = u.id)
      or exists (select from passkeys p where p.user_id = u.id and p.rp_id = ${rpId})
    )`.execute(trx);
  if (rows.length === 0)
    throw conflict(
      'This is your only way to sign in. Add another one first, or set a password with "Forgot your password?" on the sign-in page.',
    );
}
