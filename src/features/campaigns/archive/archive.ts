/**
 * The public archive of a contact book: its sent campaigns with `showInArchive`, newest first. Visitors belong to no
 * team: anyone who knows the ID of the book may read its archive while it is enabled.
 */
import { sql } from 'kysely';
import { compileText } from '../../../mail/mime/compose/message-template.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { ContactSource } from '../../audience/contacts/upsert-contacts.ts';
import { readFeedValue, type FeedValues } from '../feed-values.ts';

export interface Archive extends CamelRow<
  'contact_books',
  'team_id' | 'time_zone' | 'double_opt_in_enabled'
> {
  /** The ID of the book. */
  id: string;
  contactBookId: Row<'contact_books'>['id'];
  title: string;
  description: Row<'contact_books'>['archive_description'];
  isIndexed: Row<'contact_books'>['archive_indexed'];
}

export interface ArchivedCampaign {
  id: string;
  subject: string;
  previewText: string | null;
  sentAt: Date;
}

export async function findArchive(db: Db, contactBookId: string): Promise<Archive | undefined> {
  const id = decodeId('cbk', contactBookId);
  if (id === null) return undefined;
  const { rows } = await sql<Omit<Archive, 'id'>>`
    select id as "contactBookId", double_opt_in_enabled as "doubleOptInEnabled", team_id as "teamId", coalesce(archive_title, name) as title, archive_description as description,
      archive_indexed as "isIndexed", time_zone as "timeZone"
    from contact_books where id = ${id} and archive_enabled
  `.execute(db);
  return rows[0] && { ...rows[0], id: encodeId('cbk', id) };
}

/** Where someone comes from who signs up on a page of the archive: by the link of a contact, or by an email of it. */
export async function findArchiveSource(
  db: Db,
  archive: Archive,
  { referrer, campaignId, addressKey }: { referrer: string; campaignId: string; addressKey: string },
): Promise<ContactSource> {
  const { teamId, contactBookId, id } = archive;
  const { rows } = await sql`
    select 1 from contacts where team_id = ${teamId} and contact_book_id = ${contactBookId}
      and id = ${decodeId('con', referrer)} and email_key <> ${addressKey}
  `.execute(db);
  if (rows.length > 0) return { source: 'referral', id: referrer };
  const campaign = await findArchivedCampaign(db, archive, campaignId);
  return { source: 'archive', id: campaign?.id ?? id };
}

/** Lists the campaigns that are older than `before`, the ID of a campaign. */
export async function listArchivedCampaigns(
  db: Db,
  archive: Archive,
  { before, limit }: { before: string | null; limit: number },
): Promise<{ campaigns: ArchivedCampaign[]; hasMore: boolean }> {
  const last = before === null ? null : decodeId('cmp', before);
  const isOlder =
    last === null
      ? sql`true`
      : sql`(c.sent_at, c.id) < (select o.sent_at, o.id from campaigns o where o.team_id = ${archive.teamId} and o.id = ${last})`;
  const { rows } = await sql<ArchivedRow>`
    select ${ARCHIVED_COLUMNS} from campaigns c
    where ${isArchived(archive)} and ${isOlder} order by c.sent_at desc, c.id desc limit ${limit + 1}
  `.execute(db);
  return { campaigns: rows.slice(0, limit).map(present), hasMore: rows.length > limit };
}

export async function findArchivedCampaign(
  db: Db,
  archive: Archive,
  campaignId: string,
): Promise<ArchivedCampaign | undefined> {
  const { rows } = await sql<ArchivedRow>`
    select ${ARCHIVED_COLUMNS} from campaigns c where ${isArchived(archive)} and c.id = ${decodeId('cmp', campaignId)}
  `.execute(db);
  return rows[0] && present(rows[0]);
}

type ArchivedRow = Row<'campaigns', 'id' | 'subject'> & {
  previewText: string | null;
  feed: FeedValues | null;
  sentAt: NonNullable<Row<'campaigns'>['sent_at']>;
};

/** For an A/B test the archive has the winner, or the first variant when all recipients were in the test. */
const VARIANT = sql`c.variants -> coalesce(c.winner, 0)::integer`;
const ARCHIVED_COLUMNS = sql`
  c.id, coalesce(${VARIANT} ->> 'subject', c.subject) as subject,
  coalesce(${VARIANT} ->> 'previewText', c.preview_text) as "previewText", c.feed,
  c.sent_at as "sentAt"`;

function isArchived({ teamId, id }: Archive) {
  return sql<boolean>`c.team_id = ${teamId} and c.show_in_archive and c.status = 'SENT' and c.sent_at is not null
    and c.deleted_at is null and ${decodeId('cbk', id)} = any(c.contact_book_ids)`;
}

function present({ id, subject, previewText, feed, sentAt }: ArchivedRow): ArchivedCampaign {
  return {
    id: encodeId('cmp', id),
    subject: fillFallbacks(subject, feed),
    previewText: previewText && fillFallbacks(previewText, feed),
    sentAt,
  };
}

/** Fills in what a feed has, and the fallbacks of other merge tags. */
function fillFallbacks(text: string, feed: FeedValues | null): string {
  return compileText(text, 'plain', (name) => () => readFeedValue(feed, name))(null);
}
