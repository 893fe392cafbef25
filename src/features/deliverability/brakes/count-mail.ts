/**
 * Counts the recent mail of domains and their campaigns. It reads the counters of analytics, which count every result at
 * the time of the first attempt, so nothing is written for the brake. After a release, only quarters of an hour that
 * began later count, and the totals of the domain cover the time until then.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { CAMPAIGN_SUBJECT } from '../../sending/counters/count-columns.ts';
import { sinceRelease, type MailCounts, type CountedWindow } from './judge-mail.ts';

const DAYS_BACK = 7;
const LAST_DELIVERED = 1_000;

interface CountedRow {
  domainId: Row<'domains'>['id'];
  campaignId: Row<'campaigns'>['id'] | null;
  day: MailCounts;
  last: MailCounts;
}

/** By the ID of the domain. Domains without recent mail are missing. */
export async function countRecentMail(
  db: Db,
  teamId: number,
  domainIds: number[],
): Promise<Map<number, CountedWindow[]>> {
  const found = new Map<number, CountedWindow[]>();
  const add = (domainId: number, windows: CountedWindow[]) =>
    found.set(domainId, [...(found.get(domainId) ?? []), ...windows]);
  for (const { domainId, baseline, totals } of await readReleases(db, teamId, domainIds))
    add(domainId, sinceRelease(totals, baseline));
  const ofDomains = sql`
    select d.id as domain_id, null::uuid as campaign_id, d.brake_released_at as released_at, '' as subject
    from domains d where d.team_id = ${teamId} and d.id = any(${domainIds}::integer[])`;
  const ofCampaigns = sql`
    select d.id, c.id, d.brake_released_at, ${CAMPAIGN_SUBJECT}::text || c.id
    from campaigns c join domains d on d.team_id = c.team_id and d.id = c.domain_id
    where c.team_id = ${teamId} and d.id = any(${domainIds}::integer[]) and c.begun_at is not null
      and (c.status in ('RUNNING', 'PAUSED') or c.sent_at > now() - interval '1 day')`;
  for (const { domainId, campaignId, day, last } of await readCounts(db, teamId, ofDomains, ofCampaigns))
    add(domainId, [
      { window: 'day', campaignId, ...day },
      { window: 'last_delivered', campaignId, ...last },
    ]);
  return found;
}

/** The sums over the quarters that meet the condition. */
function counted(condition: RawBuilder<unknown>): RawBuilder<MailCounts> {
  return sql<MailCounts>`json_build_object(
    'delivered', coalesce(sum(delivered) filter (where ${condition}), 0),
    'hardBounced', coalesce(sum(hard_bounced) filter (where ${condition}), 0),
    'complained', coalesce(sum(complained) filter (where ${condition}), 0))`;
}

/** Domains first, then their campaigns. */
async function readCounts(
  db: Db,
  teamId: number,
  ofDomains: RawBuilder<unknown>,
  ofCampaigns: RawBuilder<unknown>,
): Promise<CountedRow[]> {
  const { rows } = await sql<CountedRow>`
    with subject as (${ofDomains} union all ${ofCampaigns}), quarter as (
      select s.domain_id, s.campaign_id, q.quarter, sum(q.delivered) as delivered, sum(q.hard_bounced) as hard_bounced,
        sum(q.complained) as complained
      from subject s join quarter_hour_counts q
        on q.team_id = ${teamId} and q.subject = s.subject and q.domain_id = s.domain_id
      where q.quarter > greatest(now() - make_interval(days => ${DAYS_BACK}::integer), s.released_at)
      group by 1, 2, 3
    ), numbered as (
      select *, sum(delivered) over (partition by domain_id, campaign_id order by quarter desc) - delivered as newer
      from quarter
    )
    select domain_id as "domainId", campaign_id as "campaignId",
      ${counted(sql`quarter > now() - interval '24 hours'`)} as day,
      ${counted(sql`newer < ${LAST_DELIVERED}::integer`)} as last
    from numbered group by domain_id, campaign_id order by domain_id, campaign_id nulls first
  `.execute(db);
  return rows;
}

interface Released {
  domainId: Row<'domains'>['id'];
  baseline: MailCounts;
  totals: MailCounts;
}

/** Domains that were released within a day. Later, the other windows see everything that was sent since. */
async function readReleases(db: Db, teamId: number, domainIds: number[]): Promise<Released[]> {
  const { rows } = await sql<Released>`
    select d.id as "domainId", d.brake_baseline as baseline, ${totalsOf(sql`d.team_id`, sql`d.id`)} as totals
    from domains d
    where d.team_id = ${teamId} and d.id = any(${domainIds}::integer[]) and d.brake_baseline is not null
      and d.brake_released_at > now() - interval '1 day'
  `.execute(db);
  return rows;
}

/** Everything that was ever sent from the domain. */
export function totalsOf(teamId: RawBuilder<unknown>, domainId: RawBuilder<unknown>): RawBuilder<MailCounts> {
  return sql<MailCounts>`(
    select json_build_object('delivered', coalesce(sum(t.delivered), 0), 'hardBounced', coalesce(sum(t.hard_bounced), 0),
      'complained', coalesce(sum(t.complained), 0))
    from total_counts t where t.team_id = ${teamId} and t.domain_id = ${domainId}
  )`;
}
