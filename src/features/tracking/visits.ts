/**
 * Writing visits down, many at once and in one statement: all of them in one table, and for people all that follows
 * from theirs.
 */
import { retryDeadlocks, statement, toArray, toJson, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { COUNT_CHANGES } from '../analytics/tally.ts';
import { EVENT_COLUMNS } from '../deliveries/settle.ts';
import type { EmailRef } from './links.ts';

/** Whoever has the link can visit it without end, and each event may also be a call to webhooks. */
const MAX_EVENTS = 100;

/** The visits to one email since it was last written down. */
export interface Visits extends EmailRef {
  /** Everybody's. */
  opens: number;
  clicks: number;
  people: PeopleVisits | null;
}

export interface PeopleVisits {
  opens: number;
  clicks: number;
  /** `atMs` is by the monotonic clock of this process. */
  open: { atMs: number; userAgent: string } | null;
  click: { atMs: number; userAgent: string; url: string } | null;
}

/**
 * The first open and the first click of an email by a person count; a click shows that it was opened, whether its
 * pictures were loaded or not. What a person does again is told again after a minute, up to
 * MAX_EVENTS events for one email; all of it is counted. Returns the emails whose first
 * attempt is not written down yet: what people did with them is early, and has no day to count on so far.
 */
export async function recordVisits(db: Db, visits: Visits[]): Promise<Visits[]> {
  const early = await retryDeadlocks(() => writeVisits(db, visits));
  if (early.length === 0) return [];
  const isEarly = new Set(early.map(({ email_id }) => email_id));
  return visits.filter(({ emailId }) => isEarly.has(emailId));
}

/**
 * `visit` is what came, `found` its emails, locked in one order, and `judged` what is new about them. An email's status
 * follows as `SETTLE_TURNS` has it: opens and clicks show while nobody bounced and everybody was delivered to. Contacts
 * learn their latest open and click, for segments, in the order in which they are locked everywhere.
 */
async function writeVisits(db: Db, visits: Visits[]): Promise<{ email_id: string }[]> {
  const nowMs = performance.now();
  return statement<{ email_id: string }>(db)`
    with visit as (
      select team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_id, click_event_id, open_agent,
        click_agent, url, now() - make_interval(secs => open_age_ms / 1000) as open_at,
        now() - make_interval(secs => click_age_ms / 1000) as click_at
      from rows from (
        unnest(
          ${toArray(visits, ({ teamId }) => teamId)}::integer[], ${toArray(visits, ({ emailId }) => emailId)}::uuid[],
          ${toArray(visits, ({ opens }) => opens)}::bigint[], ${toArray(visits, ({ clicks }) => clicks)}::bigint[],
          ${toArray(visits, ({ people }) => people?.opens ?? 0)}::bigint[],
          ${toArray(visits, ({ people }) => people?.clicks ?? 0)}::bigint[],
          ${toArray(visits, ({ people }) => (people ? newUuid() : null))}::uuid[],
          ${toArray(visits, ({ people }) => (people?.click ? newUuid() : null))}::uuid[],
          ${toArray(visits, ({ people }) => (people?.open ? nowMs - people.open.atMs : null))}::float8[],
          ${toArray(visits, ({ people }) => (people?.click ? nowMs - people.click.atMs : null))}::float8[]
        ),
        json_array_elements_text(${toJson(visits.map(({ people }) => people?.open?.userAgent ?? null))}::json),
        json_array_elements_text(${toJson(visits.map(({ people }) => people?.click?.userAgent ?? null))}::json),
        json_array_elements_text(${toJson(visits.map(({ people }) => people?.click?.url ?? null))}::json)
      ) as n (team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_id, click_event_id, open_age_ms,
        click_age_ms, open_agent, click_agent, url)
    ), found as materialized (
      select n.*, e.first_tried_on is not null as tried, e.opened_at is null as is_unopened,
        e.clicked_at is null as is_unclicked, e.contact_book_id, e.contact_id,
        coalesce(v.event_count, 0) < ${MAX_EVENTS} and
          coalesce(n.open_at >= v.open_event_at + interval '1 minute', n.open_at is not null) as open_is_due,
        coalesce(v.event_count, 0) < ${MAX_EVENTS} and
          coalesce(n.click_at >= v.click_event_at + interval '1 minute' or n.url <> v.click_event_url,
            n.click_at is not null) as click_is_due
      from visit n
      join emails e on e.team_id = n.team_id and e.id = n.email_id
      left join email_visits v on v.team_id = n.team_id and v.email_id = n.email_id
      order by e.team_id, e.id for no key update of e
    ), judged as materialized (
      select found.*, tried and is_unopened and coalesce(open_at, click_at) is not null as is_first_open,
        tried and is_unclicked and click_at is not null as is_first_click,
        case when not tried then null when open_is_due then open_at when is_unopened then click_at end as open_told_at,
        case when open_is_due then open_agent else click_agent end as open_told_agent,
        case when tried and click_is_due then click_at end as click_told_at
      from found
    ), change as (
      update emails e set updated_at = now(),
        opened_at = coalesce(e.opened_at, j.open_at, j.click_at), clicked_at = coalesce(e.clicked_at, j.click_at),
        status = case when e.status not in ('DELIVERED', 'OPENED') then e.status
          when coalesce(e.clicked_at, j.click_at) is not null then 'CLICKED' else 'OPENED' end
      from judged j
      where e.team_id = j.team_id and e.id = j.email_id and (j.is_first_open or j.is_first_click)
      returning e.team_id, e.domain_id, e.campaign_id, e.first_tried_on as day, false as is_copy,
        j.is_first_open::integer as opened, j.is_first_click::integer as clicked,
        0 as sent, 0 as delivered, 0 as bounced, 0 as hard_bounced, 0 as complained
    ), ${COUNT_CHANGES}, event as (
      insert into email_events (${EVENT_COLUMNS})
      select team_id, email_id, open_event_id, 'OPENED', null, jsonb_build_object('userAgent', open_told_agent),
        open_told_at
      from judged where open_told_at is not null
      union all
      select team_id, email_id, click_event_id, 'CLICKED', null,
        jsonb_build_object('userAgent', click_agent, 'link', url), click_told_at
      from judged where click_told_at is not null
    ), counts as (
      insert into email_visits as v (team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_at,
        click_event_at, click_event_url, event_count)
      select team_id, email_id, opens, clicks, case when tried then human_opens else 0 end,
        case when tried then human_clicks else 0 end, open_told_at, click_told_at,
        case when click_told_at is not null then url end,
        (open_told_at is not null)::integer + (click_told_at is not null)::integer
      from judged
      on conflict (team_id, email_id) do update set
        opens = v.opens + excluded.opens, clicks = v.clicks + excluded.clicks,
        human_opens = v.human_opens + excluded.human_opens, human_clicks = v.human_clicks + excluded.human_clicks,
        open_event_at = coalesce(excluded.open_event_at, v.open_event_at),
        click_event_at = coalesce(excluded.click_event_at, v.click_event_at),
        click_event_url = coalesce(excluded.click_event_url, v.click_event_url),
        event_count = v.event_count + excluded.event_count
    ), contact as (
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
    )
    select email_id from judged where not tried and human_opens + human_clicks > 0`;
}
