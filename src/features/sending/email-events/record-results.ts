/**
 * Records a result for a recipient, from an attempt or a report: the recipient, the email's status, the
 * counters and the events, in one statement.
 */
import type { BounceReason } from '../../../mail/bounces/bounce-reason.ts';
import { Fragment, statement, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { RECORD_DELIVERY_EVENTS } from '../../events/email-events.ts';
import { ADD_CAMPAIGN_RESULTS } from '../counters/campaign-results.ts';
import { FIRST_TRIED_AT } from '../counters/count-columns.ts';
import { countChanges } from '../counters/counters.ts';

export type EmailKey = CamelRow<'email_recipients', 'team_id' | 'email_id'>;

export interface NewEvent extends EmailKey {
  status: RecipientResult['status'];
  recipient: string | null;
  data: object | null;
  at: Date;
}

/** The new state of a recipient. */
export interface RecipientResult extends EmailKey {
  no: number;
  recipient: string;
  status: 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'COMPLAINED' | 'SUPPRESSED' | 'FAILED';
  isHardBounce: boolean;
  /** Null if the recipient did not bounce. */
  bounceReason: BounceReason | null;
  data: object;
  at: Date;
}

export const RESULT_COLUMNS = new Fragment(
  `team_id integer, email_id uuid, no smallint, recipient text, status text, is_hard boolean, bounce_reason text, data jsonb,
   at timestamptz, sent_id uuid, event_id uuid`,
);

export function toResultRow({
  teamId,
  emailId,
  no,
  recipient,
  status,
  isHardBounce,
  bounceReason,
  data,
  at,
}: RecipientResult): object {
  return {
    team_id: teamId,
    email_id: emailId,
    no,
    recipient,
    status,
    is_hard: isHardBounce,
    bounce_reason: bounceReason,
    data,
    at,
    sent_id: newUuid(),
    event_id: newUuid(),
  };
}

const IS_FINAL = `t.was in ('BOUNCED', 'COMPLAINED')`;
/** An email has reached someone when one of its recipients has such a status. */
const REACHED = (status: string) => `${status} in ('DELIVERED', 'COMPLAINED')`;
const BOUNCES = `(t.status = 'BOUNCED' and not ${IS_FINAL})`;

/** What is known about the results, so that steps without work can be left out of the statement. */
export interface KnownAboutResults {
  /** True if no email has another recipient. */
  areLone: boolean;
  /** False if no email is part of a campaign. */
  hasCampaigns: boolean;
}

/**
 * Follows a `with` that has `result`, one row per result: RESULT_COLUMNS, `address_key`, `was` (the recipient's status
 * before), `is_first` (this was the first attempt) and `moves` (the result replaces that status). The steps, by their
 * names:
 *
 *   moved        the status of each recipient
 *   worst        the status of each email, from its recipients (FROM_ALL_RECIPIENTS or FROM_ITS_RECIPIENT)
 *   settled      the updated emails
 *   change       what each result adds to the counters; the first result also adds what counts once per email
 *                the counters of analytics and campaigns                            countChanges
 *                the lists and counts of campaign reports                           ADD_CAMPAIGN_RESULTS
 *   email_event  one event per result, and before it SENT for a first attempt
 *                the stream of events, and the calls to webhooks                    RECORD_DELIVERY_EVENTS
 *
 * A recipient that bounces after the delivery no longer counts as delivered. A recipient that failed without an attempt
 * counts nowhere. Emails are updated in the order of their keys, in which visits lock them too.
 */
export function recordResults({ areLone, hasCampaigns }: KnownAboutResults): string {
  return `
  moved as (
    update email_recipients r set status = t.status from result t
    where r.team_id = t.team_id and r.email_id = t.email_id and r.no = t.no and t.moves
  ), ${areLone ? FROM_ITS_RECIPIENT : FROM_ALL_RECIPIENTS}, settled as (
    update emails e set updated_at = now(),
      status = case when worst.status <> 'DELIVERED' then worst.status
        when e.clicked_at is not null then 'CLICKED' when e.opened_at is not null then 'OPENED'
        else 'DELIVERED' end,
      first_tried_at = coalesce(${FIRST_TRIED_AT}, worst.first_at)
    from worst
    where e.team_id = worst.team_id and e.id = worst.email_id
    returning e.team_id, e.id as email_id, e.domain_id, e.campaign_id,
      coalesce(e.first_tried_at, worst.at) as tried_at, e.source, e.sender, e.to_addresses, e.subject,
      e.labels, worst.lead_no, coalesce(e.tracks_opens, false)::integer * worst.reached as open_tracked,
      coalesce(e.tracks_clicks, false)::integer * worst.reached as click_tracked
  ), change as materialized (
    select t.*, s.domain_id, s.campaign_id, s.tried_at, s.source, s.sender, s.to_addresses, s.subject, s.labels,
      t.no > 0 as is_copy, t.is_first::integer as sent,
      case when t.status = 'DELIVERED' and t.was not in ('BOUNCED', 'COMPLAINED', 'DELIVERED') then 1
        when ${BOUNCES} and t.was = 'DELIVERED' then -1 else 0 end as delivered,
      0 as opened, 0 as clicked, ${BOUNCES}::integer as bounced, (${BOUNCES} and t.is_hard)::integer as hard_bounced,
      (t.status = 'COMPLAINED' and t.was <> 'COMPLAINED')::integer as complained,
      case when t.no = s.lead_no then s.open_tracked else 0 end as open_tracked, 0 as open_tracked_opened,
      case when t.no = s.lead_no then s.click_tracked else 0 end as click_tracked, 0 as click_tracked_clicked
    from result t join settled s using (team_id, email_id)
  ), ${countChanges({ hasCampaigns })}, ${hasCampaigns ? `${ADD_CAMPAIGN_RESULTS.text},` : ''} email_event as (
    select team_id, email_id, sent_id as id, 'SENT' as status, recipient, null::jsonb as data, at as created_at, source,
      sender, to_addresses, subject, labels
    from change where is_first
    union all
    select team_id, email_id, event_id, status, recipient, data, at, source, sender, to_addresses, subject, labels
    from change
  ), ${RECORD_DELIVERY_EVENTS.text}`;
}

/**
 * The worst recipient that is unfinished or failed decides the status of an email. A suppressed recipient decides it only
 * when there is no other. OPENED and CLICKED show when all recipients are delivered.
 *
 *   touched      the emails of these results; the result of the recipient `lead_no` counts what the whole email adds
 *   recipient    all recipients of these emails, with their new statuses
 */
const FROM_ALL_RECIPIENTS = `
  touched as (
    select team_id, email_id, min(no) as lead_no, min(at) as at, min(at) filter (where is_first) as first_at
    from result group by team_id, email_id
  ), recipient as (
    select touched.*, coalesce(t.was, r.status) as was,
      case when t.moves then t.status else coalesce(t.was, r.status) end as status
    from touched join email_recipients r using (team_id, email_id)
    left join result t on t.team_id = r.team_id and t.email_id = r.email_id and t.no = r.no
  ), worst as (
    select team_id, email_id, lead_no, at, first_at,
      bool_or(${REACHED('status')})::integer - bool_or(${REACHED('was')})::integer as reached,
      (array['BOUNCED', 'COMPLAINED', 'FAILED', 'DELIVERY_DELAYED', 'SENT', 'DELIVERED', 'SUPPRESSED'])[
        min(case status when 'BOUNCED' then 1 when 'COMPLAINED' then 2 when 'FAILED' then 3
          when 'DELIVERY_DELAYED' then 4 when 'QUEUED' then 5 when 'SUPPRESSED' then 7 else 6 end)
      ] as status
    from recipient group by team_id, email_id, lead_no, at, first_at order by team_id, email_id
  )`;

/** The same for emails with one recipient each. An attempt never leaves its recipient QUEUED. */
const FROM_ITS_RECIPIENT = `
  worst as (
    select team_id, email_id, no as lead_no, at, case when is_first then at end as first_at,
      (${REACHED('final')})::integer - (${REACHED('was')})::integer as reached, final as status
    from (select *, case when moves then status else was end as final from result) of_email
    order by team_id, email_id
  )`;

export const RECORD_RESULTS = new Fragment(recordResults({ areLone: false, hasCampaigns: true }));

/** Adds an event without changing anything else. */
export async function appendEvent(
  trx: Db,
  { teamId, emailId, status, recipient, data, at }: NewEvent,
): Promise<void> {
  await statement(trx)`
    with email_event as (
      select team_id, id as email_id, ${newUuid()}::uuid as id, ${status}::text as status, ${recipient}::text as recipient,
        ${data && JSON.stringify(data)}::jsonb as data, ${at}::timestamptz as created_at, source, sender, to_addresses,
        subject, labels
      from emails where team_id = ${teamId} and id = ${emailId}
    ), ${RECORD_DELIVERY_EVENTS}
    select`;
}
