/** Reads one email with its content, events, opens and clicks. */
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { showCampaignEmail } from '../../campaigns/campaign-renderer.ts';
import { toEmailStatus } from '../../events/email-events.ts';
import type { Email, EmailAttachment, EmailStatus } from '../../sending/emails/emails.schema.ts';
import { findEmail, presentListItem, type EmailRow } from '../../sending/emails/emails.ts';
import { readContent } from '../../sending/emails/read-content.ts';
import { restoreTranscript } from '../../sending/ledger/transcript.ts';
import type { PublicLinks } from '../../content/links/links.ts';

export async function getEmail(db: Db, caller: Caller, emailId: string, links: PublicLinks): Promise<Email> {
  const row = await findEmail(db, caller, emailId);
  const ofCampaign =
    row.campaign_id === null || row.content_deleted_at !== null
      ? null
      : await showCampaignEmail(db, links, {
          teamId: row.team_id,
          emailId: row.id,
          recipientNo: 0,
          campaignId: row.campaign_id,
        });
  const raw = await readShownContent(db, row);
  const events = await readEvents(db, row, links);
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
    contentDeletedAt: row.content_deleted_at?.toISOString() ?? null,
    attachments: presentAttachments(parsed?.attachments ?? []),
    tracking: visits ?? { opens: 0, humanOpens: 0, clicks: 0, humanClicks: 0 },
    emailEvents: events.map((event) => ({
      emailId,
      status: toEmailStatus(event.type) as EmailStatus,
      recipient: event.recipient,
      createdAt: event.created_at.toISOString(),
      data: event.data,
    })),
  };
}

type EventRow = Row<'events', 'type' | 'recipient' | 'created_at'> & {
  data: { transcript?: string[] } | null;
};

/** The ledger of a campaign has transcripts in a short form. */
async function readEvents(
  db: Db,
  { team_id, id, domain_id, campaign_id }: EmailRow,
  links: PublicLinks,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow & { domain: Row<'domains'>['name'] | null }>`
    select h.type, h.recipient, h.data, h.created_at, d.name as domain
    from all_events h left join domains d on d.team_id = ${team_id} and d.id = ${domain_id}
    where h.team_id = ${team_id} and h.subject_id = ${id} order by h.id
  `.execute(db);
  return rows.map(({ domain, ...event }) => {
    const { data, recipient } = event;
    if (campaign_id === null || !data?.transcript || recipient === null) return event;
    const returnPath = links.returnPath(id, domain ?? '');
    const transcript = restoreTranscript(data.transcript, { returnPath, recipient });
    return { ...event, data: { ...data, transcript } };
  });
}

/** Returns the composed message. Bytes that are not UTF-8 become replacement characters. */
export async function getEmailSource(db: Db, caller: Caller, emailId: string): Promise<string | null> {
  const raw = await readShownContent(db, await findEmail(db, caller, emailId));
  return raw && raw.toString('utf8');
}

/** Null for account emails too, whose link grants access. */
export async function readShownContent(db: Db, { team_id, id, source }: EmailRow): Promise<Buffer | null> {
  return source === 'account' ? null : readContent(db, team_id, id);
}

/** Keeps the order of the message. */
export function presentAttachments(attachments: ParsedMessage['attachments']): EmailAttachment[] {
  return attachments.map(({ content, ...attachment }, no) => ({ no, ...attachment, size: content.length }));
}
