/** Reads stored emails, and changes scheduled ones. */
import { sql } from 'kysely';
import { keepToDomain } from '../../api/bound-keys.ts';
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { AppError, conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReadEmail } from '../../api/mailbox-access.ts';
import { presentEmailHead, presentEmailLabels } from '../../events/present-email.ts';
import { refuseOthersEmail } from '../policies/own-emails.ts';
import { cancelWaiting } from './cancel-waiting.ts';
import type { EmailLabels, EmailListItem, EmailStatus } from './emails.schema.ts';
import { timeToLeave } from './time-to-leave.ts';

export interface EmailRow extends Row<
  'emails',
  | 'id'
  | 'team_id'
  | 'domain_id'
  | 'sender'
  | 'to_addresses'
  | 'cc_addresses'
  | 'bcc_addresses'
  | 'reply_to'
  | 'subject'
  | 'scheduled_at'
  | 'created_at'
  | 'updated_at'
  | 'campaign_id'
  | 'source'
  | 'message_id'
  | 'content_deleted_at'
> {
  status: EmailStatus;
  labels: EmailLabels | null;
}

export const EMAIL_COLUMNS = sql`
  id, team_id, domain_id, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject, status,
  scheduled_at, created_at, updated_at, campaign_id, source, labels, message_id,
  content_deleted_at`;

/** Uses a conditional update, so that either the change or the release wins. */
export async function rescheduleEmail(
  db: Db,
  caller: Caller,
  emailId: string,
  scheduledAt: Date,
): Promise<void> {
  const { id, status, scheduled_at } = await findEmail(db, caller, emailId);
  requireScheduled(status);
  if (scheduled_at === null) throw conflict('This email waits for the approval of a person.');
  await refuseOthersEmail(db, caller, id);
  const now = await databaseNow(db);
  const leavesAt = timeToLeave({ scheduledAt }, now) ?? now;
  const { rows } = await sql`
    update emails set scheduled_at = ${leavesAt}, updated_at = now()
    where team_id = ${caller.teamId} and id = ${id} and status = 'SCHEDULED' and scheduled_at is not null returning 1
  `.execute(db);
  if (rows.length === 0) requireScheduled((await findEmail(db, caller, emailId)).status);
}

export async function cancelEmail(db: Db, caller: Caller, emailId: string): Promise<void> {
  const { id, status } = await findEmail(db, caller, emailId);
  requireScheduled(status);
  const cancelled = await cancelWaiting(db, caller.teamId, [id]);
  if (cancelled.length === 0) requireScheduled((await findEmail(db, caller, emailId)).status);
}

function requireScheduled(status: EmailStatus): void {
  if (status === 'SCHEDULED') return;
  if (status === 'CANCELLED') throw conflict('This email was cancelled.');
  throw new AppError('already_sent', 'This email has already been handed to delivery.');
}

export async function findEmail(db: Db, caller: Caller, emailId: string): Promise<EmailRow> {
  const id = decodeId('eml', emailId);
  const { rows } = await sql<EmailRow>`
    select ${EMAIL_COLUMNS} from all_emails e where team_id = ${caller.teamId} and id = ${id} and ${mayReadEmail(caller, 'e')}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Email', 'no-such-email');
  keepToDomain(caller, row.domain_id);
  return row;
}

export function presentListItem(row: EmailRow): EmailListItem {
  const { from, to, subject } = presentEmailHead(row);
  return {
    id: encodeId('eml', row.id),
    teamId: row.team_id,
    domainId: row.domain_id,
    from,
    to,
    cc: row.cc_addresses,
    bcc: row.bcc_addresses,
    replyTo: row.reply_to,
    subject,
    messageId: row.message_id,
    status: row.status,
    ...presentEmailLabels(row.labels),
    campaignId: row.campaign_id && encodeId('cmp', row.campaign_id),
    scheduledAt: row.scheduled_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
