/**
 * Unsubscribes by the link or the address in an email. Both can be used repeatedly, and also succeed for a deleted
 * contact.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { domainOfBounceHost } from '../../../mail/auth/dns-records.ts';
import { readReturnPath } from '../../../mail/bounces/return-path.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { updateContactRow } from '../contacts/update-contacts.ts';
import { changeContactTopics } from '../topics/change-topics.ts';
import {
  unsubscribeAddressMac,
  UNSUBSCRIBE_PREFIX,
  type UnsubscribeLink,
  type ContactRef,
} from '../../content/links/links.ts';
import { findOnceRecorded } from '../../sending/ledger/await-outcome.ts';
import { findContact, findTopic } from './find-contact.ts';
import { SLOT } from '../../sending/counters/count-columns.ts';

/** Recorded as the author of changes that contacts make themselves. */
export const RECIPIENT = 'recipient';

/** `link`: the link's topic, or the book if it has none. `everything`: the book. */
export type LeavingScope = 'link' | 'everything';

/** Returns which of the two the contact has left. */
export async function unsubscribe(
  db: Db,
  link: UnsubscribeLink,
  scope: LeavingScope,
): Promise<'topic' | 'book'> {
  return inTransaction(db, async (trx) => {
    const contact = await findContact(trx, link, 'locked');
    if (!contact) return 'book';
    // If the topic was deleted, leave the book: the contact wants no more of these emails.
    const topic = scope === 'link' && link.topicId ? await findTopic(trx, link, link.topicId) : undefined;
    const isSubscribed = topic ? topic.subscribed : contact.subscription !== 'unsubscribed';
    if (isSubscribed) {
      await (topic ? leaveTopic(trx, link) : leaveBook(trx, link));
      await countForCampaign(trx, link, contact.addressKey);
    }
    return topic ? 'topic' : 'book';
  });
}

/** What people can choose as their reason, in place of UNSUBSCRIBED. */
export const LEAVE_REASONS = ['TOO_MANY', 'NOT_RELEVANT', 'NEVER_SIGNED_UP', 'OTHER'] as const;
export type LeaveReason = (typeof LEAVE_REASONS)[number];

/** Notes why someone has left the book. Does nothing for people who have not left by themselves, and for other texts. */
export async function giveReason(db: Db, ref: ContactRef, reason: string): Promise<void> {
  if (!LEAVE_REASONS.includes(reason as LeaveReason)) return;
  await sql`
    update contacts set unsubscribe_reason = ${reason}
    where team_id = ${ref.teamId} and contact_book_id = ${ref.contactBookId} and id = ${ref.contactId}
      and subscription = 'unsubscribed' and subscription_changed_by = ${RECIPIENT}
      and unsubscribe_reason = any(${['UNSUBSCRIBED', ...LEAVE_REASONS]}::text[])
  `.execute(db);
}

async function leaveTopic(trx: Db, { teamId, contactBookId, contactId, topicId }: UnsubscribeLink) {
  const changes = [{ id: encodeId('top', topicId!), subscribed: false }];
  const ids = [encodeId('cbk', contactBookId), encodeId('con', contactId)] as const;
  await changeContactTopics(trx, teamId, ...ids, changes, RECIPIENT);
}

/** The same change as `subscribed: false` by the API, with the same events. */
async function leaveBook(trx: Db, { teamId, contactBookId, contactId }: UnsubscribeLink): Promise<void> {
  const update = { subscribed: false };
  await updateContactRow(trx, { teamId, bookKey: contactBookId, id: contactId, update, by: RECIPIENT });
}

/** The campaign knows the recipient by the address that the email went to. The contact may have another one by now. */
async function countForCampaign(
  trx: Db,
  { teamId, campaignId, emailId }: UnsubscribeLink,
  addressKey: string,
): Promise<void> {
  if (!campaignId) {
    await sql`
      update automation_emails set unsubscribed_at = now()
      where team_id = ${teamId} and email_id = ${emailId} and unsubscribed_at is null
    `.execute(trx);
    return;
  }
  await sql`
    with first as (
      insert into campaign_results (team_id, campaign_id, result, address_key)
      select ${teamId}, ${campaignId}, 'unsubscribed', coalesce((
        select address_key from all_email_recipients where team_id = ${teamId} and email_id = ${emailId} and no = 0
      ), ${addressKey})
      on conflict do nothing returning 1
    )
    insert into campaign_counts as n (team_id, campaign_id, slot, unsubscribed)
    select ${teamId}, ${campaignId}, ${sql.raw(SLOT)}, 1 from first
    on conflict (team_id, campaign_id, slot) do update set unsubscribed = n.unsubscribed + 1
  `.execute(trx);
}

/** Returns the contact that an email to this address unsubscribes, or null if it is not an unsubscribe address. */
export async function findUnsubscribeAddress(
  db: Db,
  secret: Buffer,
  address: string,
): Promise<UnsubscribeLink | null> {
  const parsed = parseAddress(address);
  const domain = parsed && domainOfBounceHost(parsed.domain);
  const local = parsed?.email.slice(0, parsed.email.lastIndexOf('@')) ?? '';
  const signed = domain && readReturnPath(local, unsubscribeAddressMac(secret), UNSUBSCRIBE_PREFIX);
  if (!domain || !signed) return null;
  return findOnceRecorded(db, signed.id, () => findEmailOf(db, domain, signed.id));
}

async function findEmailOf(db: Db, domain: string, emailId: string): Promise<UnsubscribeLink | null> {
  const { rows } = await sql<UnsubscribeLink>`
    select e.team_id as "teamId", e.contact_book_id as "contactBookId", e.contact_id as "contactId",
      e.id as "emailId", e.campaign_id as "campaignId", campaign.topic_id as "topicId"
    from domains d join all_emails e on e.team_id = d.team_id and e.id = ${emailId} and e.domain_id = d.id
    left join campaigns campaign on campaign.team_id = e.team_id and campaign.id = e.campaign_id
    where d.name = ${domain} and e.contact_id is not null
  `.execute(db);
  return rows[0] ?? null;
}

export interface UnsubscribeView {
  email: string;
  bookName: string;
  topicName: string | null;
  /** What the contact has left already: the book, or the topic of the link. */
  hasLeft: 'topic' | 'book' | null;
  isSuppressed: boolean;
}

/** Returns the data of the page. Null for a deleted contact. */
export async function viewUnsubscribe(db: Db, link: UnsubscribeLink): Promise<UnsubscribeView | null> {
  const contact = await findContact(db, link);
  if (!contact) return null;
  const topic = link.topicId ? await findTopic(db, link, link.topicId) : undefined;
  const { email, bookName, isSuppressed } = contact;
  const hasLeft =
    contact.subscription === 'unsubscribed' ? 'book' : topic && !topic.subscribed ? 'topic' : null;
  return { email, bookName, topicName: topic?.name ?? null, hasLeft, isSuppressed };
}
