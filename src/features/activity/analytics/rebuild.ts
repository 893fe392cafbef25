/**
 * Rebuilds the counters from the stored events. Days whose events were already dropped keep their counts. Writers of
 * counters wait until the rebuild commits.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import * as counts from '../../sending/counters/count-columns.ts';
import { countByQuarter } from '../../sending/counters/counters.ts';
import { rebuildReports } from './rebuild-reports.ts';

const COLUMNS = sql.raw(counts.COUNTS.columns);
const SUMS = sql.raw(counts.COUNTS.sums);
const ADDED = sql.raw(counts.COUNTS.added);
const QUARTER_SUMS = sql.raw(counts.QUARTER_COUNTS.sums);
const DOMAIN_OR_ALL = sql.raw(counts.DOMAIN_OR_ALL);
const FIRST_TRIED_AT = sql.raw(counts.FIRST_TRIED_AT);
const QUARTER = sql.raw(counts.QUARTER);

/** Returns the first day that was recounted, or null when there are no events. */
export async function rebuildCounts(db: Db): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    // The order is that of the statements that count, because another order could deadlock with them.
    await sql`
      lock table daily_counts, total_counts, campaign_counts, quarter_hour_counts, campaign_hours, campaign_results,
        campaign_domains, campaign_clicks, campaign_links in share row exclusive mode
    `.execute(trx);
    await correctGrowth(trx);
    const { rows } = await sql<{ since: Row<'daily_counts'>['day'] | null }>`
      select (min(created_at) at time zone 'utc')::date as since from all_events where type like 'email.%'
    `.execute(trx);
    const since = rows[0]?.since ?? null;
    if (since !== null) {
      await setFirstTriedAt(trx);
      await recount(trx, since);
    }
    return since;
  });
}

/** The past of a book cannot be counted again, so what its counters are wrong by counts as a change of now. */
async function correctGrowth(trx: Db): Promise<void> {
  await sql`lock table contacts in share mode`.execute(trx);
  await sql`
    insert into contact_book_growth as g
      (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed, returned, lost, subscribed, pending)
    select team_id, id, date_bin('15 minutes', now(), '2000-01-01 00:00Z'), 'api', '', 0, 0, 0, 0, 0,
      stored.subscribed - counted.subscribed, stored.pending - counted.pending
    from contact_books b
    cross join lateral (
      select count(*) filter (where subscription = 'subscribed') as subscribed,
        count(*) filter (where subscription = 'pending') as pending
      from contacts c where c.team_id = b.team_id and c.contact_book_id = b.id
    ) stored
    cross join lateral (
      select coalesce(sum(subscribed), 0) as subscribed, coalesce(sum(pending), 0) as pending
      from contact_book_growth n where n.team_id = b.team_id and n.contact_book_id = b.id
    ) counted
    where stored.subscribed <> counted.subscribed or stored.pending <> counted.pending
    on conflict (team_id, contact_book_id, quarter, source, source_id, slot) do update set
      subscribed = g.subscribed + excluded.subscribed, pending = g.pending + excluded.pending
  `.execute(trx);
}

/** Emails from before the time of the first attempt was stored get it from their events. */
async function setFirstTriedAt(trx: Db): Promise<void> {
  await sql`
    update emails e set first_tried_at = tried.at
    from (
      select team_id, subject_id, min(created_at) as at from events where type = 'email.sent'
      group by team_id, subject_id
    ) tried
    where e.team_id = tried.team_id and e.id = tried.subject_id and e.first_tried_at is null
      and e.first_tried_on = (tried.at at time zone 'utc')::date
  `.execute(trx);
}

/**
 * Counts the events once into `recounted`, one row for each quarter of an hour and each domain, campaign and set of
 * labels, and makes all counters from it. The totals change by the difference of the daily counts, so that older days
 * stay included. The steps of the first statement, by their names in it:
 *
 *   recipient  the outcome of each recipient of each email
 *   email      the number of recipients of each email by outcome, separately for copies
 */
async function recount(trx: Db, since: string): Promise<void> {
  await sql`
    create temporary table recounted on commit drop as
    with recipient as (
      select team_id, subject_id as email_id, recipient as address,
        bool_or(type = 'email.sent') as sent, bool_or(type = 'email.delivered') as delivered,
        bool_or(type = 'email.bounced') as bounced, bool_or(type = 'email.complained') as complained,
        bool_or(type = 'email.bounced' and data ->> 'bounceType' = 'hard') as hard_bounced
      from all_events
      where recipient is not null and type in ('email.sent', 'email.delivered', 'email.bounced', 'email.complained')
      group by team_id, subject_id, recipient
    ), email as (
      -- Recipients after the first are copies and get a separate row, because campaigns do not count them. Opens and
      -- clicks belong to the whole email, so only one row of each email (is_lead) counts them.
      select team_id, email_id, r.no > 0 as is_copy,
        row_number() over (partition by team_id, email_id order by r.no > 0) = 1 as is_lead,
        count(*) filter (where sent) as sent, count(*) filter (where delivered and not bounced) as delivered, count(*) filter (where bounced) as bounced,
        count(*) filter (where hard_bounced) as hard_bounced, count(*) filter (where complained) as complained,
        bool_or(bool_or(delivered and not bounced or complained)) over (partition by team_id, email_id) as reached
      from recipient join all_email_recipients r using (team_id, email_id, address)
      group by team_id, email_id, r.no > 0
    )
    select team_id, domain_id, campaign_id, labels, is_copy, quarter as tried_at,
      (quarter at time zone 'utc')::date as day,
      ${QUARTER_SUMS}
    from (
      select e.team_id, e.domain_id, e.campaign_id, e.labels, m.is_copy, m.sent, m.delivered, m.bounced, m.hard_bounced,
        m.complained, (is_lead and e.opened_at is not null)::integer as opened,
        (is_lead and e.clicked_at is not null)::integer as clicked,
        (is_lead and e.tracks_opens is true and m.reached)::integer as open_tracked,
        (is_lead and e.tracks_opens is true and e.opened_at is not null)::integer as open_tracked_opened,
        (is_lead and e.tracks_clicks is true and m.reached)::integer as click_tracked,
        (is_lead and e.tracks_clicks is true and e.clicked_at is not null)::integer as click_tracked_clicked,
        ${QUARTER} as quarter
      from email m join all_emails e on e.team_id = m.team_id and e.id = m.email_id
      cross join lateral (select ${FIRST_TRIED_AT} as tried_at) first_try
      where tried_at >= ${since}::date::timestamp at time zone 'utc'
    ) counted
    group by team_id, domain_id, campaign_id, labels, is_copy, quarter
  `.execute(trx);
  await sql`
    insert into total_counts as n (team_id, domain_id, slot, ${COLUMNS})
    select team_id, domain_id, 0, ${SUMS}
    from (
      select team_id, ${DOMAIN_OR_ALL}, ${SUMS} from recounted
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
    from recounted group by grouping sets ((team_id, day, domain_id), (team_id, day))
  `.execute(trx);
  await sql`
    delete from quarter_hour_counts where quarter >= ${since}::date::timestamp at time zone 'utc'
  `.execute(trx);
  await sql`with ${sql.raw(countByQuarter({ changes: 'recounted', slot: '0', hasCampaigns: true }))} select`.execute(
    trx,
  );
  await recountCampaigns(trx, since);
}

/** Recounts campaigns whose events are all still stored. Unsubscribes are kept, because they are not email events. */
async function recountCampaigns(trx: Db, since: string): Promise<void> {
  await sql`
    create temporary table whole_campaigns on commit drop as
    select team_id, campaign_id from all_emails e where campaign_id is not null and ${FIRST_TRIED_AT} is not null
    group by team_id, campaign_id having min(${FIRST_TRIED_AT}) >= ${since}::date::timestamp at time zone 'utc'
  `.execute(trx);
  await sql`
    with cleared as (
      update campaign_counts n set sent = 0, delivered = 0, opened = 0, clicked = 0, bounced = 0, hard_bounced = 0,
        complained = 0
      from whole_campaigns w where n.team_id = w.team_id and n.campaign_id = w.campaign_id and n.slot <> 0
    )
    insert into campaign_counts as n (team_id, campaign_id, slot, ${COLUMNS})
    select c.team_id, c.campaign_id, 0, ${SUMS}
    from recounted c join whole_campaigns w on w.team_id = c.team_id and w.campaign_id = c.campaign_id
    where not c.is_copy
    group by c.team_id, c.campaign_id
    on conflict (team_id, campaign_id, slot) do update set sent = excluded.sent, delivered = excluded.delivered,
      opened = excluded.opened, clicked = excluded.clicked, bounced = excluded.bounced,
      hard_bounced = excluded.hard_bounced, complained = excluded.complained
  `.execute(trx);
  await rebuildReports(trx);
}
