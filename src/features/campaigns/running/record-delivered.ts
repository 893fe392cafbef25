/**
 * Records recipients of batches whose first attempt succeeded: one row in the ledger for each, the counters, and the calls
 * to webhooks. Emails, their recipients and events are derived from that row (the views campaign_emails and
 * campaign_events), until something else happens to them (sending/ledger/store-emails.ts).
 */
import { runText, toJson, type Db } from '../../../platform/database/database.ts';
import { CALL_WEBHOOKS_FOR_EMAILS } from '../../events/email-events.ts';
import { COUNT_BY_CAMPAIGN_DOMAIN } from '../../sending/counters/campaign-results.ts';
import { countChanges } from '../../sending/counters/counters.ts';
import type { CampaignRecipient } from '../compile-campaign.ts';
import type { LeasedBatch } from './lease-batches.ts';

export interface Delivered {
  batch: LeasedBatch;
  recipient: CampaignRecipient;
  at: Date;
  reply: object | null;
  transcript: string[] | null;
}

/**
 * A recipient that another process has recorded is left out, because its lease may have ended. The steps of the
 * statement, by their names in it:
 *
 *   outcome   the deliveries to record
 *   added     the rows of the ledger
 *   change    what each adds to the counters
 *             the counters of analytics and campaigns                      countChanges, COUNT_BY_CAMPAIGN_DOMAIN
 *   email_event
 *             QUEUED, SENT and DELIVERED, for webhooks alone               CALL_WEBHOOKS_FOR_EMAILS
 */
const STATEMENT = `
  with outcome as materialized (
    select * from json_to_recordset($1::json) as o (
      team_id integer, campaign_id uuid, address_key text, contact_book_id uuid, contact_id uuid, email_id uuid,
      variant smallint, due_at timestamptz, address text, at timestamptz, reply jsonb, transcript text[],
      tracks_opens boolean, tracks_clicks boolean, domain_id integer
    )
  ), added as (
    insert into campaign_recipients (
      team_id, campaign_id, address_key, contact_book_id, contact_id, state, email_id, variant, due_at, address, tried_at,
      reply, transcript, tracks_opens, tracks_clicks
    )
    select team_id, campaign_id, address_key, contact_book_id, contact_id, 'delivered', email_id, variant, due_at, address,
      at, reply, transcript, tracks_opens, tracks_clicks
    from outcome order by team_id, campaign_id, address_key
    on conflict do nothing
    returning team_id, campaign_id, address_key
  ), change as materialized (
    select o.*, null::jsonb as labels, o.at as tried_at, false as is_copy, 1 as sent, 1 as delivered, 0 as opened,
      0 as clicked, 0 as bounced, 0 as hard_bounced, 0 as complained, o.tracks_opens::integer as open_tracked,
      0 as open_tracked_opened, o.tracks_clicks::integer as click_tracked, 0 as click_tracked_clicked
    from outcome o join added using (team_id, campaign_id, address_key)
  ), ${countChanges({ hasCampaigns: true })}, ${COUNT_BY_CAMPAIGN_DOMAIN.text}, hook as materialized (
    select w.team_id, w.id, w.events from webhooks w
    where w.status <> 'disabled' and w.team_id in (select team_id from change)
  ), email_event as not materialized (
    select e.team_id, e.subject_id as email_id, e.id, upper(substr(e.type, 7)) as status, e.recipient, e.data,
      e.created_at, m.sender, m.to_addresses, m.subject, m.labels
    from (
      select o.team_id, o.campaign_id, o.variant, o.email_id as subject_id, ledger_event_id(o.email_id, step.no) as id,
        o.at as created_at, step.type,
        case when step.no > 1 then coalesce(o.address, o.address_key) end as recipient,
        case when step.no = 3 then o.reply end as data, coalesce(o.address, o.address_key) as to_address
      from change o
      cross join lateral (values (1, 'email.queued'), (2, 'email.sent'), (3, 'email.delivered')) as step (no, type)
      where o.team_id in (select team_id from hook)
    ) e
    cross join lateral (
      select coalesce(c.variants -> e.variant ->> 'sender', c.sender) as sender, array[e.to_address] as to_addresses,
        coalesce(c.variants -> e.variant ->> 'subject', c.subject) as subject, null::jsonb as labels
      from campaigns c where c.team_id = e.team_id and c.id = e.campaign_id
    ) m
  ), ${CALL_WEBHOOKS_FOR_EMAILS.text}
  select from change`;

export async function recordDelivered(db: Db, delivered: Delivered[]): Promise<void> {
  await runText(db, STATEMENT, [toJson(delivered.map(toRow))]);
}

function toRow({ batch, recipient, at, reply, transcript }: Delivered): object {
  const { address } = recipient;
  return {
    team_id: batch.teamId,
    campaign_id: batch.campaignId,
    address_key: address.key,
    contact_book_id: batch.contactBookId,
    contact_id: recipient.contactId,
    email_id: recipient.emailId,
    variant: batch.variant,
    due_at: batch.dueAt,
    address: address.email === address.key ? null : address.email,
    at,
    reply,
    transcript,
    tracks_opens: batch.tracksOpens,
    tracks_clicks: batch.tracksClicks,
    domain_id: batch.domainId,
  };
}
