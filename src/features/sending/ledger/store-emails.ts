/**
 * Gives emails of campaigns that are only in the ledger rows in emails and email_recipients, because something has
 * happened to them that only those tables can hold: an open, a click, a bounce, a complaint. Emails that have these rows,
 * and unknown ones, are left alone.
 */
import { statement, toNumberArray, type Db } from '../../../platform/database/database.ts';
import type { EmailKey } from '../email-events/record-results.ts';

/**
 * The statement sees the ledger as it was before the change, so `moved` and the view agree. A concurrent call waits for
 * the row and then finds it changed.
 */
export async function storeLedgerEmails(db: Db, emails: readonly EmailKey[]): Promise<void> {
  await statement(db)`
    with moved as (
      update campaign_recipients l set state = 'released'
      from unnest(
        ${toNumberArray(emails, ({ teamId }) => teamId)}::integer[], ${emails.map(({ emailId }) => emailId)}::uuid[]
      ) as k (team_id, email_id)
      where l.team_id = k.team_id and l.email_id = k.email_id and l.tried_at is not null and l.state = 'delivered'
      returning l.team_id, l.email_id
    ), stored as (
      insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
        reply_to, subject, message_id, priority, campaign_id, contact_book_id, contact_id, created_at, updated_at,
        first_tried_at, tracks_opens, tracks_clicks)
      select e.team_id, e.id, e.domain_id, e.source, e.status, e.sender, e.to_addresses, e.cc_addresses,
        e.bcc_addresses, e.reply_to, e.subject, e.message_id, e.priority, e.campaign_id, e.contact_book_id, e.contact_id,
        e.created_at, e.updated_at, e.first_tried_at, e.tracks_opens, e.tracks_clicks
      from moved m join campaign_emails e on e.team_id = m.team_id and e.id = m.email_id
    )
    insert into email_recipients (team_id, email_id, no, address, address_key, status)
    select l.team_id, l.email_id, 0, coalesce(l.address, l.address_key), l.address_key, 'DELIVERED'
    from moved m join campaign_recipients l on l.team_id = m.team_id and l.email_id = m.email_id and l.tried_at is not null`;
}
