/** Lists the recipients of a campaign with a certain outcome, sorted by address. */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Page, PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { findCampaign, type CampaignCaller } from '../campaign-row.ts';
import { readRecipientCursor, toRecipientCursor } from './recipients.ts';

export type RecipientOutcome =
  'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained' | 'unsubscribed' | 'suppressed';

export interface RecipientWithOutcome {
  /** Identifies the row in this list, as a cursor does. */
  id: string;
  contactId: string;
  email: string;
  /** How often it was opened, or clicked for the outcome `clicked`. */
  count: number;
  bounceType: 'hard' | 'soft' | null;
  /** Each link with the number of recorded clicks. */
  links: { url: string; clicks: number }[];
}

const OUTCOMES: Record<RecipientOutcome, RawBuilder<boolean>> = {
  sent: sql`(l.state = 'delivered' or e.status in ('SENT', 'DELIVERED', 'DELIVERY_DELAYED', 'BOUNCED', 'COMPLAINED', 'OPENED', 'CLICKED'))`,
  delivered: sql`(l.state = 'delivered' or e.status in ('DELIVERED', 'COMPLAINED', 'OPENED', 'CLICKED'))`,
  opened: sql`v.opens > 0`,
  clicked: sql`v.clicks > 0`,
  bounced: sql`e.status = 'BOUNCED'`,
  complained: sql`e.status = 'COMPLAINED'`,
  unsubscribed: sql`(l.reason = 'unsubscribed' or (l.state <> 'skipped' and c.subscription = 'unsubscribed'))`,
  suppressed: sql`(l.reason = 'suppressed' or e.status = 'SUPPRESSED')`,
};

interface RecipientRow {
  key: Row<'campaign_recipients'>['address_key'];
  email: string;
  contact: Row<'campaign_recipients'>['contact_id'];
  opens: Row<'email_visits'>['opens'] | null;
  clicks: Row<'email_visits'>['clicks'] | null;
  bounceType: 'hard' | 'soft' | null;
  links: { url: string; clicks: number }[] | null;
}

const LINKS = sql`(
  select json_agg(json_build_object('url', url, 'clicks', clicks) order by url) from (
    select data->>'link' as url, count(*) as clicks from events
    where team_id = e.team_id and subject_id = e.id and type = 'email.clicked' and data->>'link' is not null
    group by 1 limit 100
  ) link)`;
const BOUNCE_TYPE = sql`(
  select data->>'bounceType' from events
  where team_id = e.team_id and subject_id = e.id and type = 'email.bounced' order by id desc limit 1)`;

export async function listRecipientsByOutcome(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  { outcome, email, ...page }: PageRequest & { outcome: RecipientOutcome; email?: string | undefined },
): Promise<Page<RecipientWithOutcome>> {
  const { id, teamId } = await findCampaign(db, caller, campaignId);
  const isBackward = page.before !== undefined;
  const cursor = page.before ?? page.cursor;
  const from = cursor === undefined ? sql`true` : fromKey(readRecipientCursor(cursor), isBackward);
  const ofAddress = email === undefined ? sql`true` : sql`l.address_key = ${parseAddress(email)?.key ?? ''}`;
  const { rows } = await sql<RecipientRow>`
    select l.address_key as key, coalesce(c.email, l.address_key) as email, l.contact_id as contact, v.opens, v.clicks,
      ${outcome === 'bounced' ? BOUNCE_TYPE : sql`null`} as "bounceType",
      ${outcome === 'clicked' ? LINKS : sql`null::json`} as links
    from campaign_recipients l
    left join contacts c on c.team_id = l.team_id and c.contact_book_id = l.contact_book_id and c.id = l.contact_id
      and c.email_key = l.address_key
    left join emails e on e.team_id = l.team_id and e.id = l.email_id
    left join email_visits v on v.team_id = l.team_id and v.email_id = l.email_id
    where l.team_id = ${teamId} and l.campaign_id = ${id} and ${OUTCOMES[outcome]} and ${from} and ${ofAddress}
    order by l.address_key ${isBackward ? sql`desc` : sql`asc`} limit ${page.limit + 1}
  `.execute(db);
  const items = rows.slice(0, page.limit).map((row) => present(row, outcome));
  const next_cursor = rows.length > page.limit ? items.at(-1)!.id : null;
  return { items: isBackward ? items.toReversed() : items, next_cursor };
}

function fromKey(key: string, isBackward: boolean): RawBuilder<boolean> {
  return isBackward ? sql`l.address_key < ${key}` : sql`l.address_key > ${key}`;
}

function present(row: RecipientRow, outcome: RecipientOutcome): RecipientWithOutcome {
  return {
    id: toRecipientCursor(row.key),
    contactId: encodeId('con', row.contact),
    email: row.email,
    count: (outcome === 'clicked' ? row.clicks : row.opens) ?? 0,
    bounceType: row.bounceType,
    links: row.links ?? [],
  };
}
