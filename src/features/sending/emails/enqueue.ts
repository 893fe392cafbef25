/**
 * The only file that adds rows to the queue of deliveries, and the only file that stores emails with their
 * recipients. Submitted emails, campaign emails and scheduled emails that become due all use these parts, so that
 * the columns, the recipient's domain and the first events of an email have one definition.
 *
 * Both fragments follow a `with` that has these two tables:
 *
 * - `accepted`, one row per email: team_id, id, domain_id, campaign_id, priority, source, sender, to_addresses,
 *   subject, labels, status and event_id. The status is QUEUED, SCHEDULED, or SUPPRESSED when every recipient is
 *   suppressed.
 * - `recipient`, one row per recipient of these emails: team_id, email_id, no, address, address_key, suppressed and
 *   event_id. `no` counts from 0 in the order of to, cc and bcc.
 *
 * The event_id of a recipient is needed only when the recipient is suppressed.
 */
import { Fragment } from '../../../platform/database/database.ts';
import { RECORD_EMAIL_EVENTS } from '../../events/email-events.ts';

/**
 * Adds one delivery for each recipient of a QUEUED email that is not suppressed. The first event of an email is its
 * status, and each suppressed recipient has its own event.
 */
export const ENQUEUE = new Fragment(`
  queued as (
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority,
      campaign_id)
    select r.team_id, r.email_id, r.no, a.domain_id, r.address, split_part(r.address_key, '@', 2), a.priority,
      a.campaign_id
    from recipient r join accepted a on a.team_id = r.team_id and a.id = r.email_id
    where a.status = 'QUEUED' and not r.suppressed
  ), email_event as not materialized (
    select team_id, id as email_id, event_id as id, status, null as recipient, null::jsonb as data,
      now() as created_at, source, sender, to_addresses, subject, labels
    from accepted where status <> 'SUPPRESSED'
    union all
    select a.team_id, a.id, r.event_id, 'SUPPRESSED', r.address, null, now(), a.source, a.sender,
      a.to_addresses, a.subject, a.labels
    from recipient r join accepted a on a.team_id = r.team_id and a.id = r.email_id
    where r.suppressed
  ), ${RECORD_EMAIL_EVENTS.text}`);

/**
 * Stores new emails and queues those that need not wait. Here `accepted` also has the other columns of emails:
 * cc_addresses, bcc_addresses, reply_to, message_id, scheduled_at, contact_book_id, contact_id, tracks_opens,
 * tracks_clicks and traceparent.
 */
export const STORE_AND_ENQUEUE = new Fragment(`
  stored as (
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id, scheduled_at, campaign_id, contact_book_id, contact_id, priority, labels,
      tracks_opens, tracks_clicks, traceparent)
    select team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject,
      message_id, scheduled_at, campaign_id, contact_book_id, contact_id, priority, labels, tracks_opens,
      tracks_clicks, traceparent
    from accepted
  ), stored_tag as (
    insert into email_tags (team_id, tag, email_id)
    select distinct team_id, (tag ->> 'name') || ':' || (tag ->> 'value'), id
    from accepted, jsonb_array_elements(labels -> 'tags') as tag where labels is not null
  ), stored_recipient as (
    insert into email_recipients (team_id, email_id, no, address, address_key, status)
    select r.team_id, r.email_id, r.no, r.address, r.address_key,
      case when r.suppressed then 'SUPPRESSED' else a.status end
    from recipient r join accepted a on a.team_id = r.team_id and a.id = r.email_id
  ), ${ENQUEUE.text}`);
