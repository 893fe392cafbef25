/** Two-factor authentication: turns it on and off and consumes its codes. Each code works once. */
import { sql } from 'kysely';
import { createSecretBox } from '../../../platform/crypto.ts';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound, invalidField } from '../../../platform/errors.ts';
import { consumeRecoveryCode, dropNeedlessCodes, issueRecoveryCodes } from './recovery-codes.ts';
import { requirePassword } from './require-password.ts';
import { mailSecurityLater } from './security-mail.ts';
import { lastStep, matchingSteps, newTotpSecret, toRfcBase32, totpUri } from './totp.ts';
import { emailKeyOf, findUserByEmail, getUser, type UserRow } from './users.ts';

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
  if (!user.totp_secret) throw conflict('Call POST /auth/totp/start first.');
  const step = matchingSteps(
    totpSecretBox(instanceSecret).decrypt(user.totp_secret),
    digitsOf(code),
    (await databaseNow(db)).getTime(),
  ).at(-1);
  if (step === undefined)
    throw invalidField('code', 'is incorrect; check that the clock of your device is right');
  return inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('users')
      .set({ totp_enabled: true, totp_last_step: step, updated_at: sql`now()` })
      .where('id', '=', user.id)
      .where('totp_enabled', '=', false)
      // Fails if the setup was restarted meanwhile, because the code belongs to the earlier secret.
      .where('totp_secret', '=', user.totp_secret)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) throw changedMeanwhile();
    await mailSecurityLater(trx, user.id, 'two-factor-on');
    return issueRecoveryCodes(trx, user.id);
  });
}

export async function stopTotp(db: Db, userId: string, password: string): Promise<void> {
  const user = await getUser(db, userId);
  await requirePassword(db, user, 'password', password);
  await inTransaction(db, (trx) => dropTotp(trx, user.id));
}

/** For the operator, when a person has lost both the devices and the recovery codes. Passkeys are deleted too. */
export async function stopTotpOf(db: Db, email: string): Promise<void> {
  const user = await findUserByEmail(db, emailKeyOf(email));
  if (!user) throw notFound('User');
  await inTransaction(db, async (trx) => {
    await dropTotp(trx, user.id);
    await trx.deleteFrom('passkeys').where('user_id', '=', user.id).execute();
    await dropNeedlessCodes(trx, user.id);
  });
}

async function dropTotp(trx: Db, id: string): Promise<void> {
  const { rows } = await sql<{ wasOn: boolean }>`
    update users u set totp_enabled = false, totp_secret = null, updated_at = now()
    from (select id, totp_enabled from users where id = ${id} for update) before
    where u.id = before.id returning before.totp_enabled as "wasOn"
  `.execute(trx);
  await dropNeedlessCodes(trx, id);
  if (rows[0]?.wasOn) await mailSecurityLater(trx, id, 'two-factor-off');
}

/** Takes a code of the authenticator app, or a recovery code. Returns true if it is valid. It is then used up. */
export async function consumeCode(
  db: Db,
  instanceSecret: Buffer,
  user: UserRow,
  code: string,
): Promise<boolean> {
  const isRight = user.totp_enabled && (await consumeTotp(db, instanceSecret, user, code));
  return isRight || consumeRecoveryCode(db, user.id, code);
}

async function consumeTotp(db: Db, instanceSecret: Buffer, user: UserRow, code: string): Promise<boolean> {
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
  return false;
}

function digitsOf(code: string): string {
  return code.replaceAll(/\s/g, '');
}
