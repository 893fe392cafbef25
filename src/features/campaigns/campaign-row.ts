/** The campaign row: how it is loaded for its owner and presented by the API. */
import { sql } from 'kysely';
import { keepToDomain } from '../api/bound-keys.ts';
import type { Db } from '../../platform/database/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../platform/pages.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import type { Caller } from '../api/caller.ts';
import type { Translations } from '../content/translations.ts';
import { presentCampaignState } from '../audience/campaign-use/record-campaign.ts';
import type { Campaign, CampaignListItem, CampaignStatus } from './campaigns.schema.ts';
import { bestHourOf } from './best-hour-setting.ts';
import type { FeedValues } from './feed-values.ts';
import { ratesOf, type CampaignCounts } from './rates.ts';
import { presentTest, type TestRow } from './variants.ts';

export type CampaignCaller = Pick<Caller, 'teamId' | 'domainIds'>;
export type CampaignAuthor = CampaignCaller & Pick<Caller, 'by'>;

export interface CampaignRow
  extends
    TestRow,
    CamelRow<
      'campaigns',
      | 'team_id'
      | 'id'
      | 'domain_id'
      | 'name'
      | 'sender'
      | 'subject'
      | 'preview_text'
      | 'html'
      | 'plain'
      | 'content'
      | 'reply_to'
      | 'contact_book_ids'
      | 'segment_id'
      | 'exclude_segment_ids'
      | 'topic_id'
      | 'exclude_campaign_id'
      | 'not_opened'
      | 'track_opens'
      | 'track_clicks'
      | 'status_reason'
      | 'scheduled_at'
      | 'batch_size'
      | 'rate_per_minute'
      | 'begun_at'
      | 'has_released'
      | 'show_in_archive'
      | 'total'
      | 'content_saved_at'
      | 'content_saved_by'
      | 'best_within_hours'
      | 'holdout_percent'
      | 'sent_at'
      | 'created_at'
      | 'updated_at'
    > {
  cc: Row<'campaigns'>['cc_addresses'];
  bcc: Row<'campaigns'>['bcc_addresses'];
  /** Taken from the campaign, or from its domain if the campaign does not set it. */
  opensTracked: boolean;
  clicksTracked: boolean;
  status: CampaignStatus;
  /** Written as 2026-11-15T09:00, in the time zone of each recipient. */
  localTime: Row<'campaigns'>['local_time'];
  translations: Translations | null;
  /** Null if the campaign was not made from a feed. */
  feed: FeedValues | null;
}

/** Whether opens and clicks are tracked: by the campaign's own setting, or by the setting of its domain. */
export const TRACKING = sql`
  coalesce(c.track_opens, (select open_tracking from domains d where d.team_id = c.team_id and d.id = c.domain_id), false)
    as "opensTracked",
  coalesce(c.track_clicks, (select click_tracking from domains d where d.team_id = c.team_id and d.id = c.domain_id),
    false) as "clicksTracked"`;

export const CAMPAIGN_COLUMNS = sql`
  c.team_id as "teamId", c.id, c.domain_id as "domainId", c.name, c.sender, c.subject, c.preview_text as "previewText",
  c.html, c.plain, c.content, c.translations, c.feed, c.reply_to as "replyTo", c.cc_addresses as cc, c.bcc_addresses as bcc,
  c.contact_book_ids as "contactBookIds", c.segment_id as "segmentId", c.exclude_segment_ids as "excludeSegmentIds",
  c.topic_id as "topicId", c.exclude_campaign_id as "excludeCampaignId", c.not_opened as "notOpened", ${TRACKING},
  c.track_opens as "trackOpens", c.track_clicks as "trackClicks", c.status,
  c.status_reason as "statusReason", c.scheduled_at as "scheduledAt", c.batch_size as "batchSize",
  c.rate_per_minute as "ratePerMinute", c.begun_at as "begunAt", c.has_released as "hasReleased", c.total, c.sent_at as "sentAt",
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.variants, c.test_percent as "testPercent",
  c.decide_by as "decideBy", c.decide_after_minutes as "decideAfterMinutes", c.test_sent_at as "testSentAt",
  c.winner, c.decided_at as "decidedAt", c.local_time as "localTime",
  c.best_within_hours as "bestWithinHours", c.holdout_percent as "holdoutPercent",
  c.show_in_archive as "showInArchive", c.content_saved_at as "contentSavedAt",
  c.content_saved_by as "contentSavedBy"`;

/** With `locked`, the row stays locked until the transaction ends. */
export async function findCampaign(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  lock: 'unlocked' | 'locked' = 'unlocked',
): Promise<CampaignRow> {
  const id = decodeId('cmp', campaignId);
  const { rows } = await sql<CampaignRow>`
    select ${CAMPAIGN_COLUMNS} from campaigns c
    where c.team_id = ${caller.teamId} and c.id = ${id} and c.deleted_at is null
    ${lock === 'locked' ? sql`for update` : sql``}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Campaign');
  keepToDomain(caller, row.domainId);
  return row;
}

/** Sums the counter slots that writers update. */
export const COUNTS = sql`
  (select coalesce(sum(sent), 0)::int8 as sent, coalesce(sum(delivered), 0)::int8 as delivered,
    coalesce(sum(opened), 0)::int8 as opened, coalesce(sum(clicked), 0)::int8 as clicked,
    coalesce(sum(bounced), 0)::int8 as bounced, coalesce(sum(hard_bounced), 0)::int8 as "hardBounced",
    coalesce(sum(complained), 0)::int8 as complained, coalesce(sum(unsubscribed), 0)::int8 as unsubscribed
  from campaign_counts s where s.team_id = c.team_id and s.campaign_id = c.id)`;

export async function readCounts(
  db: Db,
  { teamId, id }: Pick<CampaignRow, 'teamId' | 'id'>,
): Promise<CampaignCounts> {
  const { rows } = await sql<CampaignCounts>`
    select n.* from campaigns c cross join lateral ${COUNTS} n where c.team_id = ${teamId} and c.id = ${id}
  `.execute(db);
  return rows[0]!;
}

export async function presentCampaign(db: Db, row: CampaignRow): Promise<Campaign> {
  const counts = await readCounts(db, row);
  return {
    ...presentListItem({ ...row, ...counts }),
    hardBounced: counts.hardBounced,
    statusReason: row.statusReason,
    editable: canBeChanged(row),
    previewText: row.previewText,
    html: row.html,
    text: row.plain,
    content: row.content,
    translations: row.translations,
    contactBookIds: row.contactBookIds.map((id) => encodeId('cbk', id)),
    excludeSegmentIds: row.excludeSegmentIds.map((id) => encodeId('seg', id)),
    excludeCampaignId: row.excludeCampaignId && encodeId('cmp', row.excludeCampaignId),
    notOpened: row.notOpened,
    batchSize: row.batchSize,
    batchWindowMinutes: 0,
    ratePerMinute: row.ratePerMinute,
    tracking: { opens: row.trackOpens, clicks: row.trackClicks },
    replyTo: row.replyTo,
    cc: row.cc,
    bcc: row.bcc,
    startedAt: row.begunAt?.toISOString() ?? null,
    sentAt: row.sentAt?.toISOString() ?? null,
    localTime: row.localTime,
    bestHour: bestHourOf(row),
    showInArchive: row.showInArchive,
    contentSavedAt: row.contentSavedAt.toISOString(),
    ...presentTest(row),
  };
}

/** If anything was counted, it was tracked, even if the settings have changed since then. */
export function trackedOf(
  { opensTracked, clicksTracked }: Pick<CampaignRow, 'opensTracked' | 'clicksTracked'>,
  { opened, clicked }: Pick<CampaignCounts, 'opened' | 'clicked'>,
) {
  return { opens: opensTracked || opened > 0, clicks: clicksTracked || clicked > 0 };
}

/** A campaign can be changed until its first recipient is released, but not while it is running. */
export function canBeChanged({ status, hasReleased }: CampaignRow): boolean {
  return status === 'DRAFT' || ((status === 'SCHEDULED' || status === 'PAUSED') && !hasReleased);
}

type ListRow = Pick<
  CampaignRow,
  'id' | 'name' | 'sender' | 'subject' | 'status' | 'scheduledAt' | 'total' | 'createdAt' | 'updatedAt'
> &
  Pick<CampaignRow, 'contactBookIds' | 'topicId' | 'segmentId' | 'opensTracked' | 'clicksTracked'> &
  CampaignCounts;

function presentListItem(row: ListRow): CampaignListItem {
  return {
    id: encodeId('cmp', row.id),
    ...presentCampaignState(row),
    from: row.sender,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    delivered: row.delivered,
    opened: row.opened,
    clicked: row.clicked,
    bounced: row.bounced,
    complained: row.complained,
    unsubscribed: row.unsubscribed,
    rates: ratesOf(row),
    tracked: trackedOf(row, row),
    contactBookId: row.contactBookIds[0] ? encodeId('cbk', row.contactBookIds[0]) : null,
    topicId: row.topicId && encodeId('top', row.topicId),
    segmentId: row.segmentId && encodeId('seg', row.segmentId),
  };
}

const LIST_COLUMNS = sql`
  c.id, c.name, c.sender, c.subject, c.status, c.scheduled_at as "scheduledAt", c.total,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.contact_book_ids as "contactBookIds",
  c.topic_id as "topicId", c.segment_id as "segmentId", ${TRACKING}, n.*`;

/** Lists the newest first, page by page along the IDs. */
export async function listCampaignsFrom(
  db: Db,
  { teamId, domainIds }: CampaignCaller,
  page: PageRequest,
): Promise<Page<CampaignListItem & { sentAt: string | null }>> {
  const start = readPageStart('cmp', page);
  const ofDomain = domainIds === null ? sql`true` : sql`c.domain_id = any (${domainIds}::integer[])`;
  const { rows } = await sql<ListRow & Pick<CampaignRow, 'sentAt'>>`
    select ${LIST_COLUMNS}, c.sent_at as "sentAt" from campaigns c cross join lateral ${COUNTS} n
    where c.team_id = ${teamId} and c.deleted_at is null and ${ofDomain} and ${fromStart(start, 'c.id')}
    order by c.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, (row) => ({
    ...presentListItem(row),
    sentAt: row.sentAt?.toISOString() ?? null,
  }));
}

const PAGE_SIZE = 30;

/** Pages by number because lists of campaigns are short and the web links to any page. */
export async function listCampaigns(
  db: Db,
  caller: CampaignCaller,
  {
    page,
    status,
    search,
  }: { page: number; status?: CampaignStatus | undefined; search?: string | undefined },
): Promise<{ campaigns: CampaignListItem[]; totalPage: number }> {
  const conditions = [sql`c.team_id = ${caller.teamId}`, sql`c.deleted_at is null`];
  if (caller.domainIds !== null) conditions.push(sql`c.domain_id = any (${caller.domainIds}::integer[])`);
  if (status) conditions.push(sql`c.status = ${status}`);
  const words = search?.trim().toLowerCase();
  if (words) conditions.push(sql`strpos(lower(c.name || chr(10) || c.subject), ${words}) > 0`);
  const where = sql.join(conditions, sql` and `);
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) from campaigns c where ${where}
  `.execute(db);
  const { rows } = await sql<ListRow>`
    select ${LIST_COLUMNS} from campaigns c cross join lateral ${COUNTS} n
    where ${where} order by c.id desc limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}::bigint
  `.execute(db);
  return { campaigns: rows.map(presentListItem), totalPage: Math.ceil(counted[0]!.count / PAGE_SIZE) };
}
