/** The ledger as it can be read: who, how it stands with them, and why. In the order of the addresses. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Page } from '../../platform/pages.ts';
import { findCampaign, type Asking } from './campaign-row.ts';
import type { CampaignRecipient, RecipientQuery } from './campaigns.schema.ts';

interface RecipientRow {
  email: string;
  key: string;
  book: string;
  contact: string;
  state: CampaignRecipient['state'];
  reason: CampaignRecipient['reason'];
  emailId: string | null;
  status: string | null;
}

export async function listRecipients(
  db: Db,
  caller: Asking,
  campaignId: string,
  { limit, cursor, state }: RecipientQuery,
): Promise<Page<CampaignRecipient>> {
  const { id, teamId } = await findCampaign(db, caller, campaignId);
  const after = cursor === undefined ? '' : readCursor(cursor);
  const { rows } = await sql<RecipientRow>`
    select l.address_key as key, coalesce(c.email, l.address_key) as email, l.contact_book_id as book,
      l.contact_id as contact, l.state, l.reason, l.email_id as "emailId", e.status
    from campaign_recipients l
    left join contacts c on c.team_id = l.team_id and c.contact_book_id = l.contact_book_id and c.id = l.contact_id
      and c.email_key = l.address_key
    left join emails e on e.team_id = l.team_id and e.id = l.email_id
    where l.team_id = ${teamId} and l.campaign_id = ${id} and l.address_key > ${after}
      ${state ? sql`and l.state = ${state}` : sql``}
    order by l.address_key limit ${limit + 1}
  `.execute(db);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1)! : null;
  return { items: items.map(present), next_cursor: last && Buffer.from(last.key).toString('base64url') };
}

function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (Buffer.from(key).toString('base64url') !== cursor || key.includes('\0')) {
    throw badRequest('cursor is not one that this list gave.');
  }
  return key;
}

function present(row: RecipientRow): CampaignRecipient {
  return {
    email: row.email,
    contactBookId: encodeId('cbk', row.book),
    contactId: encodeId('con', row.contact),
    state: row.state,
    reason: row.reason,
    emailId: row.emailId && encodeId('eml', row.emailId),
    status: row.status,
  };
}
