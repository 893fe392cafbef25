/**
 * Lists the recipients of a campaign by address, each with its state and the reason. States that few recipients have
 * are read from a table of only those, so that a page does not read the whole ledger.
 */
import { sql, type RawBuilder } from 'kysely';
import { isInBook } from '../../audience/contact-books/deleted-books.ts';
import { SEARCHED_NAMES } from '../../audience/own-fields/own-columns.ts';
import { escapeLike, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Page } from '../../../platform/pages.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { FIRST_TRIED_AT } from '../../sending/counters/count-columns.ts';
import { findCampaign, type CampaignCaller, type CampaignRow } from '../campaign-row.ts';
import type {
  ListedRecipient,
  RecipientFilters,
  RecipientQuery,
  RecipientState,
} from './recipients.schema.ts';

interface RecipientRow extends CamelRow<'emails', 'opened_at' | 'clicked_at'> {
  email: string;
  key: string;
  book: string;
  contact: string;
  state: RecipientState;
  reason: ListedRecipient['reason'];
  class: ListedRecipient['class'];
  emailId: string | null;
  status: Row<'emails'>['status'] | null;
  variant: number | null;
  dueAt: Date | null;
}

export async function listRecipients(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  { limit, cursor, ...filters }: RecipientQuery,
): Promise<Page<ListedRecipient>> {
  const campaign = await findCampaign(db, caller, campaignId);
  const after = cursor === undefined ? '' : readRecipientCursor(cursor);
  const page = await readRecipients(db, campaign, filters, { after, limit });
  return { items: page.items, next_cursor: page.last === null ? null : toRecipientCursor(page.last) };
}

type ListedCampaign = Pick<CampaignRow, 'teamId' | 'id' | 'contactBookIds'>;

/** `last` is the address after which the next page begins; null at the end. */
export async function readRecipients(
  db: Db,
  { teamId, id, contactBookIds }: ListedCampaign,
  { state, search }: RecipientFilters,
  { after, limit }: { after: string; limit: number },
): Promise<{ items: ListedRecipient[]; last: string | null }> {
  const { rows } = await sql<RecipientRow>`
    with ledger as materialized (
      select l.* from ${sourceOf(state, { teamId, id, after, limit, isSearch: Boolean(search?.trim()) })}
      where l.team_id = ${teamId} and l.campaign_id = ${id} and l.address_key > ${after} and ${hasAudience(teamId, id)}
        and ${state ? CONDITIONS[state] : sql`true`} and ${searchCondition(search, teamId, contactBookIds)}
      order by l.address_key limit ${limit + 1}
    )
    select l.address_key as key, coalesce(c.email, l.address_key) as email, l.contact_book_id as book,
      l.contact_id as contact, ${STATE} as state, l.email_id as "emailId",
      case l.state when 'delivered' then 'DELIVERED' else e.status end as status, e.opened_at as "openedAt",
      e.clicked_at as "clickedAt", l.variant, l.due_at as "dueAt",
      coalesce(l.reason, case when ${IS_DROPPED} then 'dropped' when r.status = 'BOUNCED' then bounce.reason end) as reason,
      case when r.status = 'BOUNCED' then bounce.class end as class
    from ledger l
    left join contacts c on c.team_id = l.team_id and c.contact_book_id = l.contact_book_id and c.id = l.contact_id
      and c.email_key = l.address_key
    left join emails e on e.team_id = l.team_id and e.id = l.email_id
    left join email_recipients r on r.team_id = l.team_id and r.email_id = l.email_id and r.no = 0
    left join campaign_results bounce on bounce.team_id = l.team_id and bounce.campaign_id = l.campaign_id
      and bounce.result = 'bounced' and bounce.address_key = l.address_key
    left join campaign_results left_by on left_by.team_id = l.team_id and left_by.campaign_id = l.campaign_id
      and left_by.result = 'unsubscribed' and left_by.address_key = l.address_key
    order by l.address_key
  `.execute(db);
  const shown = rows.slice(0, limit);
  return { items: shown.map(present), last: rows.length > limit ? shown.at(-1)!.key : null };
}

/** Until the first chunk of the audience is written, the batches may be those of a discarded one. */
function hasAudience(teamId: number, id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from campaigns where team_id = ${teamId} and id = ${id}
      and (audience_ready or audience_book > 0 or audience_after <> '')
  )`;
}

const TRIED_AT = sql.raw(FIRST_TRIED_AT);

/** Someone removed the delivery from the queue before its first attempt. */
const IS_DROPPED = sql<boolean>`(${TRIED_AT} is null and e.status in ('FAILED', 'SUPPRESSED'))`;

/** This is the status of the recipient, not of the email, which depends on its copies too. */
const STATE = sql<RecipientState>`case
  when l.state = 'skipped' or ${IS_DROPPED} then 'skipped'
  when l.state = 'delivered' then case when left_by.address_key is null then 'delivered' else 'unsubscribed' end
  when ${TRIED_AT} is null then 'waiting'
  when r.status = 'COMPLAINED' then 'complained'
  when r.status = 'BOUNCED' then 'bounced'
  when left_by.address_key is not null then 'unsubscribed'
  when e.clicked_at is not null then 'clicked'
  when e.opened_at is not null then 'opened'
  when r.status = 'DELIVERED' then 'delivered'
  else 'sent'
end`;

const CONDITIONS: Record<RecipientState, RawBuilder<boolean>> = {
  waiting: sql`true`,
  sent: sql`(l.state = 'delivered' or ${TRIED_AT} is not null)`,
  delivered: sql`(l.state = 'delivered' or r.status in ('DELIVERED', 'COMPLAINED'))`,
  opened: sql`true`,
  clicked: sql`true`,
  bounced: sql`true`,
  complained: sql`true`,
  unsubscribed: sql`true`,
  skipped: sql`(l.state = 'skipped' or ${IS_DROPPED})`,
};

interface Listed {
  teamId: number;
  id: string;
  after: string;
  limit: number;
  isSearch: boolean;
}

/** The recipients as `l`, joined with the tables that the condition of the state reads. */
function sourceOf(state: RecipientState | undefined, listed: Listed): RawBuilder<unknown> {
  const { teamId, id, after, limit } = listed;
  switch (state) {
    case undefined: {
      const handled = sql`(
        select ${LEDGER} from campaign_recipients
        where team_id = ${teamId} and campaign_id = ${id} and address_key > ${after}
        order by address_key ${listed.isSearch ? sql`` : sql`limit ${limit + 1}`}
      )`;
      return sql`(${handled} union all ${inBatches(listed)}) l`;
    }
    case 'waiting':
      return sql`(${inBatches(listed)} union all ${inQueue(teamId, id)}) l`;
    case 'sent':
    case 'skipped':
      return sql`campaign_recipients l left join emails e on e.team_id = l.team_id and e.id = l.email_id`;
    case 'delivered':
      return sql`campaign_recipients l
        left join email_recipients r on r.team_id = l.team_id and r.email_id = l.email_id and r.no = 0`;
    default:
      return sql`campaign_results found join campaign_recipients l on l.team_id = found.team_id
        and l.campaign_id = found.campaign_id and l.address_key = found.address_key
        and found.team_id = ${teamId} and found.campaign_id = ${id} and found.result = ${state}
        and found.address_key > ${after}`;
  }
}

const LEDGER = sql`team_id, campaign_id, address_key, contact_book_id, contact_id, state, reason, email_id, variant, due_at`;

/** How many batches are read to find the last address of a page. */
const NEAR_BATCHES = 20;

/**
 * Recipients that are in no ledger yet. A page reads only the batches that begin before its last address, unless a search
 * has to look at all of them.
 */
function inBatches({ teamId, id, after, limit, isSearch }: Listed): RawBuilder<unknown> {
  const isOfCampaign = sql`b.team_id = ${teamId} and b.campaign_id = ${id} and b.last_key > ${after}`;
  const isWaiting = sql`w.address_key > ${after} and not exists (
    select from campaign_recipients l
    where l.team_id = ${teamId} and l.campaign_id = ${id} and l.address_key = w.address_key
  )`;
  const lastOfPage = sql`(
    select w.address_key from (
      select address_keys from campaign_batches b where ${isOfCampaign} order by first_key limit ${NEAR_BATCHES}
    ) b cross join unnest(b.address_keys) as w (address_key)
    where ${isWaiting} order by 1 offset ${limit} limit 1
  )`;
  const isNear = isSearch ? sql`true` : sql`b.first_key <= coalesce(${lastOfPage}, b.first_key)`;
  return sql`
    select b.team_id, b.campaign_id, w.address_key, b.contact_book_id, w.contact_id, 'waiting' as state, null as reason,
      null::uuid as email_id, b.variant, b.due_at
    from campaign_batches b cross join unnest(b.contact_ids, b.address_keys) as w (contact_id, address_key)
    where ${isOfCampaign} and ${isNear} and ${isWaiting}`;
}

/** Recipients whose emails are in the queue and were not tried. */
function inQueue(teamId: number, id: string): RawBuilder<unknown> {
  return sql`
    select ${LEDGER} from (
      select l.* from deliveries d
      join email_recipients r on r.team_id = d.team_id and r.email_id = d.email_id and r.no = d.recipient_no
      join campaign_recipients l on l.team_id = d.team_id and l.campaign_id = d.campaign_id
        and l.address_key = r.address_key
      where d.team_id = ${teamId} and d.campaign_id = ${id} and d.attempts = 0 and d.recipient_no = 0
    ) queued`;
}

/** Contacts with a matching name are found once instead of for each recipient. */
function searchCondition(search: string | undefined, teamId: number, bookIds: string[]): RawBuilder<boolean> {
  const words = search?.trim().toLowerCase();
  if (!words) return sql`true`;
  const pattern = `%${escapeLike(words)}%`;
  return sql<boolean>`(l.address_key like ${pattern} or l.contact_id in (
    select c.id from contacts c
    where c.team_id = ${teamId} and c.contact_book_id = any(${bookIds}::uuid[]) and ${isInBook('c')}
      and ${SEARCHED_NAMES} like ${pattern}
  ))`;
}

/** A list of recipients continues after an address. */
export function toRecipientCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

export function readRecipientCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (Buffer.from(key).toString('base64url') !== cursor || key.includes('\0')) {
    throw badRequest('The cursor is not valid for this list.');
  }
  return key;
}

function present(row: RecipientRow): ListedRecipient {
  return {
    email: row.email,
    contactBookId: encodeId('cbk', row.book),
    contactId: encodeId('con', row.contact),
    state: row.state,
    reason: row.reason,
    class: row.class,
    emailId: row.emailId && encodeId('eml', row.emailId),
    status: row.status,
    openedAt: row.openedAt?.toISOString() ?? null,
    clickedAt: row.clickedAt?.toISOString() ?? null,
    variant: row.variant,
    dueAt: row.dueAt?.toISOString() ?? null,
  };
}
