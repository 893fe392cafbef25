/**
 * The lists and counts of campaign reports. The statements that record results (record-results.ts) and visits
 * (visit-steps.ts) update them. Copies to Cc and Bcc are left out, as in campaign_counts. Slots work as in counters.ts.
 */
import { Fragment } from '../../../platform/database/database.ts';
import { SLOT } from './count-columns.ts';

/** The domain of the address in `address_key`. */
export const RECIPIENT_DOMAIN = `split_part(address_key, '@', -1)`;

/**
 * Follows a `with` that has `change` as in COUNT_CHANGES, and in it address_key. Counts the results by the domain of the
 * recipient.
 */
export const COUNT_BY_CAMPAIGN_DOMAIN = new Fragment(`
  campaign_domain as (
    insert into campaign_domains as n (team_id, campaign_id, domain, slot, sent, delivered, bounced)
    select team_id, campaign_id, ${RECIPIENT_DOMAIN}, ${SLOT}, sum(sent), sum(delivered), sum(bounced)
    from change where campaign_id is not null and not is_copy and (sent <> 0 or delivered <> 0 or bounced <> 0)
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (team_id, campaign_id, domain, slot) do update set
      sent = n.sent + excluded.sent, delivered = n.delivered + excluded.delivered, bounced = n.bounced + excluded.bounced
  )`);

/**
 * Follows a `with` that has `change` as in COUNT_CHANGES, and in it address_key, bounce_reason, data and at.
 *
 *   campaign_result  lists the recipients that bounced or complained
 *   campaign_domain  counts the results by the domain of the recipient
 */
export const ADD_CAMPAIGN_RESULTS = new Fragment(`
  campaign_result as (
    insert into campaign_results (team_id, campaign_id, result, address_key, reason, class, created_at)
    select team_id, campaign_id, case when bounced > 0 then 'bounced' else 'complained' end, address_key, bounce_reason,
      case when bounced > 0 then data ->> 'class' end, at
    from change where campaign_id is not null and not is_copy and (bounced > 0 or complained > 0)
    on conflict do nothing
  ), ${COUNT_BY_CAMPAIGN_DOMAIN.text}`);

/**
 * Follows a `with` that has `judged` (visit-steps.ts) and `link_visit`, the clicks on each link of each email.
 * Visits by people to an email that was not tried yet are passed again later, and counted then.
 *
 *   first_visit      the first open and the first click of each email, by people and by bots
 *   campaign_hour    counts them by the hour
 *   campaign_result  lists the recipients that opened or clicked
 *   campaign_domain  counts the opens by the domain of the recipient
 *   campaign_click   the clicked links of each email, and which of them are new
 *   campaign_link    counts the clicks on each link
 */
export const ADD_CAMPAIGN_VISITS = new Fragment(`
  first_visit as materialized (
    select j.team_id, j.campaign_id, j.email_id, visit.kind, visit.at
    from judged j cross join lateral (values
      ('opened', case when j.is_first_open then coalesce(j.open_at, j.click_at) end),
      ('clicked', case when j.is_first_click then j.click_at end),
      ('machine_opened', case when j.is_first_machine_open then now() end),
      ('machine_clicked', case when j.is_first_machine_click then now() end)
    ) as visit (kind, at)
    where j.campaign_id is not null and visit.at is not null
  ), campaign_hour as (
    insert into campaign_hours as n (team_id, campaign_id, hour, slot, opened, clicked, machine_opened, machine_clicked)
    select team_id, campaign_id, date_trunc('hour', at, 'UTC'), ${SLOT}, count(*) filter (where kind = 'opened'),
      count(*) filter (where kind = 'clicked'), count(*) filter (where kind = 'machine_opened'),
      count(*) filter (where kind = 'machine_clicked')
    from first_visit group by 1, 2, 3 order by 1, 2, 3
    on conflict (team_id, campaign_id, hour, slot) do update set
      opened = n.opened + excluded.opened, clicked = n.clicked + excluded.clicked,
      machine_opened = n.machine_opened + excluded.machine_opened,
      machine_clicked = n.machine_clicked + excluded.machine_clicked
  ), visitor as materialized (
    select f.team_id, f.campaign_id, f.kind, f.at, r.address_key
    from first_visit f join email_recipients r on r.team_id = f.team_id and r.email_id = f.email_id and r.no = 0
    where f.kind in ('opened', 'clicked')
  ), campaign_result as (
    insert into campaign_results (team_id, campaign_id, result, address_key, created_at)
    select team_id, campaign_id, kind, address_key, at from visitor
    on conflict do nothing
  ), campaign_domain as (
    insert into campaign_domains as n (team_id, campaign_id, domain, slot, opened)
    select team_id, campaign_id, ${RECIPIENT_DOMAIN}, ${SLOT}, count(*) from visitor where kind = 'opened'
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (team_id, campaign_id, domain, slot) do update set opened = n.opened + excluded.opened
  ), link as materialized (
    select j.team_id, j.campaign_id, j.email_id, sha256(convert_to(l.url, 'UTF8')) as url_hash, l.url, l.machine_clicks,
      case when j.tried then l.clicks else 0 end as clicks
    from link_visit l join judged j on j.team_id = l.team_id and j.email_id = l.email_id
    where j.campaign_id is not null
  ), campaign_click as (
    insert into campaign_clicks (team_id, campaign_id, url_hash, email_id)
    select team_id, campaign_id, url_hash, email_id from link where clicks > 0 order by 1, 2, 3, 4
    on conflict do nothing
    returning team_id, campaign_id, url_hash
  ), campaign_link as (
    insert into campaign_links as n (team_id, campaign_id, url_hash, url, clicks, people, machine_clicks)
    select team_id, campaign_id, url_hash, min(url), sum(clicks), (
        select count(*) from campaign_click k
        where k.team_id = link.team_id and k.campaign_id = link.campaign_id and k.url_hash = link.url_hash
      ), sum(machine_clicks)
    from link where clicks > 0 or machine_clicks > 0
    group by team_id, campaign_id, url_hash order by team_id, campaign_id, url_hash
    on conflict (team_id, campaign_id, url_hash) do update set clicks = n.clicks + excluded.clicks,
      people = n.people + excluded.people, machine_clicks = n.machine_clicks + excluded.machine_clicks
  )`);
