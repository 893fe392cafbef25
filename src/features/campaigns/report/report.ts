/**
 * The report of a campaign. It reads counters and short lists, so it takes no longer for 300,000 recipients than for
 * three.
 */
import { sql } from 'kysely';
import type { BounceReason } from '../../../mail/bounces/bounce-reason.ts';
import type { FailureClass } from '../../../mail/bounces/failure-classes.ts';
import type { Db } from '../../../platform/database/database.ts';
import {
  findCampaign,
  readCounts,
  trackedOf,
  type CampaignCaller,
  type CampaignRow,
} from '../campaign-row.ts';
import { reportBestHour } from '../best-hour.ts';
import { reportLanguages } from '../languages.ts';
import { compareCampaign } from './compare-campaign.ts';
import { RATE_BASES, ratesOf } from '../rates.ts';
import type { CampaignReport } from '../report.schema.ts';
import { toTimeline, type HourCounts } from './timeline.ts';

const MAX_DOMAINS = 50;

export async function reportCampaign(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
): Promise<CampaignReport> {
  const campaign = await findCampaign(db, caller, campaignId);
  const counts = await readCounts(db, campaign);
  const hours = await readHours(db, campaign);
  const sumOf = (name: 'machineOpened' | 'machineClicked') =>
    hours.reduce((sum, hour) => sum + hour[name], 0);
  return {
    counts: {
      total: campaign.total,
      ...counts,
      machineOpened: sumOf('machineOpened'),
      machineClicked: sumOf('machineClicked'),
    },
    rates: ratesOf(counts),
    rateBases: RATE_BASES,
    tracked: trackedOf(campaign, counts),
    ...toTimeline(hours, campaign.begunAt, new Date()),
    links: await readLinks(db, campaign),
    ...(await readDomains(db, campaign)),
    languages: await reportLanguages(db, campaign),
    bestHour: await reportBestHour(db, campaign),
    bounces: await readBounces(db, campaign),
    bounceClasses: await readBounceClasses(db, campaign),
    comparison: await compareCampaign(db, caller, campaign),
  };
}

/** The links that people have clicked, most people first. */
export async function listClickedLinks(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
): Promise<CampaignReport['links']> {
  const links = await readLinks(db, await findCampaign(db, caller, campaignId));
  return links.filter(({ clicks }) => clicks > 0);
}

type Key = Pick<CampaignRow, 'teamId' | 'id'>;

async function readHours(db: Db, { teamId, id }: Key): Promise<HourCounts[]> {
  const { rows } = await sql<HourCounts>`
    select hour as at, sum(opened)::int8 as opened, sum(clicked)::int8 as clicked,
      sum(unsubscribed)::int8 as unsubscribed, sum(machine_opened)::int8 as "machineOpened",
      sum(machine_clicked)::int8 as "machineClicked"
    from (
      select hour, opened, clicked, 0 as unsubscribed, machine_opened, machine_clicked
      from campaign_hours where team_id = ${teamId} and campaign_id = ${id}
      union all
      select date_trunc('hour', created_at, 'UTC'), 0, 0, count(*), 0, 0 from campaign_results
      where team_id = ${teamId} and campaign_id = ${id} and result = 'unsubscribed' group by 1
    ) each
    group by hour order by hour
  `.execute(db);
  return rows;
}

async function readLinks(db: Db, { teamId, id }: Key): Promise<CampaignReport['links']> {
  const { rows } = await sql<CampaignReport['links'][number]>`
    select url, clicks, people, machine_clicks as "machineClicks" from campaign_links
    where team_id = ${teamId} and campaign_id = ${id} order by people desc, clicks desc, url
  `.execute(db);
  return rows;
}

type DomainRow = CampaignReport['domains'][number] & { place: number; domains: number };

async function readDomains(
  db: Db,
  { teamId, id }: Key,
): Promise<Pick<CampaignReport, 'domains' | 'otherDomains'>> {
  const { rows } = await sql<DomainRow>`
    with of_domain as (
      select domain, sum(sent) as sent, sum(delivered) as delivered, sum(bounced) as bounced, sum(opened) as opened,
        row_number() over (order by sum(sent) desc, domain) as place
      from campaign_domains where team_id = ${teamId} and campaign_id = ${id} group by domain
    )
    select least(place, ${MAX_DOMAINS + 1})::integer as place, min(domain) as domain, count(*) as domains,
      sum(sent)::int8 as sent, sum(delivered)::int8 as delivered, sum(bounced)::int8 as bounced,
      sum(opened)::int8 as opened
    from of_domain group by 1 order by 1
  `.execute(db);
  const named = rows.filter(({ place }) => place <= MAX_DOMAINS);
  const rest = rows[MAX_DOMAINS];
  return {
    domains: named.map(({ domain, sent, delivered, bounced, opened }) => ({
      domain,
      sent,
      delivered,
      bounced,
      opened,
    })),
    otherDomains: rest
      ? {
          domains: rest.domains,
          sent: rest.sent,
          delivered: rest.delivered,
          bounced: rest.bounced,
          opened: rest.opened,
        }
      : null,
  };
}

/** Bounces from before the reasons were recorded count as `other`. */
async function readBounces(db: Db, { teamId, id }: Key): Promise<CampaignReport['bounces']> {
  const { rows } = await sql<{ reason: BounceReason; count: number }>`
    select coalesce(reason, 'other') as reason, count(*) as count from campaign_results
    where team_id = ${teamId} and campaign_id = ${id} and result = 'bounced' group by 1 order by 2 desc, 1
  `.execute(db);
  return rows;
}

async function readBounceClasses(db: Db, { teamId, id }: Key): Promise<CampaignReport['bounceClasses']> {
  const { rows } = await sql<{ class: FailureClass; count: number }>`
    select coalesce(class, 'other') as class, count(*) as count from campaign_results
    where team_id = ${teamId} and campaign_id = ${id} and result = 'bounced' group by 1 order by 2 desc, 1
  `.execute(db);
  return rows;
}
