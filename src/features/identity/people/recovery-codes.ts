/**
 * Recovery codes: each works once instead of the second factor. A person has them while there is a second factor, be it
 * an authenticator app or a passkey.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { toBase32 } from '../../../platform/ids.ts';

const RECOVERY_CODES = 10;
/** 80 bits are too many to guess, so a plain hash is enough. */
const RECOVERY_BYTES = 10;

/** Replaces all codes of the person. */
export async function issueRecoveryCodes(trx: Db, userUuid: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userUuid).execute();
  await trx
    .insertInto('recovery_codes')
    .values(codes.map((text) => ({ user_id: userUuid, code_hash: hashRecoveryCode(text) })))
    .execute();
  return codes;
}

/** Returns true if the code is valid. The code is then used up. */
export async function consumeRecoveryCode(db: Db, userUuid: string, code: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from recovery_codes where user_id = ${userUuid} and code_hash = ${hashRecoveryCode(code)}
  `.execute(db);
  return Number(numAffectedRows) === 1;
}

/** Deletes the codes of a person who has no second factor any more. The caller has locked the user. */
export async function dropNeedlessCodes(trx: Db, userUuid: string): Promise<void> {
  await sql`
    delete from recovery_codes where user_id = ${userUuid}
      and not exists (select from users where id = ${userUuid} and totp_enabled)
      and not exists (select from passkeys where user_id = ${userUuid})`.execute(trx);
}

function newRecoveryCode(): string {
  return toBase32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g)!.join('-');
}

/** Ignores case, spaces and hyphens. */
function hashRecoveryCode(code: string): Buffer {
  return sha256(code.toLowerCase().replaceAll(/[\s-]/g, ''));
}
