/** What happened to a team's mail, read from counters: as quick with ten million emails as with ten. */
import { sql } from 'kysely';
import { keepToDomain } from '../../platform/bound-keys.ts';
import type { Db } from '../../platform/database.ts';
import type { Caller } from '../../platform/route.ts';
import type { CamelRow, Row } from '../../platform/rows.ts';
import { getDomainName } from '../domains/find-domain.ts';
import type { Reputation, TimeSeries } from './analytics.schema.ts';
import { ALL_DOMAINS } from './count-columns.ts';

type DayRow = { date: Row<'daily_counts'>['day'] } & Row<
  'daily_counts',
  'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained'
>;
type Asking = Pick<Caller, 'teamId' | 'domainId'>;

export async function getTimeSeries(
  db: Db,
  caller: Asking,
  query: { days: number; domainId?: number | undefined },
): Promise<TimeSeries> {
  const domainId = await chooseDomain(db, caller, query.domainId);
  const { rows: result } = await sql<DayRow>`
    with wanted as (
      -- Days as dates: a series of moments follows the clocks of the database's time zone, and may miss one.
      select (now() at time zone 'utc')::date - ago as day from generate_series(0, ${query.days - 1}::integer) as ago
    ), counted as (
      select day, sum(sent) as sent, sum(delivered) as delivered, sum(opened) as opened, sum(clicked) as clicked,
        sum(bounced) as bounced, sum(complained) as complained
      from daily_counts
      where team_id = ${caller.teamId} and domain_id = ${domainId}
        and day between (select min(day) from wanted) and (select max(day) from wanted)
      group by day
    )
    select to_char(day, 'YYYY-MM-DD') as date,
      coalesce(sent, 0)::float8 as sent, coalesce(delivered, 0)::float8 as delivered,
      coalesce(opened, 0)::float8 as opened, coalesce(clicked, 0)::float8 as clicked,
      coalesce(bounced, 0)::float8 as bounced, coalesce(complained, 0)::float8 as complained
    from wanted left join counted using (day) order by day
  `.execute(db);
  const total = (name: 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained') =>
    result.reduce((sum, entry) => sum + entry[name], 0);
  return {
    result,
    totalCounts: {
      sent: total('sent'),
      delivered: total('delivered'),
      opened: total('opened'),
      clicked: total('clicked'),
      bounced: total('bounced'),
      complained: total('complained'),
    },
  };
}

/** Over all time. */
export async function getReputation(
  db: Db,
  caller: Asking,
  query: { domainId?: number | undefined },
): Promise<Reputation> {
  const domainId = await chooseDomain(db, caller, query.domainId);
  const { rows } = await sql<CamelRow<'total_counts', 'delivered' | 'hard_bounced' | 'complained'>>`
    select coalesce(sum(delivered), 0)::float8 as delivered, coalesce(sum(hard_bounced), 0)::float8 as "hardBounced",
      coalesce(sum(complained), 0)::float8 as complained
    from total_counts
    where team_id = ${caller.teamId} and domain_id = ${domainId}
  `.execute(db);
  const { delivered, hardBounced, complained } = rows[0]!;
  return {
    delivered,
    hardBounced,
    complained,
    bounceRate: percent(hardBounced, delivered + hardBounced),
    complaintRate: percent(complained, delivered),
  };
}

function percent(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, (100 * part) / whole) : 0;
}

/** A key that is bound to a domain sees that one. */
async function chooseDomain(db: Db, caller: Asking, wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return caller.domainId ?? ALL_DOMAINS;
  keepToDomain(caller, wanted);
  await getDomainName(db, caller.teamId, wanted);
  return wanted;
}
