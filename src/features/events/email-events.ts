/**
 * Events of emails, as parts of the statements that change emails, and as the API shows them.
 *
 * Both fragments follow a `with` that has `email_event`, one row per event: team_id, email_id, id, status, recipient,
 * data and created_at, and from the email source, sender, to_addresses, subject and labels. A statement that stores an
 * email cannot read it back, so it must provide these columns itself.
 */
import { Fragment } from '../../platform/database/database.ts';
import { RECORD_AND_NOTIFY } from './live-updates.ts';
import { MESSAGE_DATA, MESSAGE_IDS } from './message-events.ts';
import { EMAIL_HEAD, EMAIL_LABELS } from './present-email.ts';
import { appendToStream, callWebhooks } from './record-events.ts';

/** DELIVERED is the event email.delivered. */
const TYPE_OF_STATUS = `'email.' || lower(e.status)`;

/** The status of an email, as the API shows it in an event of this type. */
export function toEmailStatus(type: string): string {
  return type.slice('email.'.length).toUpperCase();
}

/**
 * The data of webhook calls. An event of an email has the status and the details, without the transcript of the SMTP
 * session, which only the page of the email shows. `message_ids` is set for an event of a mailbox's message, which has
 * the IDs of message-events.ts in place of these.
 */
const IDS = `coalesce(h.message_ids, jsonb_build_object('emailId', 'eml ' || h.email_id))`;
const NOTICE = `
  jsonb_build_object('recipient', h.recipient) || ${EMAIL_HEAD.text}
  || case when h.message_ids is null then jsonb_build_object('status', h.status, 'details', h.data - 'transcript')
      || ${EMAIL_LABELS.text}
    else '{}' end`;

const RECORD = `
  ${appendToStream({ from: 'happened', recipient: 'recipient', data: 'data' })}, hook as materialized (
    select w.team_id, w.id, w.events from webhooks w
    where w.status <> 'disabled' and w.team_id in (select e.team_id from email_event e)
  ), ${callWebhooks({ ids: IDS, data: NOTICE, order: 'h.message_ids is not null, h.id' })}`;

/** Calls webhooks for `email_event` without the stream. The statement must have `hook` already. */
export const CALL_WEBHOOKS_FOR_EMAILS = new Fragment(`
  happened as not materialized (
    select e.*, ${TYPE_OF_STATUS} as type, null::jsonb as message_ids from email_event e
  ), ${callWebhooks({ ids: IDS, data: NOTICE, order: 'h.id' })}`);

const OF_EMAILS = `
  select e.team_id, e.email_id, e.id, e.status, e.recipient, e.data, e.created_at, e.sender, e.to_addresses, e.subject,
    e.labels, ${TYPE_OF_STATUS} as type, e.email_id as subject_id, null::jsonb as message_ids
  from email_event e`;

/** For all changes except delivery attempts and reports. */
export const RECORD_EMAIL_EVENTS = new Fragment(`
  happened as not materialized (
    ${OF_EMAILS}
  ), ${RECORD}`);

/**
 * For delivery attempts and reports. An email that was written in a mailbox is also a message of that mailbox.
 * PostgreSQL checks the source of the email first, which is cheap, so messages are looked up for no other email. The
 * steps, by their names:
 *
 *   own_message    the message, for events that concern it
 *   message_event  its own events: `mailbox.message.sent` with the first SENT of the email, and
 *                  `mailbox.message.bounced` with each BOUNCED
 *   live_update    tells listening clients that it could not be sent                 RECORD_AND_NOTIFY
 *   happened       the events of the emails and of the messages                      RECORD
 */
export const RECORD_DELIVERY_EVENTS = new Fragment(`
  own_message as materialized (
    select e.*, m.mailbox_id, m.thread_id, m.id as message_id
    from email_event e cross join lateral (
      select mailbox_id, thread_id, id from messages where team_id = e.team_id and email_id = e.email_id limit 1
    ) m
    where e.source = 'mailbox' and e.status in ('SENT', 'BOUNCED', 'SUPPRESSED', 'FAILED')
  ), message_event as (
    select m.team_id, m.email_id, make_uuid() as id, m.status, m.recipient,
      ${MESSAGE_DATA.text} as data, m.created_at, m.sender,
      m.to_addresses, m.subject, m.labels,
      case m.status when 'SENT' then 'mailbox.message.sent' else 'mailbox.message.bounced' end as type,
      m.message_id as subject_id,
      ${MESSAGE_IDS.text} || jsonb_build_object('emailId', 'eml ' || m.email_id) as message_ids
    from own_message m
    where m.status = 'BOUNCED' or m.status = 'SENT'
      and not was_sent_before(m.team_id, m.email_id, m.id)
      and not exists (
        select from own_message other
        where other.team_id = m.team_id and other.email_id = m.email_id and other.status = 'SENT' and other.id < m.id
      )
  ), live_update as (
    select distinct team_id, mailbox_id, 'thread.changed' as type, thread_id, message_id
    from own_message where status <> 'SENT'
  ), ${RECORD_AND_NOTIFY.text}, happened as not materialized (
    ${OF_EMAILS}
    union all
    select * from message_event
  ), ${RECORD}`);
