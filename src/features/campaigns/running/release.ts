/**
 * Stores recipients of a batch as ordinary emails with entries in the queue, for everything but a first attempt that
 * succeeds: the destination is busy, others get a copy, or the attempt failed and is recorded or repeated.
 */
import { sql } from 'kysely';
import { parseMailbox, type Address } from '../../../mail/mime/address.ts';
import { statement, toNumberArray, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { STORE_AND_ENQUEUE } from '../../sending/emails/enqueue.ts';
import { PRIORITY } from '../../sending/emails/priority.ts';
import type { CampaignRow } from '../campaign-row.ts';
import type { CampaignRecipient } from '../compile-campaign.ts';
import { withVariant } from '../variants.ts';
import type { LeasedBatch } from './lease-batches.ts';

type ReleasedCampaign = Pick<
  CampaignRow,
  'sender' | 'subject' | 'replyTo' | 'cc' | 'bcc' | 'variants' | 'domainId'
>;

/** Returns the recipients that were not in the ledger yet. Another process may have recorded the others. */
export async function releaseRecipients(
  trx: Db,
  batch: LeasedBatch,
  recipients: CampaignRecipient[],
): Promise<CampaignRecipient[]> {
  const campaign = await findCampaign(trx, batch);
  if (!campaign) return [];
  const added = await addToLedger(trx, batch, recipients);
  const released = recipients.filter(({ address }) => added.has(address.key));
  if (released.length > 0) await storeEmails(trx, batch, campaign, released);
  return released;
}

async function findCampaign(trx: Db, batch: LeasedBatch): Promise<ReleasedCampaign | null> {
  const { rows } = await sql<ReleasedCampaign>`
    select sender, subject, reply_to as "replyTo", cc_addresses as cc, bcc_addresses as bcc, variants,
      domain_id as "domainId"
    from campaigns where team_id = ${batch.teamId} and id = ${batch.campaignId}
  `.execute(trx);
  return rows[0] ? withVariant(rows[0], batch.variant) : null;
}

async function addToLedger(
  trx: Db,
  { teamId, campaignId, contactBookId, variant, dueAt }: LeasedBatch,
  recipients: CampaignRecipient[],
): Promise<Set<string>> {
  const { rows } = await sql<{ key: Row<'campaign_recipients'>['address_key'] }>`
    insert into campaign_recipients (
      team_id, campaign_id, address_key, contact_book_id, contact_id, state, email_id, variant, due_at
    )
    select ${teamId}, ${campaignId}, r.key, ${contactBookId}, r.contact, 'released', r.email, ${variant}, ${dueAt}
    from unnest(
      ${recipients.map(({ address }) => address.key)}::text[], ${recipients.map(({ contactId }) => contactId)}::uuid[],
      ${recipients.map(({ emailId }) => emailId)}::uuid[]
    ) as r (key, contact, email)
    on conflict do nothing
    returning address_key as key
  `.execute(trx);
  return new Set(rows.map(({ key }) => key));
}

/**
 * The steps of the statement, by their names in it:
 *
 *   email_row        the recipients that are released, each with the IDs of its email and of its first event
 *   accepted         the emails as STORE_AND_ENQUEUE takes them; only the address differs between them
 *   email_recipient  the recipient of each email, and those who get a copy of it
 *   recipient        the same, as STORE_AND_ENQUEUE takes them
 */
async function storeEmails(
  trx: Db,
  { teamId, campaignId, contactBookId, domainId, tracksOpens, tracksClicks }: LeasedBatch,
  campaign: ReleasedCampaign,
  emails: CampaignRecipient[],
): Promise<void> {
  const copies = await findCopies(trx, teamId, campaign);
  await statement(trx)`
    with email_row as (
      select * from unnest(
        ${emails.map(({ emailId }) => emailId)}::uuid[], ${emails.map(({ address }) => address.email)}::text[],
        ${emails.map(({ address }) => address.key)}::text[], ${emails.map(({ messageId }) => messageId)}::text[],
        ${emails.map(({ contactId }) => contactId)}::uuid[], ${emails.map(() => newUuid())}::uuid[]
      ) as l (id, email, key, message_id, contact, event_id)
    ), accepted as (
      select ${teamId}::integer as team_id, email_row.id, ${domainId}::integer as domain_id,
        'campaign' as source, 'QUEUED' as status, ${campaign.sender}::text as sender, array[email] as to_addresses,
        ${campaign.cc}::text[] as cc_addresses, ${campaign.bcc}::text[] as bcc_addresses,
        ${campaign.replyTo}::text[] as reply_to, ${campaign.subject}::text as subject, message_id,
        null::timestamptz as scheduled_at, ${campaignId}::uuid as campaign_id,
        ${contactBookId}::uuid as contact_book_id, contact as contact_id, ${PRIORITY.bulk}::smallint as priority, event_id,
        null::jsonb as labels, ${tracksOpens}::boolean as tracks_opens, ${tracksClicks}::boolean as tracks_clicks,
        null::text as traceparent
      from email_row
    ), email_recipient as (
      select id as email_id, 0::smallint as no, email as address, key as address_key from email_row
      union all
      select email_row.id, copy.no, copy.address, copy.key from email_row
      join unnest(
        ${toNumberArray(copies, ({ no }) => no)}::smallint[], ${copies.map(({ address }) => address)}::text[],
        ${copies.map(({ key }) => key)}::text[]
      ) as copy (no, address, key) on copy.key <> email_row.key
    ), recipient as (
      select ${teamId}::integer as team_id, email_recipient.*, false as suppressed, null::uuid as event_id
      from email_recipient
    ), ${STORE_AND_ENQUEUE}
    select from accepted`;
}

/** The addresses that get a copy of each email, without duplicates and suppressed ones. */
async function findCopies(trx: Db, teamId: number, { cc, bcc }: ReleasedCampaign) {
  if (cc.length + bcc.length === 0) return [];
  const addresses = [...cc, ...bcc].map((text): Address => parseMailbox(text)!);
  const { rows } = await sql<{ key: Row<'suppressions'>['address_key'] }>`
    select address_key as key from suppressions
    where team_id = ${teamId} and address_key = any(${addresses.map(({ key }) => key)}::text[])
  `.execute(trx);
  const suppressed = new Set(rows.map(({ key }) => key));
  return [...new Map(addresses.map((address) => [address.key, address])).values()]
    .filter(({ key }) => !suppressed.has(key))
    .map(({ email, key }, at) => ({ no: at + 1, address: email, key }));
}
