/**
 * Tells people by email what was changed about how they sign in, so that they notice what somebody else has done. The
 * change and the job that sends the email are one transaction.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { RunningJob } from '../../../platform/jobs/jobs.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue, type JobPayloads, type SecurityChange } from '../../jobs/jobs.ts';
import { findSender, listSendersFor, sendAccountMail } from './account-mail.ts';

const TOLD: Record<SecurityChange, { subject: string; lead: (name: string) => string }> = {
  'password-changed': {
    subject: 'Your password was changed',
    lead: () => 'The password of your Posthorn account was changed, and your other sessions have ended.',
  },
  'two-factor-on': {
    subject: 'Two-factor authentication is on',
    lead: () => 'An authenticator app was set up for your Posthorn account.',
  },
  'two-factor-off': {
    subject: 'Two-factor authentication is off',
    lead: () => 'Your Posthorn account no longer asks for codes of an authenticator app.',
  },
  'passkey-added': {
    subject: 'A passkey was added to your account',
    lead: (name) => `The passkey "${name}" can now sign in to your Posthorn account.`,
  },
  'passkey-removed': {
    subject: 'A passkey was removed from your account',
    lead: (name) => `The passkey "${name}" can no longer sign in to your Posthorn account.`,
  },
  'recovery-codes-renewed': {
    subject: 'You have new recovery codes',
    lead: () => 'Your Posthorn account has new recovery codes. The earlier ones no longer work.',
  },
};

/** `name` is that of the passkey. */
export async function mailSecurityLater(
  trx: Db,
  userUuid: string,
  change: SecurityChange,
  name = '',
): Promise<void> {
  await enqueue(trx, 'mail-security-change', {
    userId: encodeId('usr', userUuid),
    change,
    name,
    at: new Date().toISOString(),
  });
}

type Change = JobPayloads['mail-security-change'];

/** The email has no link that opens anything, so a mailbox of this instance gets it too. */
export async function mailSecurityChange(
  db: Db,
  facts: Facts,
  { userId, change, name, at }: Change,
  job: RunningJob<Change>,
): Promise<void> {
  const userUuid = decodeId('usr', userId);
  const { rows } = await sql<Row<'users', 'email'>>`select email from users where id = ${userUuid}`.execute(
    db,
  );
  const [user] = rows;
  if (!user) return;
  const senders = await listSendersFor(db, sql`u.id = ${userUuid}`);
  const teamId = await findSender(db, facts, senders, user.email, { isSecret: false });
  if (teamId === null) return;
  const { subject, lead } = TOLD[change];
  const when = `${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`;
  const text = [
    lead(name),
    `This was done on ${when}.`,
    `If it was not you, set a new password now and tell an owner of your team: ${facts.baseUrl}/settings`,
    '',
  ].join('\n\n');
  await inTransaction(db, async (trx) => {
    await sendAccountMail(trx, teamId, user.email, { subject, text });
    await job.saveRemaining(trx, null);
  });
  facts.wakeDeliveryWorkers();
}
