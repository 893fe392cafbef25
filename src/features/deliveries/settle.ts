/** What follows for an email when something is learnt about its recipients, by an attempt or by a report. */
import { statement, toJson, type Db } from '../../platform/database.ts';
import type { Change } from '../analytics/tally.ts';
import { newUuid } from '../../platform/ids.ts';

export interface EmailKey {
  teamId: number;
  emailId: string;
}

export interface NewEvent extends EmailKey {
  status: 'SENT' | 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'COMPLAINED' | 'OPENED' | 'CLICKED';
  recipient: string | null;
  data: object | null;
  at: Date;
}

/** What a recipient has come to. */
interface Turn extends EmailKey {
  status: 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'COMPLAINED';
  isFirst: boolean;
  isHardBounce: boolean;
  /** Not the first recipient of its email. */
  isCopy: boolean;
}

/** What is final stays; who was delivered to and bounces since was not delivered to after all. */
export function changeOf(turn: Turn, was: string): Change {
  const { teamId, emailId, status, isFirst, isHardBounce, isCopy } = turn;
  const isFinal = was === 'BOUNCED' || was === 'COMPLAINED';
  const bounces = status === 'BOUNCED' && !isFinal;
  const delivers = status === 'DELIVERED' && !isFinal && was !== 'DELIVERED';
  return {
    teamId,
    emailId,
    isCopy,
    sent: isFirst ? 1 : 0,
    delivered: delivers ? 1 : bounces && was === 'DELIVERED' ? -1 : 0,
    bounced: bounces ? 1 : 0,
    hardBounced: bounces && isHardBounce ? 1 : 0,
    complained: status === 'COMPLAINED' && was !== 'COMPLAINED' ? 1 : 0,
  };
}

/** The worst unfinished or failed recipient decides; opens and clicks show when there is none. */
export async function settleEmails(trx: Db, emails: (EmailKey & { at: Date })[]): Promise<void> {
  const rows = emails.map(({ teamId, emailId, at }) => ({ team_id: teamId, email_id: emailId, at }));
  await statement(trx)`
    with touched as (
      select team_id, email_id, (min(at) at time zone 'utc')::date as day
      from json_to_recordset(${toJson(rows)}::json) as t (team_id integer, email_id uuid, at timestamptz)
      group by team_id, email_id
    ), worst as (
      select r.team_id, r.email_id, touched.day, (array['BOUNCED', 'COMPLAINED', 'DELIVERY_DELAYED', 'SENT', 'DELIVERED'])[
        min(case r.status when 'BOUNCED' then 1 when 'COMPLAINED' then 2 when 'DELIVERY_DELAYED' then 3
          when 'QUEUED' then 4 else 5 end)
      ] as status
      from email_recipients r join touched using (team_id, email_id)
      where r.status <> 'SUPPRESSED'
      group by r.team_id, r.email_id, touched.day
    )
    update emails e set updated_at = now(),
      status = case when worst.status <> 'DELIVERED' then worst.status
        when e.clicked_at is not null then 'CLICKED' when e.opened_at is not null then 'OPENED'
        else 'DELIVERED' end,
      first_tried_on = coalesce(e.first_tried_on, worst.day)
    from worst
    where e.team_id = worst.team_id and e.id = worst.email_id`;
}

export async function appendEvents(trx: Db, events: NewEvent[]): Promise<void> {
  const rows = events.map(({ teamId, emailId, status, recipient, data, at }) => ({
    team_id: teamId,
    email_id: emailId,
    id: newUuid(),
    status,
    recipient,
    data,
    created_at: at,
  }));
  await statement(trx)`
    insert into email_events (team_id, email_id, id, status, recipient, data, created_at)
    select team_id, email_id, id, status, recipient, data, created_at
    from json_to_recordset(${toJson(rows)}::json) as e (
      team_id integer, email_id uuid, id uuid, status text, recipient text, data jsonb, created_at timestamptz
    )`;
}
