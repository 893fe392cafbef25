/** Emails: what is stored of them, and moving those that still wait. */
import { sql } from 'kysely';
import { parseMessage } from '../../mail/parse-message.ts';
import { keepToDomain } from '../../platform/bound-keys.ts';
import { databaseNow, type Db } from '../../platform/database.ts';
import { AppError, conflict, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { showCampaignEmail } from '../campaigns/letters.ts';
import type { PublicLinks } from '../tracking/links.ts';
import { cancelWaiting } from './cancel-waiting.ts';
import type { Email, EmailListItem, EmailStatus } from './emails.schema.ts';
import { timeToLeave } from './submit.ts';

export interface EmailRow {
  id: string;
  team_id: number;
  domain_id: number;
  sender: string;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  reply_to: string[];
  subject: string;
  status: EmailStatus;
  scheduled_at: Date | null;
  created_at: Date;
  updated_at: Date;
  campaign_id: string | null;
  source: string;
}

export const EMAIL_COLUMNS = sql`
  id, team_id, domain_id, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject, status,
  scheduled_at, created_at, updated_at, campaign_id, source`;

export async function getEmail(db: Db, caller: Caller, emailId: string, links: PublicLinks): Promise<Email> {
  const row = await findEmail(db, caller, emailId);
  const ofCampaign =
    row.campaign_id === null
      ? null
      : await showCampaignEmail(db, links, {
          teamId: row.team_id,
          emailId: row.id,
          recipientNo: 0,
          campaignId: row.campaign_id,
        });
  const raw = await readContent(db, row);
  const events = await db
    .selectFrom('email_events')
    .select(['status', 'recipient', 'data', 'created_at'])
    .where('team_id', '=', caller.teamId)
    .where('email_id', '=', row.id)
    .orderBy('id')
    .execute();
  const visits = await db
    .selectFrom('email_visits')
    .select(['opens', 'human_opens as humanOpens', 'clicks', 'human_clicks as humanClicks'])
    .where('team_id', '=', caller.teamId)
    .where('email_id', '=', row.id)
    .executeTakeFirst();
  const parsed = raw && (await parseMessage(raw));
  return {
    ...presentListItem(row),
    html: parsed?.html ?? null,
    text: parsed?.text ?? null,
    ...ofCampaign,
    tracking: visits ?? { opens: 0, humanOpens: 0, clicks: 0, humanClicks: 0 },
    emailEvents: events.map((event) => ({
      emailId,
      status: event.status as EmailStatus,
      recipient: event.recipient,
      createdAt: event.created_at.toISOString(),
      data: event.data,
    })),
  };
}

/** The message as it was composed; bytes that are no UTF-8 are shown as replacement characters. */
export async function getEmailSource(db: Db, caller: Caller, emailId: string): Promise<string | null> {
  const raw = await readContent(db, await findEmail(db, caller, emailId));
  return raw && raw.toString('utf8');
}

/** Null for a campaign's, which is made when it is sent, and for mail about an account: its link lets anybody in. */
async function readContent(db: Db, { team_id, id, source }: EmailRow): Promise<Buffer | null> {
  if (source === 'account') return null;
  const content = await db
    .selectFrom('email_contents')
    .select('raw')
    .where('team_id', '=', team_id)
    .where('email_id', '=', id)
    .executeTakeFirst();
  return content?.raw ?? null;
}

/** One conditional update against the release: exactly one side wins. */
export async function rescheduleEmail(
  db: Db,
  caller: Caller,
  emailId: string,
  scheduledAt: Date,
): Promise<void> {
  const { id, status } = await findEmail(db, caller, emailId);
  refuseGone(status);
  const now = await databaseNow(db);
  const leavesAt = timeToLeave({ scheduledAt }, now) ?? now;
  const { rows } = await sql`
    update emails set scheduled_at = ${leavesAt}, updated_at = now()
    where team_id = ${caller.teamId} and id = ${id} and status = 'SCHEDULED' returning 1
  `.execute(db);
  if (rows.length === 0) refuseGone((await findEmail(db, caller, emailId)).status);
}

export async function cancelEmail(db: Db, caller: Caller, emailId: string): Promise<void> {
  const { id, status } = await findEmail(db, caller, emailId);
  refuseGone(status);
  const cancelled = await cancelWaiting(db, caller.teamId, [id]);
  if (cancelled.length === 0) refuseGone((await findEmail(db, caller, emailId)).status);
}

function refuseGone(status: EmailStatus): void {
  if (status === 'SCHEDULED') return;
  if (status === 'CANCELLED') throw conflict('This email was cancelled.');
  throw new AppError('already_sent', 'This email has already been handed to delivery.');
}

async function findEmail(db: Db, caller: Caller, emailId: string): Promise<EmailRow> {
  const id = decodeId('eml', emailId);
  const { rows } = await sql<EmailRow>`
    select ${EMAIL_COLUMNS} from emails where team_id = ${caller.teamId} and id = ${id}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Email');
  keepToDomain(caller, row.domain_id);
  return row;
}

export function presentListItem(row: EmailRow): EmailListItem {
  return {
    id: encodeId('eml', row.id),
    teamId: row.team_id,
    domainId: row.domain_id,
    from: row.sender,
    to: row.to_addresses,
    cc: row.cc_addresses,
    bcc: row.bcc_addresses,
    replyTo: row.reply_to,
    subject: row.subject,
    status: row.status,
    scheduledAt: row.scheduled_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
