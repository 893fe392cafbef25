/**
 * Password resets by email. The request does the same work and gets the same response whether or not the address has
 * an account; a job does the rest.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Facts } from '../../instance/facts.ts';
import type { RunningJob } from '../../../platform/jobs/jobs.ts';
import { enqueue, type JobPayloads } from '../../jobs/jobs.ts';
import { createPasswordReset, resetUrl } from './account.ts';
import { canInstanceMail, findSender, listSendersFor, mailAccount } from './account-mail.ts';
import { countRequest } from './throttle.ts';
import { emailKeyOf, findAccount } from './users.ts';

const VALID_HOURS = 1;
/** Runs before confirmations, so that a flood of sign-ups does not delay a password reset. */
const HIGH_PRIORITY = -1;

/** Returns whether this instance can send such emails at all. */
export async function requestPasswordReset(
  db: Db,
  facts: Facts,
  email: string,
  ip: string,
): Promise<boolean> {
  const emailKey = emailKeyOf(email);
  await countRequest(db, emailKey, ip);
  if (!(await canInstanceMail(db, facts))) return false;
  await enqueue(
    db,
    'mail-password-reset',
    { email },
    { jobKey: `mail-password-reset ${emailKey}`, priority: HIGH_PRIORITY },
  );
  return true;
}

export async function mailPasswordReset(
  db: Db,
  facts: Facts,
  { email }: JobPayloads['mail-password-reset'],
  job: RunningJob<JobPayloads['mail-password-reset']>,
): Promise<void> {
  const user = await findAccount(db, emailKeyOf(email));
  if (!user) return;
  // Also of the teams that wait for a proof of the address.
  const senders = await listSendersFor(db, sql`u.email_key = ${emailKeyOf(email)}`);
  const teamId = await findSender(db, facts, senders, user.email);
  if (teamId === null) return;
  await inTransaction(db, async (trx) => {
    const token = await createPasswordReset(trx, user.email, VALID_HOURS);
    await mailAccount(trx, teamId, user.email, {
      subject: 'Reset your password',
      lead: 'Someone asked to reset the password of your Posthorn account.',
      action: 'Reset your password',
      url: resetUrl(facts.baseUrl, token),
      foot: 'The link works once and expires in an hour. If you did not ask for this, ignore this email. Your password has not changed.',
    });
    await job.saveRemaining(trx, null);
  });
  facts.wakeDeliveryWorkers();
}
