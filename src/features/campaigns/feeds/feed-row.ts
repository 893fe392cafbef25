import { sql } from 'kysely';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { Feed } from './feeds.schema.ts';

export type FeedRow = CamelRow<
  'feeds',
  | 'team_id'
  | 'id'
  | 'url'
  | 'contact_book_id'
  | 'template_id'
  | 'sender'
  | 'mode'
  | 'weekdays'
  | 'at_time'
  | 'time_zone'
  | 'min_items'
  | 'max_items'
  | 'review'
  | 'status'
  | 'title'
  | 'etag'
  | 'last_modified'
  | 'seeded_at'
  | 'next_issue_at'
  | 'last_checked_at'
  | 'error'
  | 'created_by'
  | 'created_at'
  | 'updated_at'
> & { waiting: number };

export const FEED_COLUMNS = sql`
  f.team_id as "teamId", f.id, f.url, f.contact_book_id as "contactBookId", f.template_id as "templateId", f.sender,
  f.mode, f.weekdays, f.at_time as "atTime", f.time_zone as "timeZone", f.min_items as "minItems",
  f.max_items as "maxItems", f.review, f.status, f.title, f.etag, f.last_modified as "lastModified",
  f.seeded_at as "seededAt", f.next_issue_at as "nextIssueAt", f.last_checked_at as "lastCheckedAt", f.error,
  f.created_by as "createdBy", f.created_at as "createdAt", f.updated_at as "updatedAt",
  (select count(*)::integer from feed_items i where i.team_id = f.team_id and i.feed_id = f.id and i.item is not null)
    as waiting`;

export function presentFeed(row: FeedRow): Feed {
  const { atTime, timeZone, weekdays } = row;
  return {
    id: encodeId('fed', row.id),
    url: row.url,
    title: row.title,
    contactBookId: encodeId('cbk', row.contactBookId),
    templateId: encodeId('tpl', row.templateId),
    from: row.sender,
    mode: row.mode,
    schedule: atTime && timeZone ? { weekdays, at: atTime, timezone: timeZone } : null,
    minItems: row.minItems,
    maxItems: row.maxItems,
    review: row.review,
    status: row.status,
    lastCheckedAt: row.lastCheckedAt?.toISOString() ?? null,
    nextIssueAt: row.nextIssueAt?.toISOString() ?? null,
    waiting: row.waiting,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
