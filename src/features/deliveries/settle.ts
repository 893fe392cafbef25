/**
 * What follows when something is learnt about a recipient, by an attempt or by a report: the recipient itself, the
 * email's status, the counters and the events, all in one statement.
 */
import { Fragment, statement, toJson, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { COUNT_CHANGES } from '../analytics/tally.ts';

export interface EmailKey {
  teamId: number;
  emailId: string;
}

export interface NewEvent extends EmailKey {
  status: Turn['status'];
  recipient: string | null;
  data: object | null;
  at: Date;
}

/** What a recipient has come to. */
export interface Turn extends EmailKey {
  no: number;
  recipient: string;
  status: 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'COMPLAINED' | 'SUPPRESSED';
  isHardBounce: boolean;
  data: object;
  at: Date;
}

export const TURN_COLUMNS = new Fragment(
  `team_id integer, email_id uuid, no smallint, recipient text, status text, is_hard boolean, data jsonb,
   at timestamptz, sent_id uuid, event_id uuid`,
);

export function toTurnRow({ teamId, emailId, no, recipient, status, isHardBounce, data, at }: Turn): object {
  return {
    team_id: teamId,
    email_id: emailId,
    no,
    recipient,
    status,
    is_hard: isHardBounce,
    data,
    at,
    sent_id: newUuid(),
    event_id: newUuid(),
  };
}

const IS_FINAL = `t.was in ('BOUNCED', 'COMPLAINED')`;
const BOUNCES = `(t.status = 'BOUNCED' and not ${IS_FINAL})`;

/**
 * Behind a `with` that has `turn`: the columns of turns, `was` (the recipient's status), `is_first` (nobody tried it
 * before) and `moves` (what is learnt now counts more). The worst unfinished or failed recipient decides about an
 * email, and one who is suppressed only where there is no other; opens and clicks show when there is none. Who was
 * delivered to and bounces since was not delivered to after all. Emails are updated in the order of their keys, as
 * whoever writes visits locks them.
 */
export const SETTLE_TURNS = new Fragment(`
  moved as (
    update email_recipients r set status = t.status from turn t
    where r.team_id = t.team_id and r.email_id = t.email_id and r.no = t.no and t.moves
  ), touched as (
    select team_id, email_id, (min(at) at time zone 'utc')::date as day from turn group by team_id, email_id
  ), recipient as (
    select r.team_id, r.email_id, touched.day, case when t.moves then t.status else coalesce(t.was, r.status) end as status
    from touched join email_recipients r using (team_id, email_id)
    left join turn t on t.team_id = r.team_id and t.email_id = r.email_id and t.no = r.no
  ), worst as (
    select team_id, email_id, day, (array['BOUNCED', 'COMPLAINED', 'DELIVERY_DELAYED', 'SENT', 'DELIVERED', 'SUPPRESSED'])[
      min(case status when 'BOUNCED' then 1 when 'COMPLAINED' then 2 when 'DELIVERY_DELAYED' then 3
        when 'QUEUED' then 4 when 'SUPPRESSED' then 6 else 5 end)
    ] as status
    from recipient group by team_id, email_id, day order by team_id, email_id
  ), settled as (
    update emails e set updated_at = now(),
      status = case when worst.status <> 'DELIVERED' then worst.status
        when e.clicked_at is not null then 'CLICKED' when e.opened_at is not null then 'OPENED'
        else 'DELIVERED' end,
      first_tried_on = coalesce(e.first_tried_on, worst.day)
    from worst
    where e.team_id = worst.team_id and e.id = worst.email_id
    returning e.team_id, e.id as email_id, e.domain_id, e.campaign_id, e.first_tried_on as day
  ), change as materialized (
    select t.team_id, s.domain_id, s.campaign_id, s.day, t.no > 0 as is_copy, t.is_first::integer as sent,
      case when t.status = 'DELIVERED' and t.was not in ('BOUNCED', 'COMPLAINED', 'DELIVERED') then 1
        when ${BOUNCES} and t.was = 'DELIVERED' then -1 else 0 end as delivered,
      0 as opened, 0 as clicked, ${BOUNCES}::integer as bounced, (${BOUNCES} and t.is_hard)::integer as hard_bounced,
      (t.status = 'COMPLAINED' and t.was <> 'COMPLAINED')::integer as complained
    from turn t join settled s using (team_id, email_id)
  ), ${COUNT_CHANGES.text}, told as (
    insert into email_events (team_id, email_id, id, status, recipient, data, created_at)
    select team_id, email_id, sent_id, 'SENT', recipient, null, at from turn where is_first
    union all
    select team_id, email_id, event_id, status, recipient, data, at from turn
  )`);

/** An event that changes nothing but the story of its email. */
export async function appendEvent(trx: Db, event: NewEvent): Promise<void> {
  await statement(trx)`
    insert into email_events (${EVENT_COLUMNS})
    select ${EVENT_COLUMNS} from json_to_recordset(${toJson([toEventRow(event)])}::json) as e (${TYPED_EVENT_COLUMNS})`;
}

export const EVENT_COLUMNS = new Fragment('team_id, email_id, id, status, recipient, data, created_at');
const TYPED_EVENT_COLUMNS = new Fragment(
  'team_id integer, email_id uuid, id uuid, status text, recipient text, data jsonb, created_at timestamptz',
);

function toEventRow({ teamId, emailId, status, recipient, data, at }: NewEvent): object {
  return { team_id: teamId, email_id: emailId, id: newUuid(), status, recipient, data, created_at: at };
}
