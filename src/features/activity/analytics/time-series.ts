/** Email counts by time. They are read from counters, so the cost does not grow with the number of emails. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import { findCampaign } from '../../campaigns/campaign-row.ts';
import {
  ALL_DOMAINS,
  ALL_MAIL,
  CAMPAIGN_SUBJECT,
  TAG_SUBJECT,
} from '../../sending/counters/count-columns.ts';
import { bucketsOf, sumsOf, spanOf, withKnownZone } from '../../sending/counters/buckets.ts';
import { chooseDomains, type DomainScope } from './analytics.ts';
import type { TimeSeries, TimeSeriesQuery } from './analytics.schema.ts';

const SHOWN = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;
const TRACKED = ['open_tracked', 'open_tracked_opened', 'click_tracked', 'click_tracked_clicked'] as const;

type Counts = Record<(typeof SHOWN)[number], number>;
type Tracked = Record<(typeof TRACKED)[number], number>;
type Entry = { date: string } & Counts;

export async function getTimeSeries(
  db: Db,
  caller: DomainScope,
  query: TimeSeriesQuery,
): Promise<TimeSeries> {
  const domainIds = await chooseDomains(db, caller, query.domainId);
  const { days, from, interval, timezone, campaignId, tag } = query;
  if ((from ?? interval ?? timezone ?? campaignId ?? tag) === undefined) {
    return total(await countDays(db, caller.teamId, domainIds, days));
  }
  const rows = await countBuckets(db, await findCounters(db, caller, domainIds, query), query);
  return { ...total(rows.map(withoutTracked)), tracked: presentTracked(rows) };
}

/** UTC days, today last. */
async function countDays(
  db: Db,
  teamId: number,
  domainIds: readonly number[],
  days: number,
): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    with wanted as (
      -- Dates, not timestamps: a timestamp series follows the database's time zone and can skip a day.
      select (now() at time zone 'utc')::date - ago as day from generate_series(0, ${days - 1}::integer) as ago
    ), counted as (
      select day, ${sumsOf(SHOWN)} from daily_counts
      where team_id = ${teamId} and domain_id = any (${domainIds}::integer[])
        and day between (select min(day) from wanted) and (select max(day) from wanted)
      group by day
    )
    select to_char(day, 'YYYY-MM-DD') as date, ${numbers(SHOWN)}
    from wanted left join counted using (day) order by day
  `.execute(db);
  return rows;
}

/** The rows of quarter_hour_counts that a request is about. */
interface Counters {
  teamId: number;
  subject: string;
  domainIds: RawBuilder<unknown>;
}

/**
 * Campaigns and tags are counted by domain only, and total_counts has all domains that have sent. Campaign emails have
 * no tags, so nothing is counted for a campaign and a tag together.
 */
async function findCounters(
  db: Db,
  caller: DomainScope,
  wanted: readonly number[],
  { campaignId, tag }: TimeSeriesQuery,
): Promise<Counters> {
  const { teamId } = caller;
  if (campaignId !== undefined) await findCampaign(db, caller, campaignId);
  const isAboutAll = wanted.includes(ALL_DOMAINS) && (campaignId ?? tag) !== undefined;
  const domainIds = isAboutAll
    ? sql`array(select distinct domain_id from total_counts where team_id = ${teamId})`
    : sql`${wanted}::integer[]`;
  if (campaignId !== undefined && tag !== undefined) return { teamId, subject: 'none', domainIds };
  if (campaignId !== undefined) {
    return { teamId, subject: CAMPAIGN_SUBJECT + decodeId('cmp', campaignId)!, domainIds };
  }
  return { teamId, subject: tag === undefined ? ALL_MAIL : TAG_SUBJECT + tag, domainIds };
}

async function countBuckets(
  db: Db,
  { teamId, subject, domainIds }: Counters,
  { days, from, to, interval = 'day', timezone = 'UTC' }: TimeSeriesQuery,
): Promise<(Entry & Tracked)[]> {
  const zone = sql`${timezone}::text`;
  const { wanted, bucketOf, date } = bucketsOf(interval, zone);
  const statement = sql<Entry & Tracked>`
    with span as (
      ${spanOf({ days, from, to }, zone)}
    ), wanted as (
      ${wanted}
    ), counted as (
      select ${bucketOf(sql`quarter`)} as bucket, ${sumsOf([...SHOWN, ...TRACKED])}
      from quarter_hour_counts
      where team_id = ${teamId} and subject = ${subject} and domain_id = any(${domainIds})
        and quarter >= (select starts_at from span) and quarter < (select ends_at from span)
      group by 1
    )
    select ${date} as date, ${numbers([...SHOWN, ...TRACKED])}
    from wanted left join counted using (bucket) order by bucket
  `;
  return withKnownZone(async () => (await statement.execute(db)).rows);
}

function numbers(names: readonly string[]): RawBuilder<unknown> {
  return sql.raw(names.map((name) => `coalesce(${name}, 0)::float8 as ${name}`).join(', '));
}

function total(result: Entry[]): TimeSeries {
  const totalCounts: Counts = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0 };
  for (const entry of result) for (const name of SHOWN) totalCounts[name] += entry[name];
  return { result, totalCounts };
}

function withoutTracked(row: Entry & Tracked): Entry {
  const { date, sent, delivered, opened, clicked, bounced, complained } = row;
  return { date, sent, delivered, opened, clicked, bounced, complained };
}

function presentTracked(rows: Tracked[]): TimeSeries['tracked'] {
  const sum = (name: keyof Tracked) => rows.reduce((all, row) => all + row[name], 0);
  return {
    opens: { emails: sum('open_tracked'), opened: sum('open_tracked_opened') },
    clicks: { emails: sum('click_tracked'), clicked: sum('click_tracked_clicked') },
  };
}
