/**
 * The recipients of a campaign are determined when it starts: subscribed contacts that are not suppressed, match its
 * segment and topic, and match no excluded segment or campaign. They are written in batches before the first email is
 * sent (campaign_batches).
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { ledgerCondition } from '../audience/segments/campaign-condition.ts';
import { propertyText, segmentCondition } from '../audience/segments/segment-condition.ts';
import type { SegmentFilter } from '../audience/segments/segment-filter.ts';
import { topicCondition } from '../audience/segments/topic-condition.ts';
import { bestTimes, bookHours } from './best-hour.ts';
import type { CampaignRow } from './campaign-row.ts';

/** Kept small because a request that pauses the campaign waits for the current chunk. */
const CHUNK = 20_000;
/** How many recipients a process takes at a time. They are in one row until they are sent. */
const BATCH = 500;

/** The property of a contact with the IANA name of its time zone. */
const ZONE_PROPERTY = 'timezone';

export type Targets = Pick<
  CampaignRow,
  | 'teamId'
  | 'contactBookIds'
  | 'segmentId'
  | 'excludeSegmentIds'
  | 'topicId'
  | 'excludeCampaignId'
  | 'notOpened'
>;

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

/** How much of the audience is written. */
interface Progress extends Pick<
  CampaignRow,
  'variants' | 'testPercent' | 'total' | 'localTime' | 'begunAt' | 'bestWithinHours' | 'holdoutPercent'
> {
  id: string;
  audienceBook: number;
  audienceAfter: string;
}

/**
 * Removes a chunk of a discarded audience (`discardAudience`), and returns true while there may be more. Before the
 * first chunk is written, all batches belong to an earlier audience.
 */
export async function clearDiscarded(
  trx: Db,
  {
    teamId,
    id,
    audienceBook,
    audienceAfter,
  }: Pick<Targets & Progress, 'teamId' | 'id' | 'audienceBook' | 'audienceAfter'>,
): Promise<boolean> {
  if (audienceBook > 0 || audienceAfter !== '') return false;
  const { numAffectedRows = 0n } = await sql`
    delete from campaign_batches where team_id = ${teamId} and campaign_id = ${id}
  `.execute(trx);
  return numAffectedRows > 0n;
}

/**
 * Writes the batches of the next chunk of contacts and returns true after the last one. The caller must hold the lock on
 * the campaign row. The steps of the first statement, by their names in it:
 *
 *   zones    the names of time zones, for campaigns that are sent at a local time
 *   book_hours  how much of the visits of the book fall on each hour, for campaigns with a best hour
 *   chunk    the next contacts of the book in the order of their addresses, and whether they are in the audience
 *   earlier  the addresses of the batches of other books between the first and the last address of the chunk
 *   fresh    those in the audience whose address is in no batch yet; `position` counts over all chunks
 *   planned  the recipients, with their variant and their time
 *   batch    groups of recipients with the same variant and the same time
 */
export async function writeAudience(trx: Db, campaign: Targets & Progress): Promise<boolean> {
  const { teamId, id, contactBookIds, audienceBook, audienceAfter } = campaign;
  const count = campaign.variants?.length ?? null;
  const book = contactBookIds[audienceBook]!;
  const condition = await audienceCondition(trx, campaign);
  const zone =
    campaign.localTime === null
      ? sql`null`
      : propertyText({ teamId, bookKey: book }, sql`c.properties`, ZONE_PROPERTY);
  const { rows } = await sql<{ seen: number; last: string | null; added: number }>`
    with zones as materialized (
      select lower(name) as key, min(name) as name from pg_timezone_names
      where ${campaign.localTime !== null} and name !~ '^(posix/|right/|localtime$|posixrules$|Factory$)' group by 1
    ), chunk as materialized (
      select c.id, c.email_key, ${zone} as zone, ${condition} as matches from contacts c
      where c.team_id = ${teamId} and c.contact_book_id = ${book} and c.email_key > ${audienceAfter}
      order by c.email_key limit ${CHUNK}
    ), book_hours as materialized (
      ${bookHours(teamId, book)}
    ), earlier as materialized (
      select key from campaign_batches b cross join unnest(b.address_keys) as key
      where ${audienceBook > 0} and b.team_id = ${teamId} and b.campaign_id = ${id} and b.contact_book_id <> ${book}
        and b.first_key <= (select max(email_key) from chunk) and b.last_key > ${audienceAfter}
    ), fresh as (
      select id, email_key, zone, ${campaign.total}::bigint + row_number() over (order by email_key) - 1 as position
      from chunk where matches and email_key not in (select key from earlier)
    ), planned as (
      select id, email_key, position, ${variantAt(count, campaign.testPercent)} as variant, due.at as due_at
      from fresh cross join ${dueTimes(campaign, book)}
    ), batch as (
      select variant, due_at, array_agg(id order by email_key) as contact_ids,
        array_agg(email_key order by email_key) as address_keys, min(email_key) as first_key, max(email_key) as last_key
      from (select *, (row_number() over (partition by variant, due_at order by email_key) - 1) / ${BATCH} as part
        from planned) parts
      group by variant, due_at, part
    ), added as (
      insert into campaign_batches (
        team_id, campaign_id, no, contact_book_id, contact_ids, address_keys, first_key, last_key, variant, due_at
      )
      select ${teamId}, ${id}, coalesce((
          select max(no) from campaign_batches where team_id = ${teamId} and campaign_id = ${id}
        ), 0) + row_number() over (order by first_key, variant, due_at), ${book}, contact_ids, address_keys, first_key,
        last_key, variant, due_at
      from batch
      returning cardinality(contact_ids) as recipients
    )
    select (select count(*) from chunk) as seen, (select max(email_key) from chunk) as last,
      (select coalesce(sum(recipients), 0)::int8 from added) as added
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

/**
 * Prevents the campaign whose recipients are excluded from being deleted until the transaction ends, because its ledger
 * is deleted with it. Returns false when another process has locked it, because waiting could deadlock.
 */
export async function lockExcluded(trx: Db, { teamId, excludeCampaignId }: Targets): Promise<boolean> {
  if (!excludeCampaignId) return true;
  const { rows } = await sql`
    select 1 from campaigns where team_id = ${teamId} and id = ${excludeCampaignId} and deleted_at is null
    for key share skip locked
  `.execute(trx);
  return rows.length > 0;
}

/**
 * Returns the variant of the recipient at a `position` of the audience, from 0. The test takes recipients at equal
 * distances, so that its share is right (rounded up) for any number of recipients, and all variants have equally many.
 */
function variantAt(variants: number | null, testPercent: number): RawBuilder<number | null> {
  if (variants === null) return sql`null::smallint`;
  const inTestBefore = sql`(position * ${testPercent}::bigint + 99) / 100`;
  return sql`case when ((position + 1) * ${testPercent}::bigint + 99) / 100 > ${inTestBefore}
    then (${inTestBefore} % ${variants}::bigint)::smallint end`;
}

/**
 * When the local time comes for a recipient in `fresh`. A zone that PostgreSQL does not know is ignored. A time that
 * had passed when the campaign started is moved by whole days.
 */
function dueTimes(campaign: Targets & Progress, book: string): RawBuilder<unknown> {
  const { teamId, localTime, begunAt } = campaign;
  if (campaign.bestWithinHours !== null) return bestTimes(campaign, book);
  if (localTime === null) return sql`(select null::timestamptz as at) as due`;
  const local = sql`${localTime}::timestamp`;
  const started = sql`${begunAt}::timestamptz`;
  return sql`lateral (
    select coalesce(
      (select name from zones where key = lower(btrim(fresh.zone))),
      (select name from zones where key = (
        select lower(time_zone) from contact_books where team_id = ${teamId} and id = ${book}
      )),
      'UTC'
    ) as name
  ) as zone cross join lateral (
    select greatest(ceil(extract(epoch from ${started} - interval '1 minute' - (${local} at time zone zone.name)) / 86400), 0)
      as days
  ) as passed cross join lateral (
    select (${local} + make_interval(days => passed.days::integer)) at time zone zone.name as at
  ) as due`;
}

/** Returns a condition on contacts `c`. The caller must have checked that the segments exist (`findProblem`). */
async function audienceCondition(db: Db, campaign: Targets): Promise<RawBuilder<boolean>> {
  const conditions = (await audienceConditions(db, campaign, 'chunk')).map(({ condition }) => condition);
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** Why a contact of the books is not in the audience. */
export type LeftOutReason =
  | 'unsubscribed'
  | 'suppressed'
  | 'not_in_segment'
  | 'in_excluded_segment'
  | 'not_in_topic'
  | 'excluded_by_campaign';

/** Returns all conditions on contacts `c`. A contact that does not meet one is left out for its reason. */
export async function audienceConditions(
  db: Db,
  campaign: Targets,
  reads: 'all' | 'chunk',
): Promise<{ reason: LeftOutReason; condition: RawBuilder<boolean> }[]> {
  const { teamId, segmentId, excludeSegmentIds, topicId, excludeCampaignId, notOpened } = campaign;
  const { rows: segments } = await sql<{
    id: Row<'segments'>['id'];
    book: Row<'segments'>['contact_book_id'];
    filter: SegmentFilter;
  }>`
    select id, contact_book_id as book, filter from segments
    where team_id = ${teamId} and id = any(${[...excludeSegmentIds, ...(segmentId ? [segmentId] : [])]}::uuid[])
  `.execute(db);
  const conditions: { reason: LeftOutReason; condition: RawBuilder<boolean> }[] = [
    { reason: 'unsubscribed', condition: sql<boolean>`c.subscription = 'subscribed'` },
    {
      reason: 'suppressed',
      condition: sql<boolean>`not exists (
        select 1 from suppressions s where s.team_id = c.team_id and s.address_key = c.email_key
      )`,
    },
  ];
  if (segmentId) {
    const segment = segments.find(({ id }) => id === segmentId);
    const condition = segment
      ? segmentCondition({ teamId, bookKey: segment.book }, segment.filter, { reads })
      : sql<boolean>`false`;
    conditions.push({ reason: 'not_in_segment', condition });
  }
  for (const { book, filter } of segments.filter(({ id }) => excludeSegmentIds.includes(id))) {
    const condition = sql<boolean>`not exists (
      select 1 from contacts x where x.team_id = c.team_id and x.contact_book_id = ${book}
        and x.email_key = c.email_key and ${segmentCondition({ teamId, bookKey: book }, filter, { alias: 'x', reads })}
    )`;
    conditions.push({ reason: 'in_excluded_segment', condition });
  }
  if (topicId) conditions.push({ reason: 'not_in_topic', condition: topicCondition(teamId, topicId, 'c') });
  if (excludeCampaignId) {
    const result = { teamId, campaign: excludeCampaignId, op: notOpened ? 'notOpened' : 'notSent' } as const;
    const condition = ledgerCondition(result, sql`c.email_key`, reads);
    conditions.push({ reason: 'excluded_by_campaign', condition });
  }
  return conditions;
}
