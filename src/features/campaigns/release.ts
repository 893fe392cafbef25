/**
 * Letting the next people of a ledger go: their rows move on and each of them gets an email, a place in the queue and
 * a first event, all in the caller's transaction. Who has left meanwhile is skipped, and the ledger says why. The
 * caller holds the campaign's row, so nobody else releases from the same place.
 */
import { sql } from 'kysely';
import { parseMailbox, type Address } from '../../mail/address.ts';
import { statement, toArray, type Db } from '../../platform/database.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { STORE_AND_ENQUEUE } from '../emails/enqueue.ts';
import { PRIORITY } from '../emails/priority.ts';
import { topicCondition } from '../topics/contact-topics.ts';
import type { CampaignRow } from './campaign-row.ts';
import { skipReason, type SkipReason } from './skip-reason.ts';

export interface Releasing extends Pick<
  CampaignRow,
  'teamId' | 'id' | 'domainId' | 'sender' | 'subject' | 'replyTo' | 'cc' | 'bcc' | 'topicId'
> {
  /** Up to where people were released. */
  releasedTo: string;
  domain: string;
}

interface Judged {
  key: string;
  book: string;
  contact: string;
  email: string;
  /** Null: it goes to them. */
  reason: SkipReason | null;
}

interface Letter extends Judged {
  emailId: string;
}

/** How many got an email; others were skipped. */
export async function releaseRecipients(trx: Db, campaign: Releasing, count: number): Promise<number> {
  const judged = await judgeNext(trx, campaign, count);
  const letters = judged
    .filter(({ reason }) => reason === null)
    .map((person): Letter => ({ ...person, emailId: newUuid() }));
  if (judged.length > 0) await moveOn(trx, campaign, judged, letters);
  if (letters.length > 0) await storeLetters(trx, campaign, letters);
  await sql`
    update campaigns set released_to = ${judged.at(-1)?.key ?? campaign.releasedTo},
      released_all = ${judged.length < count}
    where team_id = ${campaign.teamId} and id = ${campaign.id}
  `.execute(trx);
  return letters.length;
}

/** Each contact is looked up by its key: before a new book was analysed, the planner would walk all of it for each. */
async function judgeNext(trx: Db, campaign: Releasing, count: number): Promise<Judged[]> {
  const { teamId, id, topicId, releasedTo } = campaign;
  const isInTopic = topicId ? topicCondition(teamId, topicId, 'c') : sql<boolean>`true`;
  const { rows } = await sql<Judged>`
    select b.address_key as key, b.contact_book_id as book, b.contact_id as contact, c.email,
      ${skipReason(isInTopic)} as reason
    from (
      select address_key, contact_book_id, contact_id from campaign_recipients
      where team_id = ${teamId} and campaign_id = ${id} and address_key > ${releasedTo}
      order by address_key limit ${count}
    ) b
    left join lateral (
      select id, contact_book_id, email, subscription from contacts
      where team_id = ${teamId} and contact_book_id = b.contact_book_id and id = b.contact_id
        and email_key = b.address_key limit 1
    ) c on true
    left join lateral (
      select address_key from suppressions
      where team_id = ${teamId} and address_key = b.address_key limit 1
    ) s on true
    order by b.address_key
  `.execute(trx);
  return rows;
}

/** By the range that was read, for the same reason. */
async function moveOn(trx: Db, { teamId, id, releasedTo }: Releasing, judged: Judged[], letters: Letter[]) {
  const emailIds = new Map(letters.map(({ key, emailId }) => [key, emailId]));
  await sql`
    update campaign_recipients l
    set state = case when j.reason is null then 'released' else 'skipped' end, reason = j.reason, email_id = j.email_id
    from unnest(
      ${judged.map(({ key }) => key)}::text[], ${judged.map(({ reason }) => reason)}::text[],
      ${toArray(judged, ({ key }) => emailIds.get(key) ?? null)}::uuid[]
    ) as j (address_key, reason, email_id)
    where l.team_id = ${teamId} and l.campaign_id = ${id} and l.address_key > ${releasedTo}
      and l.address_key <= ${judged.at(-1)!.key} and l.address_key = j.address_key
  `.execute(trx);
}

async function storeLetters(trx: Db, campaign: Releasing, letters: Letter[]): Promise<void> {
  const messageIds = letters.map(({ emailId }) => `<${encodeId('eml', emailId)}@${campaign.domain}>`);
  const copies = await findCopies(trx, campaign);
  await statement(trx)`
    with letter as (
      select * from unnest(
        ${toArray(letters, ({ emailId }) => emailId)}::uuid[], ${letters.map(({ email }) => email)}::text[],
        ${letters.map(({ key }) => key)}::text[], ${messageIds}::text[], ${toArray(letters, ({ book }) => book)}::uuid[],
        ${toArray(letters, ({ contact }) => contact)}::uuid[], ${toArray(letters, () => newUuid())}::uuid[]
      ) as l (id, email, key, message_id, book, contact, event_id)
    ), accepted as (
      select ${campaign.teamId}::integer as team_id, id, ${campaign.domainId}::integer as domain_id,
        'campaign' as source, 'QUEUED' as status, ${campaign.sender}::text as sender, array[email] as to_addresses,
        ${campaign.cc}::text[] as cc_addresses, ${campaign.bcc}::text[] as bcc_addresses,
        ${campaign.replyTo}::text[] as reply_to, ${campaign.subject}::text as subject, message_id,
        null::timestamptz as scheduled_at, ${campaign.id}::uuid as campaign_id, book as contact_book_id,
        contact as contact_id, ${PRIORITY.bulk}::smallint as priority, event_id
      from letter
    ), addressee as (
      select id as email_id, 0::smallint as no, email as address, key as address_key from letter
      union all
      select letter.id, copy.no, copy.address, copy.key from letter
      join unnest(
        ${toArray(copies, ({ no }) => no)}::smallint[], ${copies.map(({ address }) => address)}::text[],
        ${copies.map(({ key }) => key)}::text[]
      ) as copy (no, address, key) on copy.key <> letter.key
    ), recipient as (
      select ${campaign.teamId}::integer as team_id, addressee.*, false as suppressed, null::uuid as event_id
      from addressee
    ), ${STORE_AND_ENQUEUE}
    select from accepted`;
}

/** Everyone who gets a copy of each mail, once, and is not suppressed. */
async function findCopies(trx: Db, { teamId, cc, bcc }: Releasing) {
  if (cc.length + bcc.length === 0) return [];
  const addresses = [...cc, ...bcc].map((text): Address => parseMailbox(text)!);
  const { rows } = await sql<{ key: string }>`
    select address_key as key from suppressions
    where team_id = ${teamId} and address_key = any(${addresses.map(({ key }) => key)}::text[])
  `.execute(trx);
  const suppressed = new Set(rows.map(({ key }) => key));
  return [...new Map(addresses.map((address) => [address.key, address])).values()]
    .filter(({ key }) => !suppressed.has(key))
    .map(({ email, key }, at) => ({ no: at + 1, address: email, key }));
}
