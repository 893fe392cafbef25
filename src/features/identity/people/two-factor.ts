/** Two-factor authentication: turns it on and off and consumes its codes. Each code works once. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createSecretBox, sha256 } from '../../../platform/crypto.ts';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound, invalidField } from '../../../platform/errors.ts';
import { toBase32 } from '../../../platform/ids.ts';
import { requirePassword } from './require-password.ts';
import { lastStep, matchingSteps, newTotpSecret, toRfcBase32, totpUri } from './totp.ts';
import { emailKeyOf, findUserByEmail, getUser, type UserRow } from './users.ts';

const RECOVERY_CODES = 10;
/** 80 bits are too many to guess, so a plain hash is enough. */
const RECOVERY_BYTES = 10;

export function totpSecretBox(secret: Buffer) {
  return createSecretBox(secret, 'totp secrets');
}

/** Creates a secret that takes effect once `confirmTotp` sees a code from it. Until then it can be replaced. */
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
    .set({ totp_secret: totpSecretBox(instanceSecret).encrypt(secret), updated_at: sql`now()` })
    .where('id', '=', user.id)
    .where('totp_enabled', '=', false)
    // Fails if the password was reset since it was checked.
    .where('password_hash', '=', user.password_hash)
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0) throw changedMeanwhile();
  return { secret: toRfcBase32(secret), uri: totpUri(secret, user.email) };
}

function alreadyOn() {
  return conflict('Two-factor authentication is already on. Turn it off first.');
}

function changedMeanwhile() {
  return conflict('Two-factor authentication was changed in the meantime. Start again.');
}

export async function confirmTotp(
  db: Db,
  instanceSecret: Buffer,
  userId: string,
  code: string,
): Promise<string[]> {
  const user = await getUser(db, userId);
  if (user.totp_enabled) throw alreadyOn();
  if (!user.totp_secret) throw conflict('Start with /auth/totp/start.');
  const step = matchingSteps(
    totpSecretBox(instanceSecret).decrypt(user.totp_secret),
    digitsOf(code),
    (await databaseNow(db)).getTime(),
  ).at(-1);
  if (step === undefined)
    throw invalidField('code', 'is incorrect; check that the clock of your device is right');
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('users')
      .set({ totp_enabled: true, totp_last_step: step, updated_at: sql`now()` })
      .where('id', '=', user.id)
      .where('totp_enabled', '=', false)
      // Fails if the setup was restarted meanwhile, because the code belongs to the earlier secret.
      .where('totp_secret', '=', user.totp_secret)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) throw changedMeanwhile();
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

/** For the operator, when a person has lost both the device and the recovery codes. */
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

/** Returns true if the code is valid. The code is then used up. */
export async function consumeCode(
  db: Db,
  instanceSecret: Buffer,
  user: UserRow,
  code: string,
): Promise<boolean> {
  if (!user.totp_secret) return false;
  const secret = totpSecretBox(instanceSecret).decrypt(user.totp_secret);
  const nowMs = (await databaseNow(db)).getTime();
  for (const step of matchingSteps(secret, digitsOf(code), nowMs)) {
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set({ totp_last_step: step })
      .where('id', '=', user.id)
      // A last step that no code has yet dates from before the database's clock was set back.
      .where(({ eb, or }) =>
        or([eb('totp_last_step', '<', step), eb('totp_last_step', '>', lastStep(nowMs))]),
      )
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

/** Ignores case, spaces and hyphens. */
function hashRecoveryCode(code: string): Buffer {
  return sha256(code.toLowerCase().replaceAll(/[\s-]/g, ''));
}
