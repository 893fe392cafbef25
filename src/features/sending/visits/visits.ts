/** Writes many visits in one statement. All are counted, and visits by people have further effects. */
import {
  retryDeadlocks,
  statement,
  toNumberArray,
  toJson,
  type Db,
} from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { ADD_CAMPAIGN_VISITS } from '../counters/campaign-results.ts';
import { COUNT_CHANGES } from '../counters/counters.ts';
import { storeLedgerEmails } from '../ledger/store-emails.ts';
import type { EmailRef } from '../../content/links/links.ts';
import {
  ADD_EVENTS,
  COUNT_VISITS,
  FIND_EMAILS,
  JUDGE_VISITS,
  COUNT_HOURS,
  MARK_CONTACTS,
  UPDATE_EMAILS,
} from './visit-steps.ts';

/** The visits to one email since the last write. */
export interface Visits extends EmailRef {
  /** Visits by people and bots. */
  opens: number;
  clicks: number;
  people: PeopleVisits | null;
  /** The clicks on each link, for campaign reports; null while there are none. */
  clickedLinks: Map<string, LinkClicks> | null;
}

export interface LinkClicks {
  people: number;
  machines: number;
}

export interface PeopleVisits {
  opens: number;
  clicks: number;
  /** `atMs` is by the monotonic clock of this process. */
  open: { atMs: number; userAgent: string } | null;
  click: { atMs: number; userAgent: string; url: string } | null;
}

export interface EarlyVisits<Some extends Visits> {
  /** Visits by people to emails whose first attempt is not recorded yet. They have no day to count on. */
  untried: Some[];
  /** Visits to emails that are not stored yet. They were not counted at all. */
  unknown: Some[];
}

/** Records all visits in one statement. Returns those that the caller passes again later. */
export async function recordVisits<Some extends Visits>(db: Db, visits: Some[]): Promise<EarlyVisits<Some>> {
  await storeLedgerEmails(db, visits);
  const early = await retryDeadlocks(() => writeVisits(db, visits));
  if (early.length === 0) return { untried: [], unknown: [] };
  const isKnown = new Map(early.map(({ email_id, is_known }) => [email_id, is_known]));
  return {
    untried: visits.filter(({ emailId }) => isKnown.get(emailId) === true),
    unknown: visits.filter(({ emailId }) => isKnown.get(emailId) === false),
  };
}

/**
 * One statement, so that everything or nothing is written, in one round trip to the database. Its steps, by their
 * names in it:
 *
 *   visit    the visits to record, one row for each email
 *   link_visit
 *            the clicks on each link of each email
 *   found    the emails of these visits, locked, with their earlier state                       FIND_EMAILS
 *   judged   which of the visits are first ones, and which need an event                        JUDGE_VISITS
 *   change   emails that were opened or clicked for the first time                              UPDATE_EMAILS
 *            the counters of analytics and campaigns, from `change`                             COUNT_CHANGES
 *   recorded OPENED and CLICKED events, and the calls to webhooks                               ADD_EVENTS
 *   counts   how often each email was visited, by people and bots                               COUNT_VISITS
 *   marked   when each contact last opened or clicked something                                 MARK_CONTACTS
 *            at which hours contacts open and click                                              COUNT_HOURS
 *            the lists and counts of campaign reports                                           ADD_CAMPAIGN_VISITS
 *
 * Returns the emails that people visited before their first attempt was recorded, whose visits are counted without
 * further effects, and the emails that are not stored.
 */
async function writeVisits(
  db: Db,
  visits: Visits[],
): Promise<(Row<'email_visits', 'email_id'> & { is_known: boolean })[]> {
  const nowMs = performance.now();
  return statement<Row<'email_visits', 'email_id'> & { is_known: boolean }>(db)`
    with visit as (
      select team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_id, click_event_id, open_agent,
        click_agent, url, now() - make_interval(secs => open_age_ms / 1000) as open_at,
        now() - make_interval(secs => click_age_ms / 1000) as click_at
      from rows from (
        unnest(
          ${toNumberArray(visits, ({ teamId }) => teamId)}::integer[], ${visits.map(({ emailId }) => emailId)}::uuid[],
          ${toNumberArray(visits, ({ opens }) => opens)}::bigint[], ${toNumberArray(visits, ({ clicks }) => clicks)}::bigint[],
          ${toNumberArray(visits, ({ people }) => people?.opens ?? 0)}::bigint[],
          ${toNumberArray(visits, ({ people }) => people?.clicks ?? 0)}::bigint[],
          ${visits.map(({ people }) => (people ? newUuid() : null))}::uuid[],
          ${visits.map(({ people }) => (people?.click ? newUuid() : null))}::uuid[],
          ${toNumberArray(visits, ({ people }) => (people?.open ? nowMs - people.open.atMs : null))}::float8[],
          ${toNumberArray(visits, ({ people }) => (people?.click ? nowMs - people.click.atMs : null))}::float8[]
        ),
        json_array_elements_text(${toJson(visits.map(({ people }) => people?.open?.userAgent ?? null))}::json),
        json_array_elements_text(${toJson(visits.map(({ people }) => people?.click?.userAgent ?? null))}::json),
        json_array_elements_text(${toJson(visits.map(({ people }) => people?.click?.url ?? null))}::json)
      ) as n (team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_id, click_event_id, open_age_ms,
        click_age_ms, open_agent, click_agent, url)
    ), link_visit as (
      select * from json_to_recordset(${toJson(visits.flatMap(toLinkRows))}::json)
        as l (team_id integer, email_id uuid, url text, clicks bigint, machine_clicks bigint)
    ), ${FIND_EMAILS}, ${JUDGE_VISITS}, ${UPDATE_EMAILS}, ${COUNT_CHANGES}, ${ADD_EVENTS}, ${COUNT_VISITS},
    ${MARK_CONTACTS}, ${COUNT_HOURS}, ${ADD_CAMPAIGN_VISITS}
    select visit.email_id, judged.email_id is not null as is_known
    from visit left join judged using (team_id, email_id)
    where judged.email_id is null or not judged.tried and judged.human_opens + judged.human_clicks > 0`;
}

function toLinkRows({ teamId, emailId, clickedLinks }: Visits): object[] {
  return [...(clickedLinks ?? [])].map(([url, { people, machines }]) => ({
    team_id: teamId,
    email_id: emailId,
    url,
    clicks: people,
    machine_clicks: machines,
  }));
}
