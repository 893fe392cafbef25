/** A campaign as it is stored, found through its owner, and as it goes out. */
import { sql } from 'kysely';
import { keepToDomain } from '../../platform/bound-keys.ts';
import type { Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import type { Campaign, CampaignListItem, CampaignStatus } from './campaigns.schema.ts';

export type Asking = Pick<Caller, 'teamId' | 'domainId'>;

export interface CampaignRow {
  teamId: number;
  id: string;
  domainId: number;
  name: string;
  sender: string;
  subject: string;
  previewText: string | null;
  html: string | null;
  content: string | null;
  replyTo: string[];
  cc: string[];
  bcc: string[];
  contactBookIds: string[];
  segmentId: string | null;
  excludeSegmentIds: string[];
  topicId: string | null;
  trackOpens: boolean | null;
  trackClicks: boolean | null;
  status: CampaignStatus;
  statusReason: string | null;
  scheduledAt: Date | null;
  batchSize: number;
  ratePerMinute: number | null;
  begunAt: Date | null;
  /** Whether somebody of its audience had their turn: from then on it is the same for everybody. */
  hasReleased: boolean;
  total: number;
  sentAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export const CAMPAIGN_COLUMNS = sql`
  c.team_id as "teamId", c.id, c.domain_id as "domainId", c.name, c.sender, c.subject, c.preview_text as "previewText",
  c.html, c.content, c.reply_to as "replyTo", c.cc_addresses as cc, c.bcc_addresses as bcc,
  c.contact_book_ids as "contactBookIds", c.segment_id as "segmentId", c.exclude_segment_ids as "excludeSegmentIds",
  c.topic_id as "topicId", c.track_opens as "trackOpens", c.track_clicks as "trackClicks", c.status,
  c.status_reason as "statusReason", c.scheduled_at as "scheduledAt", c.batch_size as "batchSize",
  c.rate_per_minute as "ratePerMinute", c.begun_at as "begunAt", c.released_to <> '' as "hasReleased", c.total, c.sent_at as "sentAt",
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

/** With `lock`, nobody else changes it before the transaction ends. */
export async function findCampaign(
  db: Db,
  caller: Asking,
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

interface Counts {
  sent: number;
  delivered: number;
  opened: number;
  clicked: number;
  bounced: number;
  hardBounced: number;
  complained: number;
  unsubscribed: number;
}

/** Summed over the slots that writers move. */
const COUNTS = sql`
  (select coalesce(sum(sent), 0)::int8 as sent, coalesce(sum(delivered), 0)::int8 as delivered,
    coalesce(sum(opened), 0)::int8 as opened, coalesce(sum(clicked), 0)::int8 as clicked,
    coalesce(sum(bounced), 0)::int8 as bounced, coalesce(sum(hard_bounced), 0)::int8 as "hardBounced",
    coalesce(sum(complained), 0)::int8 as complained, coalesce(sum(unsubscribed), 0)::int8 as unsubscribed
  from campaign_counts s where s.team_id = c.team_id and s.campaign_id = c.id)`;

export async function presentCampaign(db: Db, row: CampaignRow): Promise<Campaign> {
  const { rows } = await sql<Counts>`
    select n.* from campaigns c cross join lateral ${COUNTS} n where c.team_id = ${row.teamId} and c.id = ${row.id}
  `.execute(db);
  const counts = rows[0]!;
  return {
    ...presentListItem({ ...row, ...counts }),
    ...counts,
    statusReason: row.statusReason,
    editable: canBeChanged(row),
    previewText: row.previewText,
    html: row.html,
    content: row.content,
    contactBookIds: row.contactBookIds.map((id) => encodeId('cbk', id)),
    excludeSegmentIds: row.excludeSegmentIds.map((id) => encodeId('seg', id)),
    batchSize: row.batchSize,
    batchWindowMinutes: 0,
    ratePerMinute: row.ratePerMinute,
    tracking: { opens: row.trackOpens, clicks: row.trackClicks },
    replyTo: row.replyTo,
    cc: row.cc,
    bcc: row.bcc,
    startedAt: row.begunAt?.toISOString() ?? null,
    sentAt: row.sentAt?.toISOString() ?? null,
  };
}

/** Until the first of its audience had their turn, and not while it runs. */
export function canBeChanged({ status, hasReleased }: CampaignRow): boolean {
  return status === 'DRAFT' || ((status === 'SCHEDULED' || status === 'PAUSED') && !hasReleased);
}

type ListRow = Pick<
  CampaignRow,
  'id' | 'name' | 'sender' | 'subject' | 'status' | 'scheduledAt' | 'total' | 'createdAt' | 'updatedAt'
> &
  Pick<CampaignRow, 'contactBookIds' | 'topicId' | 'segmentId'> &
  Pick<Counts, 'sent' | 'delivered' | 'unsubscribed'>;

function presentListItem(row: ListRow): CampaignListItem {
  return {
    id: encodeId('cmp', row.id),
    name: row.name,
    from: row.sender,
    subject: row.subject,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    status: row.status,
    scheduledAt: row.scheduledAt?.toISOString() ?? null,
    total: row.total,
    sent: row.sent,
    delivered: row.delivered,
    unsubscribed: row.unsubscribed,
    contactBookId: row.contactBookIds[0] ? encodeId('cbk', row.contactBookIds[0]) : null,
    topicId: row.topicId && encodeId('top', row.topicId),
    segmentId: row.segmentId && encodeId('seg', row.segmentId),
  };
}

const PAGE_SIZE = 30;

/** A page by its number: lists of campaigns are short, and their readers jump. */
export async function listCampaigns(
  db: Db,
  caller: Asking,
  {
    page,
    status,
    search,
  }: { page: number; status?: CampaignStatus | undefined; search?: string | undefined },
): Promise<{ campaigns: CampaignListItem[]; totalPage: number }> {
  const conditions = [sql`c.team_id = ${caller.teamId}`, sql`c.deleted_at is null`];
  if (caller.domainId !== null) conditions.push(sql`c.domain_id = ${caller.domainId}`);
  if (status) conditions.push(sql`c.status = ${status}`);
  const words = search?.trim().toLowerCase();
  if (words) conditions.push(sql`strpos(lower(c.name || chr(10) || c.subject), ${words}) > 0`);
  const where = sql.join(conditions, sql` and `);
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) from campaigns c where ${where}
  `.execute(db);
  const { rows } = await sql<ListRow>`
    select c.id, c.name, c.sender, c.subject, c.status, c.scheduled_at as "scheduledAt", c.total,
      c.created_at as "createdAt", c.updated_at as "updatedAt", c.contact_book_ids as "contactBookIds",
      c.topic_id as "topicId", c.segment_id as "segmentId", n.sent, n.delivered, n.unsubscribed
    from campaigns c cross join lateral ${COUNTS} n
    where ${where} order by c.id desc limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}::bigint
  `.execute(db);
  return { campaigns: rows.map(presentListItem), totalPage: Math.ceil(counted[0]!.count / PAGE_SIZE) };
}
