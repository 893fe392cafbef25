/**
 * Rebuilds the tables that campaign reports read (campaign-results.ts) for the campaigns in the temporary table
 * `whole_campaigns`, from the stored events, the emails and their first recipients. Some of it is stored nowhere else
 * and is kept: unsubscribes, visits by bots, why an address bounced, and how often each link was clicked.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { RECIPIENT_DOMAIN } from '../../sending/counters/campaign-results.ts';

export async function rebuildReports(trx: Db): Promise<void> {
  await sql`
    create temporary table recounted_recipients on commit drop as
    select e.team_id, e.campaign_id, r.address_key, e.opened_at, e.clicked_at,
      bool_or(v.type = 'email.sent') as sent,
      bool_or(v.type = 'email.delivered') and not bool_or(v.type = 'email.bounced') as delivered,
      min(v.created_at) filter (where v.type = 'email.bounced') as bounced_at,
      min(v.created_at) filter (where v.type = 'email.complained') as complained_at
    from whole_campaigns w
    join all_emails e on e.team_id = w.team_id and e.campaign_id = w.campaign_id
    join all_email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    join all_events v on v.team_id = e.team_id and v.subject_id = e.id and v.recipient = r.address
      and v.type in ('email.sent', 'email.delivered', 'email.bounced', 'email.complained')
    group by e.team_id, e.campaign_id, e.id, r.address_key, e.opened_at, e.clicked_at
  `.execute(trx);
  await rebuildResults(trx);
  await rebuildHours(trx);
  await rebuildDomains(trx);
  await rebuildLinks(trx);
}

async function rebuildResults(trx: Db): Promise<void> {
  await sql`
    with happened as materialized (
      select team_id, campaign_id, address_key, result, at
      from recounted_recipients cross join lateral (values
        ('opened', opened_at), ('clicked', clicked_at), ('bounced', bounced_at), ('complained', complained_at)
      ) as each (result, at)
      where at is not null
    ), removed as (
      delete from campaign_results n using whole_campaigns w
      where n.team_id = w.team_id and n.campaign_id = w.campaign_id and n.result <> 'unsubscribed'
        and not exists (
          select from happened h where h.team_id = n.team_id and h.campaign_id = n.campaign_id
            and h.result = n.result and h.address_key = n.address_key
        )
    )
    insert into campaign_results (team_id, campaign_id, result, address_key, created_at)
    select team_id, campaign_id, result, address_key, at from happened
    on conflict do nothing
  `.execute(trx);
}

async function rebuildHours(trx: Db): Promise<void> {
  await sql`
    update campaign_hours n set opened = 0, clicked = 0
    from whole_campaigns w where n.team_id = w.team_id and n.campaign_id = w.campaign_id
  `.execute(trx);
  await sql`
    insert into campaign_hours as n (team_id, campaign_id, hour, slot, opened, clicked)
    select team_id, campaign_id, date_trunc('hour', at, 'UTC'), 0, sum(opened), sum(clicked)
    from recounted_recipients cross join lateral (values (opened_at, 1, 0), (clicked_at, 0, 1))
      as each (at, opened, clicked)
    where at is not null
    group by 1, 2, 3
    on conflict (team_id, campaign_id, hour, slot) do update set opened = excluded.opened, clicked = excluded.clicked
  `.execute(trx);
  await sql`
    delete from campaign_hours n using whole_campaigns w
    where n.team_id = w.team_id and n.campaign_id = w.campaign_id
      and n.opened = 0 and n.clicked = 0 and n.machine_opened = 0 and n.machine_clicked = 0
  `.execute(trx);
}

async function rebuildDomains(trx: Db): Promise<void> {
  await sql`
    delete from campaign_domains n using whole_campaigns w
    where n.team_id = w.team_id and n.campaign_id = w.campaign_id
  `.execute(trx);
  await sql`
    insert into campaign_domains (team_id, campaign_id, domain, slot, sent, delivered, bounced, opened)
    select team_id, campaign_id, ${sql.raw(RECIPIENT_DOMAIN)}, 0, count(*) filter (where sent),
      count(*) filter (where delivered), count(bounced_at), count(opened_at)
    from recounted_recipients group by 1, 2, 3
  `.execute(trx);
}

async function rebuildLinks(trx: Db): Promise<void> {
  await sql`
    update campaign_links n set people = counted.people, clicks = greatest(n.clicks, counted.people)
    from (
      select l.team_id, l.campaign_id, l.url_hash, count(k.email_id) as people
      from whole_campaigns w
      join campaign_links l on l.team_id = w.team_id and l.campaign_id = w.campaign_id
      left join campaign_clicks k on k.team_id = l.team_id and k.campaign_id = l.campaign_id and k.url_hash = l.url_hash
      group by l.team_id, l.campaign_id, l.url_hash
    ) counted
    where n.team_id = counted.team_id and n.campaign_id = counted.campaign_id and n.url_hash = counted.url_hash
  `.execute(trx);
}
