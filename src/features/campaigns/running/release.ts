/**
 * Releases the next recipients of the ledger in the caller's transaction: each gets an email, a queue entry and
 * a first event. Contacts that left since the start are skipped with a reason. The caller holds the lock on the
 * campaign row, so no one else releases the same recipients.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseMailbox, type Address } from '../../../mail/mime/address.ts';
import { statement, toNumberArray, type Db } from '../../../platform/database/database.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { STORE_AND_ENQUEUE } from '../../sending/emails/enqueue.ts';
import { PRIORITY } from '../../sending/emails/priority.ts';
import { topicCondition } from '../../audience/segments/topic-condition.ts';
import type { CampaignRow } from '../campaign-row.ts';
import { skipReason, type SkipReason } from '../skip-reason.ts';
import { withVariant } from '../variants.ts';

export interface ReleasingCampaign extends Pick<
  CampaignRow,
  | 'teamId'
  | 'id'
  | 'domainId'
  | 'sender'
  | 'subject'
  | 'replyTo'
  | 'cc'
  | 'bcc'
  | 'topicId'
  | 'variants'
  | 'testSentAt'
  | 'winner'
  | 'localTime'
  | 'trackOpens'
  | 'trackClicks'
> {
  /** The address key of the last released recipient. */
  releasedTo: string;
  /** With `localTime`, the time when that recipient was due. Null before the first. */
  releasedDueAt: Date | null;
  /** The time of the database. */
  now: Date;
}

interface CheckedRecipient {
  key: string;
  book: string;
  contact: string;
  email: Row<'contacts'>['email'];
  variant: Row<'campaign_recipients'>['variant'];
  dueAt: Date | null;
  /** Null when the email should be sent. */
  reason: SkipReason | null;
}

interface CampaignEmail extends CheckedRecipient {
  emailId: string;
}

/** Returns the number of recipients that were not skipped. */
export async function releaseRecipients(
  trx: Db,
  campaign: ReleasingCampaign,
  count: number,
): Promise<number> {
  const checked = await checkNext(trx, campaign, count);
  const emails = checked
    .filter(({ reason }) => reason === null)
    .map((recipient): CampaignEmail => ({ ...recipient, emailId: newUuid() }));
  if (checked.length > 0) await updateLedger(trx, campaign, checked, emails);
  for (const variant of new Set(emails.map((email) => email.variant))) {
    const ofVariant = emails.filter((email) => email.variant === variant);
    await storeCampaignEmails(trx, withVariant(campaign, variant), ofVariant);
  }
  const last = checked.at(-1);
  const released = {
    ...campaign,
    releasedTo: last?.key ?? campaign.releasedTo,
    releasedDueAt: last?.dueAt ?? campaign.releasedDueAt,
  };
  await storeProgress(trx, released, checked.length < count);
  return emails.length;
}

/** Recipients with local times are ordered by time and address, all others by address alone. */
function isAfter(
  { localTime, releasedTo, releasedDueAt }: ReleasingCampaign,
  alias = 'campaign_recipients',
): RawBuilder<boolean> {
  const [due, key] = [sql.ref(`${alias}.due_at`), sql.ref(`${alias}.address_key`)];
  if (localTime === null) return sql`${key} > ${releasedTo}`;
  return sql`(${due}, ${key}) > (coalesce(${releasedDueAt}::timestamptz, '-infinity'), ${releasedTo})`;
}

async function storeProgress(trx: Db, campaign: ReleasingCampaign, isLast: boolean): Promise<void> {
  const { teamId, id, localTime, releasedTo, releasedDueAt } = campaign;
  if (localTime === null) {
    await sql`
      update campaigns set released_to = ${releasedTo}, released_all = ${isLast}
      where team_id = ${teamId} and id = ${id}
    `.execute(trx);
    return;
  }
  await sql`
    update campaigns set released_to = ${releasedTo}, released_due_at = ${releasedDueAt}, next_due_at = next.due_at,
      released_all = next.due_at is null
    from (select (
      select due_at from campaign_recipients
      where team_id = ${teamId} and campaign_id = ${id} and due_at is not null and state = 'pending'
        and ${isAfter(campaign)}
      order by due_at, address_key limit 1
    ) as due_at) as next
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
}

/** Looks up each contact by key, because the planner would scan the whole book until a new book is analysed. */
async function checkNext(trx: Db, campaign: ReleasingCampaign, count: number): Promise<CheckedRecipient[]> {
  const { teamId, id, topicId, variants, testSentAt, winner, localTime, now } = campaign;
  // An A/B test is sent first. The other recipients get the winner.
  const isNext = !variants ? sql`true` : testSentAt ? sql`variant is null` : sql`variant is not null`;
  const isDue =
    localTime === null ? sql`true` : sql`due_at is not null and due_at <= ${now} and state = 'pending'`;
  const order = localTime === null ? sql`address_key` : sql`due_at, address_key`;
  const isInTopic = topicId ? topicCondition(teamId, topicId, 'c') : sql<boolean>`true`;
  const { rows } = await sql<CheckedRecipient>`
    select b.address_key as key, b.contact_book_id as book, b.contact_id as contact, c.email,
      coalesce(b.variant, ${winner}::smallint) as variant, b.due_at as "dueAt", ${skipReason(isInTopic)} as reason
    from (
      select address_key, contact_book_id, contact_id, variant, due_at from campaign_recipients
      where team_id = ${teamId} and campaign_id = ${id} and ${isAfter(campaign)} and ${isNext} and ${isDue}
      order by ${order} limit ${count}
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
    order by ${localTime === null ? sql`b.address_key` : sql`b.due_at, b.address_key`}
  `.execute(trx);
  return rows;
}

/** Names the range that was read, because the planner would otherwise scan the ledger until it is analysed. */
async function updateLedger(
  trx: Db,
  campaign: ReleasingCampaign,
  checked: CheckedRecipient[],
  emails: CampaignEmail[],
) {
  const { teamId, id } = campaign;
  const { key, dueAt } = checked.at(-1)!;
  const isInRange =
    dueAt === null
      ? sql`l.address_key <= ${key}`
      : sql`l.due_at is not null and (l.due_at, l.address_key) <= (${dueAt}::timestamptz, ${key})`;
  const emailIds = new Map(emails.map(({ key, emailId }) => [key, emailId]));
  await sql`
    update campaign_recipients l
    set state = case when j.reason is null then 'released' else 'skipped' end, reason = j.reason, email_id = j.email_id,
      variant = j.variant
    from unnest(
      ${checked.map((recipient) => recipient.key)}::text[], ${checked.map(({ reason }) => reason)}::text[],
      ${checked.map((recipient) => emailIds.get(recipient.key) ?? null)}::uuid[],
      ${toNumberArray(checked, ({ variant }) => variant)}::smallint[]
    ) as j (address_key, reason, email_id, variant)
    where l.team_id = ${teamId} and l.campaign_id = ${id} and ${isAfter(campaign, 'l')} and ${isInRange}
      and l.address_key = j.address_key
  `.execute(trx);
}

/**
 * The steps of the statement, by their names in it:
 *
 *   email_row        the recipients that are released, each with the IDs of its email and of its first event
 *   accepted         the emails as STORE_AND_ENQUEUE takes them; only the address differs between them
 *   email_recipient  the recipient of each email, and those who get a copy of it
 *   recipient        the same, as STORE_AND_ENQUEUE takes them
 */
async function storeCampaignEmails(
  trx: Db,
  campaign: ReleasingCampaign,
  emails: CampaignEmail[],
): Promise<void> {
  const { domain } = parseMailbox(campaign.sender)!;
  const messageIds = emails.map(({ emailId }) => `<${encodeId('eml', emailId)}@${domain}>`);
  const copies = await findCopies(trx, campaign);
  await statement(trx)`
    with email_row as (
      select * from unnest(
        ${emails.map(({ emailId }) => emailId)}::uuid[], ${emails.map(({ email }) => email)}::text[],
        ${emails.map(({ key }) => key)}::text[], ${messageIds}::text[], ${emails.map(({ book }) => book)}::uuid[],
        ${emails.map(({ contact }) => contact)}::uuid[], ${emails.map(() => newUuid())}::uuid[]
      ) as l (id, email, key, message_id, book, contact, event_id)
    ), accepted as (
      select ${campaign.teamId}::integer as team_id, email_row.id, ${campaign.domainId}::integer as domain_id,
        'campaign' as source, 'QUEUED' as status, ${campaign.sender}::text as sender, array[email] as to_addresses,
        ${campaign.cc}::text[] as cc_addresses, ${campaign.bcc}::text[] as bcc_addresses,
        ${campaign.replyTo}::text[] as reply_to, ${campaign.subject}::text as subject, message_id,
        null::timestamptz as scheduled_at, ${campaign.id}::uuid as campaign_id, book as contact_book_id,
        contact as contact_id, ${PRIORITY.bulk}::smallint as priority, event_id,
        null::jsonb as labels,
        coalesce(${campaign.trackOpens}, domain.open_tracking, false) as tracks_opens,
        coalesce(${campaign.trackClicks}, domain.click_tracking, false) as tracks_clicks, null::text as traceparent
      from email_row
      left join domains domain on domain.team_id = ${campaign.teamId} and domain.id = ${campaign.domainId}
    ), email_recipient as (
      select id as email_id, 0::smallint as no, email as address, key as address_key from email_row
      union all
      select email_row.id, copy.no, copy.address, copy.key from email_row
      join unnest(
        ${toNumberArray(copies, ({ no }) => no)}::smallint[], ${copies.map(({ address }) => address)}::text[],
        ${copies.map(({ key }) => key)}::text[]
      ) as copy (no, address, key) on copy.key <> email_row.key
    ), recipient as (
      select ${campaign.teamId}::integer as team_id, email_recipient.*, false as suppressed, null::uuid as event_id
      from email_recipient
    ), ${STORE_AND_ENQUEUE}
    select from accepted`;
}

/** The addresses that get a copy of each email, without duplicates and suppressed ones. */
async function findCopies(trx: Db, { teamId, cc, bcc }: ReleasingCampaign) {
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
