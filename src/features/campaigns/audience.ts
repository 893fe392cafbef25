/**
 * Whom a campaign goes to, fixed when it starts: subscribed, not suppressed, in its segment and topic and in none of
 * the segments it leaves out. Written down as the ledger, a chunk at a time, before the first of them is sent to.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { segmentCondition } from '../segments/segment-condition.ts';
import type { SegmentFilter } from '../segments/segment-filter.ts';
import { topicCondition } from '../topics/contact-topics.ts';
import type { CampaignRow } from './campaign-row.ts';

/** Small, because whoever wants to pause waits for it. */
const CHUNK = 10_000;

type Targets = Pick<CampaignRow, 'teamId' | 'contactBookIds' | 'segmentId' | 'excludeSegmentIds' | 'topicId'>;

export async function hasAudience(db: Db, campaign: Targets): Promise<boolean> {
  const condition = await audienceCondition(db, campaign);
  for (const book of campaign.contactBookIds) {
    const { rows } = await sql`
      select 1 from contacts c
      where c.team_id = ${campaign.teamId} and c.contact_book_id = ${book} and ${condition} limit 1
    `.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

/** How far the ledger is. */
interface Progress {
  id: string;
  audienceBook: number;
  audienceAfter: string;
}

/** Writes the next chunk down and moves on; the caller holds the campaign's row. True when it was the last one. */
export async function writeAudience(trx: Db, campaign: Targets & Progress): Promise<boolean> {
  const { teamId, id, contactBookIds, audienceBook, audienceAfter } = campaign;
  const book = contactBookIds[audienceBook]!;
  const condition = await audienceCondition(trx, campaign);
  const { rows } = await sql<{ seen: number; last: string | null; added: number }>`
    with chunk as materialized (
      select c.id, c.email_key, ${condition} as fits from contacts c
      where c.team_id = ${teamId} and c.contact_book_id = ${book} and c.email_key > ${audienceAfter}
      order by c.email_key limit ${CHUNK}
    ), added as (
      insert into campaign_recipients (team_id, campaign_id, address_key, contact_book_id, contact_id, state)
      select ${teamId}, ${id}, email_key, ${book}, id, 'pending' from chunk where fits
      on conflict do nothing returning 1
    )
    select (select count(*) from chunk) as seen, (select max(email_key) from chunk) as last,
      (select count(*) from added) as added
  `.execute(trx);
  const { seen, last, added } = rows[0]!;
  const isBookDone = seen < CHUNK;
  const isReady = isBookDone && audienceBook + 1 === contactBookIds.length;
  await sql`
    update campaigns set total = total + ${added},
      audience_book = ${isBookDone ? audienceBook + 1 : audienceBook},
      audience_after = ${isBookDone ? '' : last!},
      audience_ready = ${isReady}
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  return isReady;
}

/** Over contacts as `c`. Whoever asks has seen that its segments are there (`findProblem`). */
async function audienceCondition(db: Db, campaign: Targets): Promise<RawBuilder<boolean>> {
  const { teamId, segmentId, excludeSegmentIds, topicId } = campaign;
  const { rows: segments } = await sql<{ id: string; book: string; filter: SegmentFilter }>`
    select id, contact_book_id as book, filter from segments
    where team_id = ${teamId} and id = any(${[...excludeSegmentIds, ...(segmentId ? [segmentId] : [])]}::uuid[])
  `.execute(db);
  const conditions = [
    sql`c.subscription = 'subscribed'`,
    sql`not exists (
      select 1 from suppressions s where s.team_id = c.team_id and s.address_key = c.email_key
    )`,
  ];
  if (segmentId) {
    const segment = segments.find(({ id }) => id === segmentId);
    conditions.push(segment ? segmentCondition(segment.filter, 'c') : sql`false`);
  }
  for (const { book, filter } of segments.filter(({ id }) => excludeSegmentIds.includes(id))) {
    conditions.push(sql`not exists (
      select 1 from contacts x where x.team_id = c.team_id and x.contact_book_id = ${book}
        and x.email_key = c.email_key and ${segmentCondition(filter, 'x')}
    )`);
  }
  if (topicId) conditions.push(topicCondition(teamId, topicId, 'c'));
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
