/**
 * A new password by mail, for who is not signed in. Whoever asks is told the same, and after the same work, whether the
 * address has an account or not: what differs is done by a job.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import type { Facts } from '../../platform/facts.ts';
import { enqueue, type JobPayloads, type RunningJob } from '../../platform/jobs.ts';
import { createPasswordReset, resetUrl } from './account.ts';
import { canMail, mailAccount } from './account-mail.ts';
import { countRequest } from './throttle.ts';
import { emailKeyOf, findUserByEmail } from './users.ts';

const VALID_HOURS = 1;
/** Ahead of confirmations: a flood of sign-ups must not hold up the owner's password. */
const AHEAD = -1;

/** Whether this instance can send such mail at all. */
export async function forgetPassword(db: Db, facts: Facts, email: string, ip: string): Promise<boolean> {
  const emailKey = emailKeyOf(email);
  await countRequest(db, emailKey, ip);
  if (facts.mailTransport === 'sandbox') return false;
  const { rows } = await sql`select from domains where held limit 1`.execute(db);
  if (rows.length === 0) return false;
  await enqueue(
    db,
    'mail-password-reset',
    { email },
    { jobKey: `mail-password-reset ${emailKey}`, priority: AHEAD },
  );
  return true;
}

export async function mailPasswordReset(
  db: Db,
  facts: Facts,
  { email }: JobPayloads['mail-password-reset'],
  job: RunningJob<JobPayloads['mail-password-reset']>,
): Promise<void> {
  const user = await findUserByEmail(db, emailKeyOf(email));
  const teamId = user && (await findSendingTeam(db, user.id));
  if (teamId === undefined || !(await canMail(db, facts, teamId, user!.email))) return;
  await inTransaction(db, async (trx) => {
    const token = await createPasswordReset(trx, user!.email, VALID_HOURS);
    await mailAccount(trx, teamId, user!.email, {
      subject: 'Choose a new password',
      lead: 'Someone, hopefully you, asked for a new password for your Posthorn account.',
      action: 'Choose a new password',
      url: resetUrl(facts.baseUrl, token),
      foot: 'The link works once, within an hour. If you did not ask for it, leave it be: nothing has changed.',
    });
    await job.keep(trx, null);
  });
  facts.wakeCouriers();
}

/** One of the person's teams that holds a domain, the last they were in first. */
async function findSendingTeam(db: Db, userUuid: string): Promise<number | undefined> {
  const { rows } = await sql<{ teamId: number }>`
    select team_id as "teamId" from memberships m
    where user_id = ${userUuid} and exists (select from domains d where d.team_id = m.team_id and d.held)
    order by last_seen_at desc nulls last, team_id limit 1
  `.execute(db);
  return rows[0]?.teamId;
}
