/** What follows for an email when something is learnt about its recipients, by an attempt or by a report. */
import { Fragment, statement, toJson, type Db } from '../../platform/database.ts';
import { CHANGE_COLUMNS, COUNT_CHANGES, COUNTS, toChangeRow, type Change } from '../analytics/tally.ts';
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

/**
 * The email's status, the counters and the events, once its recipients are written down. The worst unfinished or
 * failed recipient decides; opens and clicks show when there is none.
 */
export async function settleEmails(
  trx: Db,
  changes: (Change & { at: Date })[],
  events: NewEvent[],
): Promise<void> {
  const rows = changes.map((change) => ({ ...toChangeRow(change), at: change.at }));
  await statement(trx)`
    with given as materialized (
      select * from json_to_recordset(${toJson(rows)}::json) as g (${CHANGE_COLUMNS}, at timestamptz)
    ), touched as (
      select team_id, email_id, (min(at) at time zone 'utc')::date as day from given group by team_id, email_id
    ), worst as (
      select r.team_id, r.email_id, touched.day, (array['BOUNCED', 'COMPLAINED', 'DELIVERY_DELAYED', 'SENT', 'DELIVERED'])[
        min(case r.status when 'BOUNCED' then 1 when 'COMPLAINED' then 2 when 'DELIVERY_DELAYED' then 3
          when 'QUEUED' then 4 else 5 end)
      ] as status
      from email_recipients r join touched using (team_id, email_id)
      where r.status <> 'SUPPRESSED'
      group by r.team_id, r.email_id, touched.day
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
      select team_id, domain_id, campaign_id, day, is_copy, ${COUNTS} from given join settled using (team_id, email_id)
    ), ${COUNT_CHANGES}
    insert into email_events (${EVENT_COLUMNS})
    select ${EVENT_COLUMNS} from json_to_recordset(${toJson(events.map(toEventRow))}::json) as e (${TYPED_EVENT_COLUMNS})`;
}

/** Events that change nothing but the story of their email. */
export async function appendEvents(trx: Db, events: NewEvent[]): Promise<void> {
  await statement(trx)`
    insert into email_events (${EVENT_COLUMNS})
    select ${EVENT_COLUMNS} from json_to_recordset(${toJson(events.map(toEventRow))}::json) as e (${TYPED_EVENT_COLUMNS})`;
}

export const EVENT_COLUMNS = new Fragment('team_id, email_id, id, status, recipient, data, created_at');
export const TYPED_EVENT_COLUMNS = new Fragment(
  'team_id integer, email_id uuid, id uuid, status text, recipient text, data jsonb, created_at timestamptz',
);

export function toEventRow({ teamId, emailId, status, recipient, data, at }: NewEvent): object {
  return { team_id: teamId, email_id: emailId, id: newUuid(), status, recipient, data, created_at: at };
}
