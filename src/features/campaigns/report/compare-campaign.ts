/** Compares a campaign with the last ten that started before it. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { COUNTS, TRACKING, trackedOf, type CampaignCaller, type CampaignRow } from '../campaign-row.ts';
import { mapRates, ratesOf, roundPercent, type CampaignCounts } from '../rates.ts';
import type { CampaignReport } from '../report.schema.ts';

const COMPARED = 10;

type Comparison = CampaignReport['comparison'];
type ComparedRow = Pick<CampaignRow, 'id' | 'name' | 'opensTracked' | 'clicksTracked'> &
  CampaignCounts & { begunAt: NonNullable<Row<'campaigns'>['begun_at']> };

export async function compareCampaign(
  db: Db,
  { domainIds }: CampaignCaller,
  { teamId, id, begunAt }: CampaignRow,
): Promise<Comparison> {
  const { rows } = await sql<ComparedRow>`
    select c.id, c.name, c.begun_at as "begunAt", ${TRACKING}, n.*
    from campaigns c cross join lateral ${COUNTS} n
    where c.team_id = ${teamId} and c.id <> ${id} and c.deleted_at is null and c.begun_at < coalesce(${begunAt}, now())
      and c.has_released and ${domainIds === null ? sql`true` : sql`c.domain_id = any (${domainIds}::integer[])`}
    order by c.begun_at desc, c.id desc limit ${COMPARED}
  `.execute(db);
  const campaigns = rows.map((row) => ({
    id: encodeId('cmp', row.id),
    name: row.name,
    startedAt: row.begunAt.toISOString(),
    sent: row.sent,
    rates: ratesOf(row),
    tracked: trackedOf(row, row),
  }));
  return { campaigns, average: campaigns.length === 0 ? null : averageOf(campaigns) };
}

function averageOf(campaigns: Comparison['campaigns']): NonNullable<Comparison['average']> {
  return mapRates((name) => {
    const counted = campaigns.filter(({ tracked }) =>
      name === 'openRate'
        ? tracked.opens
        : name === 'clickRate' || name === 'clickToOpenRate'
          ? tracked.clicks
          : true,
    );
    if (counted.length === 0) return null;
    return roundPercent(counted.reduce((sum, { rates }) => sum + rates[name], 0) / counted.length);
  });
}
