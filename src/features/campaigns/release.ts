/**
 * Letting the next people of a ledger go: one statement moves their rows on and gives each of them an email, a place
 * in the queue and a first event. Who has left meanwhile is skipped, and the ledger says why. The caller holds the
 * campaign's row, so nobody else releases from the same place.
 */
import { sql } from 'kysely';
import { parseMailbox, type Address } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { topicCondition } from '../topics/contact-topics.ts';
import type { CampaignRow } from './campaign-row.ts';

export interface Releasing extends Pick<
  CampaignRow,
  'teamId' | 'id' | 'domainId' | 'sender' | 'subject' | 'replyTo' | 'cc' | 'bcc' | 'topicId'
> {
  /** Up to where people were released. */
  releasedTo: string;
  domain: string;
}

export interface Released {
  /** How many got an email; others were skipped. */
  released: number;
  isLast: boolean;
}

export async function releaseRecipients(trx: Db, campaign: Releasing, count: number): Promise<Released> {
  const { teamId, id, domainId, topicId } = campaign;
  const emailIds = Array.from({ length: count }, newUuid);
  const messageIds = emailIds.map((emailId) => `<${encodeId('eml', emailId)}@${campaign.domain}>`);
  const copies = copiesOf(campaign);
  const leftTopic = topicId ? sql`${topicCondition(teamId, topicId, 'c')} is not true` : sql`false`;
  const { rows } = await sql<{ taken: number; released: number; last: string | null }>`
    with batch as materialized (
      select address_key, contact_book_id, contact_id from campaign_recipients
      where team_id = ${teamId} and campaign_id = ${id} and address_key > ${campaign.releasedTo}
      order by address_key limit ${count}
    ), judged as materialized (
      select b.address_key, b.contact_book_id, b.contact_id, c.email,
        case when c.id is null then 'deleted' when c.subscription <> 'subscribed' then 'unsubscribed'
          when s.address_key is not null then 'suppressed' when ${leftTopic} then 'left_topic' end as reason
      from batch b
      left join contacts c on c.team_id = ${teamId} and c.contact_book_id = b.contact_book_id and c.id = b.contact_id
        and c.email_key = b.address_key
      left join suppressions s on s.team_id = ${teamId} and s.address_key = b.address_key
    ), going as materialized (
      select g.address_key, g.contact_book_id, g.contact_id, g.email, made.email_id, made.message_id, made.event_id
      from (
        select *, row_number() over (order by address_key) as at from judged where reason is null
      ) g join unnest(
        ${emailIds}::uuid[], ${messageIds}::text[], ${emailIds.map(() => newUuid())}::uuid[]
      ) with ordinality as made (email_id, message_id, event_id, at) using (at)
    ), copies as (
      select * from unnest(
        ${copies.map(({ email }) => email)}::text[], ${copies.map(({ key }) => key)}::text[]
      ) with ordinality as k (address, key, no)
      where not exists (select 1 from suppressions s where s.team_id = ${teamId} and s.address_key = k.key)
    ), recipients as materialized (
      select email_id, 0 as no, email as address, address_key as key from going
      union all
      select going.email_id, copies.no, copies.address, copies.key from going cross join copies
      where copies.key <> going.address_key
    ), moved as (
      update campaign_recipients l
      set state = case when j.reason is null then 'released' else 'skipped' end, reason = j.reason, email_id = g.email_id
      from judged j left join going g using (address_key)
      where l.team_id = ${teamId} and l.campaign_id = ${id} and l.address_key = j.address_key
    ), mailed as (
      insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
        reply_to, subject, message_id, campaign_id, contact_book_id, contact_id)
      select ${teamId}, email_id, ${domainId}, 'campaign', 'QUEUED', ${campaign.sender}, array[email],
        ${campaign.cc}::text[], ${campaign.bcc}::text[], ${campaign.replyTo}::text[], ${campaign.subject}, message_id,
        ${id}, contact_book_id, contact_id
      from going
    ), kept as (
      insert into email_recipients (team_id, email_id, no, address, address_key, status)
      select ${teamId}, email_id, no, address, key, 'QUEUED' from recipients
    ), queued as (
      insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority,
        campaign_id)
      select ${teamId}, email_id, no, ${domainId}, address, split_part(key, '@', 2), 1, ${id} from recipients
    ), events as (
      insert into email_events (team_id, email_id, id, status)
      select ${teamId}, email_id, event_id, 'QUEUED' from going
    )
    select count(*) as taken, count(*) filter (where reason is null) as released, max(address_key) as last from judged
  `.execute(trx);
  const { taken, released, last } = rows[0]!;
  const isLast = taken < count;
  await sql`
    update campaigns set released_to = ${last ?? campaign.releasedTo}, released_all = ${isLast}
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  return { released, isLast };
}

/** Everyone who gets a copy of each mail, once. */
function copiesOf({ cc, bcc }: Pick<Releasing, 'cc' | 'bcc'>): Address[] {
  const addresses = [...cc, ...bcc].map((text) => parseMailbox(text)!);
  return [...new Map(addresses.map((address) => [address.key, address])).values()];
}
