/**
 * A person approves or rejects an email of an agent. The email is locked before its approval, like when it is cancelled,
 * so of two decisions at the same moment one wins.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { cancelWaiting } from '../emails/cancel-waiting.ts';
import { readContent } from '../emails/read-content.ts';
import { releaseNow } from '../emails/release.ts';
import { hashEmail } from '../policies/judge.ts';
import { changePending } from '../policies/record-approvals.ts';
import { findApproval, getApproval, type ApprovalRow } from './approvals.ts';
import type { Approval } from './approvals.schema.ts';

/** Sends exactly the bytes that the hash stands for. */
export async function approve(db: Db, caller: Caller, approvalId: string, hash: string): Promise<Approval> {
  return inTransaction(db, async (trx) => {
    const approval = await lockPending(trx, caller, approvalId);
    const own = approval.hash.toString('hex');
    if (hash.toLowerCase() !== own || (await hashOfStored(trx, caller.teamId, approval.email_id)) !== own)
      throw conflict('The hash does not match this email. Read the approval again before you approve it.');
    await changePending(trx, caller.teamId, [approval.email_id], { state: 'approved', by: userOf(caller) });
    const { rows } = await sql<{ isDue: boolean }>`
      update emails set scheduled_at = coalesce(${approval.leaves_at}::timestamptz, now()), updated_at = now()
      where team_id = ${caller.teamId} and id = ${approval.email_id} and status = 'SCHEDULED' and scheduled_at is null
      returning scheduled_at <= now() as "isDue"
    `.execute(trx);
    if (!rows[0]) throw conflict('This email no longer waits.');
    if (rows[0].isDue) await releaseNow(trx, caller.teamId, approval.email_id);
    return getApproval(trx, caller, approvalId);
  });
}

/** A message of a mailbox becomes a draft again. */
export async function reject(
  db: Db,
  caller: Caller,
  approvalId: string,
  reason: string | null,
): Promise<Approval> {
  return inTransaction(db, async (trx) => {
    const { email_id } = await lockPending(trx, caller, approvalId);
    await changePending(trx, caller.teamId, [email_id], { state: 'rejected', by: userOf(caller), reason });
    await cancelWaiting(trx, caller.teamId, [email_id]);
    return getApproval(trx, caller, approvalId);
  });
}

const MAX_EXPIRED = 200;

export async function expireApprovals(db: Db): Promise<void> {
  const { rows } = await sql<CamelRow<'approvals', 'team_id' | 'email_id'>>`
    select team_id as "teamId", email_id as "emailId" from approvals
    where state = 'pending' and expires_at <= now() order by expires_at limit ${MAX_EXPIRED}
  `.execute(db);
  for (const { teamId, emailId } of rows) {
    await inTransaction(db, async (trx) => {
      await lockEmail(trx, teamId, emailId);
      const changed = await changePending(trx, teamId, [emailId], { state: 'expired' });
      if (changed.length > 0) await cancelWaiting(trx, teamId, [emailId]);
    });
  }
}

async function lockPending(trx: Db, caller: Caller, approvalId: string): Promise<ApprovalRow> {
  if (!caller.person) throw new AppError('FORBIDDEN', 'Only people can decide about approvals.');
  const { email_id } = await findApproval(trx, caller, approvalId);
  await lockEmail(trx, caller.teamId, email_id);
  const approval = await findApproval(trx, caller, approvalId);
  if (approval.state === 'expired') throw conflict('This approval has expired.');
  if (approval.state !== 'pending') throw conflict(`This email was ${approval.state} before.`);
  return approval;
}

async function lockEmail(trx: Db, teamId: number, emailId: string): Promise<void> {
  await sql`select 1 from emails where team_id = ${teamId} and id = ${emailId} for update`.execute(trx);
}

async function hashOfStored(trx: Db, teamId: number, emailId: string): Promise<string | null> {
  const raw = await readContent(trx, teamId, emailId);
  if (!raw) return null;
  const { rows } = await sql<Row<'email_recipients', 'address_key'>>`
    select address_key from email_recipients where team_id = ${teamId} and email_id = ${emailId}
  `.execute(trx);
  const keys = [...new Set(rows.map(({ address_key }) => address_key))];
  return hashEmail(raw, keys).toString('hex');
}

function userOf({ person }: Caller): string | null {
  return person && decodeId('usr', person.userId);
}
