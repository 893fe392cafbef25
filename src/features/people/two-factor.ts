/** The second factor: turning it on and off, and spending its codes. Each code works once. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createSeal, sha256 } from '../../platform/crypto.ts';
import { databaseNow, inTransaction, type Db } from '../../platform/database.ts';
import { conflict, notFound, wrongField } from '../../platform/errors.ts';
import { toBase32 } from '../../platform/ids.ts';
import { requirePassword } from './require-password.ts';
import { matchingSteps, newTotpSecret, toRfcBase32, totpUri } from './totp.ts';
import { emailKeyOf, findUserByEmail, getUser, type UserRow } from './users.ts';

const RECOVERY_CODES = 10;
/** 80 bits: a plain hash of it tells nothing. */
const RECOVERY_BYTES = 10;

function totpSeal(secret: Buffer) {
  return createSeal(secret, 'totp secrets');
}

/** Makes a secret that counts only once a code of it was shown; until then it can be begun again. */
export async function startTotp(
  db: Db,
  instanceSecret: Buffer,
  userId: string,
  password: string,
): Promise<{ secret: string; uri: string }> {
  const user = await getUser(db, userId);
  if (user.totp_enabled) throw alreadyOn();
  await requirePassword(db, user, 'password', password);
  const secret = newTotpSecret();
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ totp_secret: totpSeal(instanceSecret).seal(secret), updated_at: sql`now()` })
    .where('id', '=', user.id)
    .where('totp_enabled', '=', false)
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0) throw alreadyOn();
  return { secret: toRfcBase32(secret), uri: totpUri(secret, user.email) };
}

function alreadyOn() {
  return conflict('Two-factor is on already. Turn it off first.');
}

export async function confirmTotp(
  db: Db,
  instanceSecret: Buffer,
  userId: string,
  code: string,
): Promise<string[]> {
  const user = await getUser(db, userId);
  if (user.totp_enabled) throw alreadyOn();
  if (!user.totp_secret) throw conflict('Begin with /auth/totp/start.');
  const step = matchingSteps(
    totpSeal(instanceSecret).open(user.totp_secret),
    digitsOf(code),
    (await databaseNow(db)).getTime(),
  ).at(-1);
  if (step === undefined) throw wrongField('code', 'is not right; look at the clock of the device');
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('users')
      .set({ totp_enabled: true, totp_last_step: step, updated_at: sql`now()` })
      .where('id', '=', user.id)
      .where('totp_enabled', '=', false)
      // Begun anew since: the code was for another secret.
      .where('totp_secret', '=', user.totp_secret)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) throw conflict('Two-factor was changed meanwhile. Begin again.');
    await trx.deleteFrom('recovery_codes').where('user_id', '=', user.id).execute();
    await trx
      .insertInto('recovery_codes')
      .values(codes.map((text) => ({ user_id: user.id, code_hash: hashRecoveryCode(text) })))
      .execute();
  });
  return codes;
}

export async function stopTotp(db: Db, userId: string, password: string): Promise<void> {
  const user = await getUser(db, userId);
  await requirePassword(db, user, 'password', password);
  await dropTotp(db, user.id);
}

/** The operator's way for who lost both device and recovery codes. */
export async function stopTotpOf(db: Db, email: string): Promise<void> {
  const user = await findUserByEmail(db, emailKeyOf(email));
  if (!user) throw notFound('User');
  await dropTotp(db, user.id);
}

async function dropTotp(db: Db, id: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx
      .updateTable('users')
      .set({ totp_enabled: false, totp_secret: null, updated_at: sql`now()` })
      .where('id', '=', id)
      .execute();
    await trx.deleteFrom('recovery_codes').where('user_id', '=', id).execute();
  });
}

/** True for a code that was right and is used up now. */
export async function spendCode(
  db: Db,
  instanceSecret: Buffer,
  user: UserRow,
  code: string,
): Promise<boolean> {
  if (!user.totp_secret) return false;
  const secret = totpSeal(instanceSecret).open(user.totp_secret);
  for (const step of matchingSteps(secret, digitsOf(code), (await databaseNow(db)).getTime())) {
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set({ totp_last_step: step })
      .where('id', '=', user.id)
      .where('totp_last_step', '<', step)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 1) return true;
  }
  const { numAffectedRows } = await sql`
    delete from recovery_codes where user_id = ${user.id} and code_hash = ${hashRecoveryCode(code)}
  `.execute(db);
  return Number(numAffectedRows) === 1;
}

function digitsOf(code: string): string {
  return code.replaceAll(/\s/g, '');
}

function newRecoveryCode(): string {
  return toBase32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g)!.join('-');
}

/** However it was typed. */
function hashRecoveryCode(code: string): Buffer {
  return sha256(code.toLowerCase().replaceAll(/[\s-]/g, ''));
}
