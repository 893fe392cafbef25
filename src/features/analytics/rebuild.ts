/**
 * The counters made anew from the events that are still kept. Days whose events were dropped keep what they have.
 * Whoever writes outcomes waits until it is done.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import type { Row } from '../../platform/rows.ts';
import * as counts from './count-columns.ts';

const COLUMNS = sql.raw(counts.COLUMNS);
const SUMS = sql.raw(counts.SUMS);
const ADDED = sql.raw(counts.ADDED);
const DOMAIN_OR_ALL = sql.raw(counts.DOMAIN_OR_ALL);

/** Returns the first day that was counted anew; null when there are no events. */
export async function rebuildCounts(db: Db): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`lock table campaign_counts, daily_counts, total_counts in share row exclusive mode`.execute(
      trx,
    );
    const { rows } = await sql<{ since: Row<'daily_counts'>['day'] | null }>`
      select (min(created_at) at time zone 'utc')::date as since from email_events
    `.execute(trx);
    const since = rows[0]?.since ?? null;
    if (since !== null) await countAnew(trx, since);
    return since;
  });
}

/** The totals move by what the days move, so that what is older stays in them. */
async function countAnew(trx: Db, since: string): Promise<void> {
  await sql`
    create temporary table counted_anew on commit drop as
    with recipient as (
      select team_id, email_id, recipient as address,
        bool_or(status = 'SENT') as sent, bool_or(status = 'DELIVERED') as delivered,
        bool_or(status = 'BOUNCED') as bounced, bool_or(status = 'COMPLAINED') as complained,
        bool_or(status = 'BOUNCED' and data ->> 'bounceType' = 'hard') as hard_bounced
      from email_events where recipient is not null and status in ('SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED')
      group by team_id, email_id, recipient
    ), email as (
      -- Copies apart, as a campaign does not count them. Opens are the email's, and count with one part of it alone.
      select team_id, email_id, r.no > 0 as is_copy,
        row_number() over (partition by team_id, email_id order by r.no > 0) = 1 as is_lead,
        count(*) filter (where sent) as sent, count(*) filter (where delivered and not bounced) as delivered, count(*) filter (where bounced) as bounced,
        count(*) filter (where hard_bounced) as hard_bounced, count(*) filter (where complained) as complained
      from recipient join email_recipients r using (team_id, email_id, address)
      group by team_id, email_id, r.no > 0
    )
    select e.team_id, e.domain_id, e.campaign_id, m.is_copy, e.first_tried_on as day, sum(m.sent) as sent,
      sum(m.delivered) as delivered, count(e.opened_at) filter (where is_lead) as opened,
      count(e.clicked_at) filter (where is_lead) as clicked,
      sum(m.bounced) as bounced, sum(m.hard_bounced) as hard_bounced, sum(m.complained) as complained
    from email m join emails e on e.team_id = m.team_id and e.id = m.email_id
    where e.first_tried_on >= ${since}::date
    group by e.team_id, e.domain_id, e.campaign_id, m.is_copy, e.first_tried_on
  `.execute(trx);
  await sql`
    insert into total_counts as n (team_id, domain_id, slot, ${COLUMNS})
    select team_id, domain_id, 0, ${SUMS}
    from (
      select team_id, ${DOMAIN_OR_ALL}, ${SUMS} from counted_anew
      group by grouping sets ((team_id, domain_id), (team_id))
      union all
      select team_id, domain_id, -sent, -delivered, -opened, -clicked, -bounced, -hard_bounced, -complained
      from daily_counts where day >= ${since}::date
    ) moved (team_id, domain_id, ${COLUMNS}) group by team_id, domain_id
    on conflict (team_id, domain_id, slot) do update set ${ADDED}
  `.execute(trx);
  await sql`delete from daily_counts where day >= ${since}::date`.execute(trx);
  await sql`
    insert into daily_counts (team_id, domain_id, day, slot, ${COLUMNS})
    select team_id, ${DOMAIN_OR_ALL}, day, 0, ${SUMS}
    from counted_anew group by grouping sets ((team_id, day, domain_id), (team_id, day))
  `.execute(trx);
  await countCampaignsAnew(trx, since);
}

/** Those whose first email is young enough; the number of people who left is no event of an email and stays. */
async function countCampaignsAnew(trx: Db, since: string): Promise<void> {
  await sql`
    with whole as (
      select team_id, campaign_id from emails where campaign_id is not null and first_tried_on is not null
      group by team_id, campaign_id having min(first_tried_on) >= ${since}::date
    ), cleared as (
      update campaign_counts n set sent = 0, delivered = 0, opened = 0, clicked = 0, bounced = 0, hard_bounced = 0,
        complained = 0
      from whole w where n.team_id = w.team_id and n.campaign_id = w.campaign_id and n.slot <> 0
    )
    insert into campaign_counts as n (team_id, campaign_id, slot, ${COLUMNS})
    select c.team_id, c.campaign_id, 0, ${SUMS}
    from counted_anew c join whole w on w.team_id = c.team_id and w.campaign_id = c.campaign_id
    where not c.is_copy
    group by c.team_id, c.campaign_id
    on conflict (team_id, campaign_id, slot) do update set sent = excluded.sent, delivered = excluded.delivered,
      opened = excluded.opened, clicked = excluded.clicked, bounced = excluded.bounced,
      hard_bounced = excluded.hard_bounced, complained = excluded.complained
  `.execute(trx);
}
