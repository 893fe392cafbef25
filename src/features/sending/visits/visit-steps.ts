/**
 * The steps of the statement in visits.ts. Each is a named part of its `with` and reads the parts before it.
 *
 * The first open and the first click of an email by a person count in analytics. A click shows that the email was
 * opened, even if its images were not loaded. When a person opens or clicks again, another event is written after a
 * minute, up to MAX_EVENTS for an email. Every visit, including those by bots, is counted in email_visits. The first
 * open and the first click by a bot count separately in the report of a campaign.
 */
import { Fragment } from '../../../platform/database/database.ts';
import { RECORD_EMAIL_EVENTS } from '../../events/email-events.ts';
import { FIRST_TRIED_AT, SLOT } from '../counters/count-columns.ts';

/** Anyone with the link can visit it any number of times, and each event may also call webhooks. */
const MAX_EVENTS = 100;

/**
 * Locks the emails in the order of their keys, as everywhere. `tried` is true if the first attempt is recorded.
 * `open_is_due` and `click_is_due` are true if the time since the last event is long enough for another one. A click on
 * another link than the last one does not wait.
 */
export const FIND_EMAILS = new Fragment(`
  found as materialized (
    select n.*, ${FIRST_TRIED_AT} is not null as tried, e.opened_at is null as is_unopened,
      e.clicked_at is null as is_unclicked, e.campaign_id, e.contact_book_id, e.contact_id,
      n.opens > n.human_opens as has_machine_open, n.clicks > n.human_clicks as has_machine_click,
      coalesce(v.machine_opened, false) as was_machine_opened,
      coalesce(v.machine_clicked, false) as was_machine_clicked, e.source, e.sender, e.to_addresses,
      e.subject, e.labels,
      coalesce(v.event_count, 0) < ${MAX_EVENTS} and
        coalesce(n.open_at >= v.open_event_at + interval '1 minute', n.open_at is not null) as open_is_due,
      coalesce(v.event_count, 0) < ${MAX_EVENTS} and
        coalesce(n.click_at >= v.click_event_at + interval '1 minute' or n.url <> v.click_event_url,
          n.click_at is not null) as click_is_due
    from visit n
    join emails e on e.team_id = n.team_id and e.id = n.email_id
    left join email_visits v on v.team_id = n.team_id and v.email_id = n.email_id
    order by e.team_id, e.id for no key update of e
  )`);

/**
 * `open_told_at` and `click_told_at` are the times of the events to write, or null. The first click on an email that
 * was never opened also writes an OPENED event, with the time and the user agent of the click.
 */
export const JUDGE_VISITS = new Fragment(`
  judged as materialized (
    select found.*, tried and is_unopened and coalesce(open_at, click_at) is not null as is_first_open,
      tried and is_unclicked and click_at is not null as is_first_click,
      has_machine_open and not was_machine_opened as is_first_machine_open,
      has_machine_click and not was_machine_clicked as is_first_machine_click,
      case when not tried then null when open_is_due then open_at when is_unopened then click_at end as open_told_at,
      case when open_is_due then open_agent else click_agent end as open_told_agent,
      case when tried and click_is_due then click_at end as click_told_at
    from found
  )`);

/**
 * OPENED and CLICKED show as the status only while all recipients are delivered, as in RECORD_RESULTS. Returns the
 * columns that COUNT_CHANGES takes.
 */
export const UPDATE_EMAILS = new Fragment(`
  change as (
    update emails e set updated_at = now(),
      opened_at = coalesce(e.opened_at, j.open_at, j.click_at), clicked_at = coalesce(e.clicked_at, j.click_at),
      status = case when e.status not in ('DELIVERED', 'OPENED') then e.status
        when coalesce(e.clicked_at, j.click_at) is not null then 'CLICKED' else 'OPENED' end
    from judged j
    where e.team_id = j.team_id and e.id = j.email_id and (j.is_first_open or j.is_first_click)
    returning e.team_id, e.domain_id, e.campaign_id, e.labels, ${FIRST_TRIED_AT} as tried_at, false as is_copy,
      j.is_first_open::integer as opened, j.is_first_click::integer as clicked,
      (j.is_first_open and e.tracks_opens is true)::integer as open_tracked_opened,
      (j.is_first_click and e.tracks_clicks is true)::integer as click_tracked_clicked,
      0 as sent, 0 as delivered, 0 as bounced, 0 as hard_bounced, 0 as complained, 0 as open_tracked, 0 as click_tracked
  )`);

export const ADD_EVENTS = new Fragment(`
  email_event as (
    select team_id, email_id, open_event_id as id, 'OPENED' as status, null as recipient,
      jsonb_build_object('userAgent', open_told_agent) as data, open_told_at as created_at, source, sender,
      to_addresses, subject, labels
    from judged where open_told_at is not null
    union all
    select team_id, email_id, click_event_id, 'CLICKED', null,
      jsonb_build_object('userAgent', click_agent, 'link', url), click_told_at, source, sender, to_addresses, subject,
      labels
    from judged where click_told_at is not null
  ), ${RECORD_EMAIL_EVENTS.text}`);

/** Visits by people to an email that was not tried yet are counted when they are passed again later. */
export const COUNT_VISITS = new Fragment(`
  counts as (
    insert into email_visits as v (team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_at,
      click_event_at, click_event_url, event_count, machine_opened, machine_clicked)
    select team_id, email_id, opens, clicks, case when tried then human_opens else 0 end,
      case when tried then human_clicks else 0 end, open_told_at, click_told_at,
      case when click_told_at is not null then url end,
      (open_told_at is not null)::integer + (click_told_at is not null)::integer, has_machine_open, has_machine_click
    from judged
    on conflict (team_id, email_id) do update set
      opens = v.opens + excluded.opens, clicks = v.clicks + excluded.clicks,
      human_opens = v.human_opens + excluded.human_opens, human_clicks = v.human_clicks + excluded.human_clicks,
      open_event_at = coalesce(excluded.open_event_at, v.open_event_at),
      click_event_at = coalesce(excluded.click_event_at, v.click_event_at),
      click_event_url = coalesce(excluded.click_event_url, v.click_event_url),
      event_count = v.event_count + excluded.event_count,
      machine_opened = v.machine_opened or excluded.machine_opened,
      machine_clicked = v.machine_clicked or excluded.machine_clicked
  )`);

/** For segments. `contact` locks the contacts in the usual order, by book and address. */
export const MARK_CONTACTS = new Fragment(`
  contact as (
    select c.team_id, c.contact_book_id, c.id, latest.opened_at, latest.clicked_at
    from (
      select team_id, contact_book_id, contact_id, max(coalesce(open_at, click_at)) as opened_at,
        max(click_at) as clicked_at
      from judged where tried and contact_id is not null and human_opens + human_clicks > 0
      group by team_id, contact_book_id, contact_id
    ) latest
    join contacts c on c.team_id = latest.team_id and c.contact_book_id = latest.contact_book_id
      and c.id = latest.contact_id
    order by c.contact_book_id, c.email_key for no key update of c
  ), marked as (
    update contacts c set last_opened_at = greatest(c.last_opened_at, seen.opened_at),
      last_clicked_at = greatest(c.last_clicked_at, seen.clicked_at)
    from contact seen
    where c.team_id = seen.team_id and c.contact_book_id = seen.contact_book_id and c.id = seen.id
  )`);

/** For campaigns that are sent at the best hour. Follows `contact`, which has locked the contacts. */
export const COUNT_HOURS = new Fragment(`
  visit_hour as materialized (
    select v.team_id, v.contact_book_id, v.contact_id, extract(hour from v.at at time zone 'utc')::smallint as hour
    from (
      select j.team_id, j.contact_book_id, j.contact_id, unnest(array[
        case when is_first_open then coalesce(open_at, click_at) end, case when is_first_click then click_at end
      ]) as at
      from judged j
    ) v
    join contact c on c.team_id = v.team_id and c.contact_book_id = v.contact_book_id and c.id = v.contact_id
    where v.at is not null
  ), contact_hour as (
    insert into contact_hours as h (team_id, contact_book_id, contact_id, hour, visits)
    select team_id, contact_book_id, contact_id, hour, count(*) from visit_hour
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (team_id, contact_book_id, contact_id, hour) do update set visits = h.visits + excluded.visits
  ), book_hour as (
    insert into contact_book_hours as h (team_id, contact_book_id, hour, slot, visits)
    select v.team_id, v.contact_book_id, v.hour, ${SLOT}, count(*) from visit_hour v
    join contact_books b on b.team_id = v.team_id and b.id = v.contact_book_id
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (team_id, contact_book_id, hour, slot) do update set visits = h.visits + excluded.visits
  )`);
