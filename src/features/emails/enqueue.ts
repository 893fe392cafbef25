/**
 * The only place that adds rows to the queue of deliveries, and the only place that stores emails with their
 * recipients. Submitted mail, mail of a campaign and scheduled mail whose time has come all use these parts, so that
 * the columns, the recipient's domain and the first events of an email have one definition.
 *
 * Both fragments follow a `with` that has these two tables:
 *
 * - `accepted`, one row per email: team_id, id, domain_id, campaign_id, priority, status and event_id. The status is
 *   QUEUED, SCHEDULED, or SUPPRESSED when every recipient is suppressed.
 * - `recipient`, one row per recipient of these emails: team_id, email_id, no, address, address_key, suppressed and
 *   event_id. `no` counts from 0 in the order of to, cc and bcc.
 *
 * An event_id that is null is filled in.
 */
import { Fragment } from '../../platform/database.ts';

/**
 * One delivery for each recipient of a QUEUED email who is not suppressed. The first event of an email is its status;
 * each suppressed recipient has an event of its own.
 */
export const ENQUEUE = new Fragment(`
  queued as (
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority,
      campaign_id)
    select r.team_id, r.email_id, r.no, a.domain_id, r.address, split_part(r.address_key, '@', 2), a.priority,
      a.campaign_id
    from recipient r join accepted a on a.team_id = r.team_id and a.id = r.email_id
    where a.status = 'QUEUED' and not r.suppressed
  ), first_event as (
    insert into email_events (team_id, email_id, id, status, recipient)
    select team_id, id, coalesce(event_id, make_uuid()), status, null from accepted where status <> 'SUPPRESSED'
    union all
    select team_id, email_id, coalesce(event_id, make_uuid()), 'SUPPRESSED', address from recipient where suppressed
  )`);

/**
 * Stores new emails and queues those that need not wait. Here `accepted` also has the other columns of emails: source,
 * sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject, message_id, scheduled_at, contact_book_id and
 * contact_id.
 */
export const STORE_AND_ENQUEUE = new Fragment(`
  stored as (
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id, scheduled_at, campaign_id, contact_book_id, contact_id, priority)
    select team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject,
      message_id, scheduled_at, campaign_id, contact_book_id, contact_id, priority
    from accepted
  ), stored_recipient as (
    insert into email_recipients (team_id, email_id, no, address, address_key, status)
    select r.team_id, r.email_id, r.no, r.address, r.address_key,
      case when r.suppressed then 'SUPPRESSED' else a.status end
    from recipient r join accepted a on a.team_id = r.team_id and a.id = r.email_id
  ), ${ENQUEUE.text}`);
