/** Lists, renames and deletes the passkeys of a person. */
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Person } from '../../api/caller.ts';
import { dropNeedlessCodes, issueRecoveryCodes } from '../people/recovery-codes.ts';
import { requireRecentProof } from '../people/require-password.ts';
import { mailSecurityLater } from '../people/security-mail.ts';
import { getUser } from '../people/users.ts';
import { lockUser, requireWayIn } from '../people/ways-in.ts';
import { findRelyingParty, type PasskeyFacts } from '../webauthn/relying-party.ts';
import { hasPasskeys } from '../webauthn/use-passkey.ts';
import type { Passkey } from './passkeys.schema.ts';

type PasskeyRow = Row<'passkeys', 'id' | 'name' | 'rp_id' | 'backed_up' | 'created_at' | 'last_used_at'>;

export function presentPasskey(row: PasskeyRow, rpId: string | undefined): Passkey {
  return {
    id: encodeId('pky', row.id),
    name: row.name,
    host: row.rp_id,
    worksHere: row.rp_id === rpId,
    backedUp: row.backed_up,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

export async function listPasskeys(db: Db, facts: PasskeyFacts, { userId }: Person): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .select(['id', 'name', 'rp_id', 'backed_up', 'created_at', 'last_used_at'])
    .where('user_id', '=', decodeId('usr', userId)!)
    .orderBy('id')
    .execute();
  return rows.map((row) => presentPasskey(row, findRelyingParty(facts)?.rpId));
}

export async function renamePasskey(
  db: Db,
  facts: PasskeyFacts,
  { userId }: Person,
  { passkeyId, name }: { passkeyId: string; name: string },
): Promise<Passkey> {
  const row = await db
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', decodeId('usr', userId)!)
    .where('id', '=', decodeId('pky', passkeyId) ?? newUuid())
    .returning(['id', 'name', 'rp_id', 'backed_up', 'created_at', 'last_used_at'])
    .executeTakeFirst();
  if (!row) throw notFound('Passkey');
  return presentPasskey(row, findRelyingParty(facts)?.rpId);
}

export async function deletePasskey(
  db: Db,
  facts: PasskeyFacts,
  person: Person,
  { passkeyId, password }: { passkeyId: string; password: string | undefined },
): Promise<void> {
  await requireRecentProof(db, person, password);
  const userUuid = decodeId('usr', person.userId)!;
  await inTransaction(db, async (trx) => {
    await lockUser(trx, userUuid);
    const row = await trx
      .deleteFrom('passkeys')
      .where('user_id', '=', userUuid)
      .where('id', '=', decodeId('pky', passkeyId) ?? newUuid())
      .returning(['rp_id', 'name'])
      .executeTakeFirst();
    if (!row) throw notFound('Passkey');
    if (row.rp_id === findRelyingParty(facts)?.rpId) await requireWayIn(trx, facts, userUuid);
    await dropNeedlessCodes(trx, userUuid);
    await mailSecurityLater(trx, userUuid, 'passkey-removed', row.name);
  });
}

/** Replaces the recovery codes, for a person who has used or lost them. */
export async function renewRecoveryCodes(
  db: Db,
  person: Person,
  password: string | undefined,
): Promise<string[]> {
  await requireRecentProof(db, person, password);
  const userUuid = decodeId('usr', person.userId)!;
  return inTransaction(db, async (trx) => {
    await lockUser(trx, userUuid);
    const { totp_enabled } = await getUser(trx, person.userId);
    if (!totp_enabled && !(await hasPasskeys(trx, userUuid)))
      throw conflict('Recovery codes need an authenticator app or a passkey. Add one first.');
    await mailSecurityLater(trx, userUuid, 'recovery-codes-renewed');
    return issueRecoveryCodes(trx, userUuid);
  });
}
