/** Changes the state of approvals, and records the events of it. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { recordApprovalChanges } from '../../events/live-updates.ts';
import { recordEvents } from '../../events/record-events.ts';

type State = Row<'approvals'>['state'];

export type ChangedApproval = CamelRow<
  'approvals',
  'id' | 'email_id' | 'key_id' | 'mailbox_id' | 'rule' | 'reason'
>;

const TYPES = {
  pending: 'approval.requested',
  approved: 'approval.approved',
  rejected: 'approval.rejected',
  expired: 'approval.expired',
  withdrawn: 'approval.withdrawn',
} as const;

export async function recordApprovals(
  trx: Db,
  teamId: number,
  state: State,
  approvals: readonly ChangedApproval[],
): Promise<void> {
  await recordApprovalChanges(trx, teamId, [
    ...new Set(approvals.flatMap(({ mailboxId }) => mailboxId ?? [])),
  ]);
  await recordEvents(
    trx,
    teamId,
    approvals.map((approval) => ({
      type: TYPES[state],
      subjectId: approval.id,
      notice: {
        approvalId: encodeId('apr', approval.id),
        emailId: encodeId('eml', approval.emailId),
        mailboxId: approval.mailboxId && encodeId('mbx', approval.mailboxId),
        by: encodeId('key', approval.keyId),
        rule: approval.rule,
        state,
        reason: approval.reason,
      },
    })),
  );
}

/** Only pending approvals change, so of two changes at the same moment one wins. Returns those that have changed. */
export async function changePending(
  trx: Db,
  teamId: number,
  emailIds: readonly string[],
  {
    state,
    by = null,
    reason = null,
  }: { state: Exclude<State, 'pending'>; by?: string | null; reason?: string | null },
): Promise<ChangedApproval[]> {
  if (emailIds.length === 0) return [];
  const { rows } = await sql<ChangedApproval>`
    update approvals set state = ${state}, decided_by = ${by}::uuid, decided_at = now(), reason = ${reason}
    where team_id = ${teamId} and email_id = any(${emailIds}::uuid[]) and state = 'pending'
    returning id, email_id as "emailId", key_id as "keyId", mailbox_id as "mailboxId", rule, reason
  `.execute(trx);
  await recordApprovals(trx, teamId, state, rows);
  return rows;
}
