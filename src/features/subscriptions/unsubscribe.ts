/**
 * Leaving, by the link or the address in a mail. Whoever has the link may use it as often as he likes: what is left
 * stays left, and a contact that is gone has left as well.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { domainOfBounceHost } from '../../mail/dns-records.ts';
import { readReturnPath } from '../../mail/verp.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from '../contacts/contacts.ts';
import { changeContactTopics } from '../topics/contact-topics.ts';
import { unsubscribeAddressMac, UNSUBSCRIBE_PREFIX, type UnsubscribeLink } from '../tracking/links.ts';
import { announce } from '../webhooks/announce.ts';
import { findContact, findTopic } from './find-contact.ts';

/** What is recorded for changes that people make themselves. */
export const RECIPIENT = 'recipient';

/** `link`: what the link is for, its topic or else the book; `everything`: the book. */
export type Scope = 'link' | 'everything';

/** Returns what was left. */
export async function unsubscribe(db: Db, link: UnsubscribeLink, scope: Scope): Promise<'topic' | 'book'> {
  return inTransaction(db, async (trx) => {
    const contact = await findContact(trx, link, 'locked');
    if (!contact) return 'book';
    // A topic that is gone cannot be left; its reader wants no more of this all the same.
    const topic = scope === 'link' && link.topicId ? await findTopic(trx, link, link.topicId) : undefined;
    const isIn = topic ? topic.subscribed : contact.subscription !== 'unsubscribed';
    if (isIn) {
      await (topic ? leaveTopic(trx, link) : leaveBook(trx, link));
      await countForCampaign(trx, link);
    }
    return topic ? 'topic' : 'book';
  });
}

async function leaveTopic(trx: Db, { teamId, contactBookId, contactId, topicId }: UnsubscribeLink) {
  const changes = [{ id: encodeId('top', topicId!), subscribed: false }];
  const ids = [encodeId('cbk', contactBookId), encodeId('con', contactId)] as const;
  await changeContactTopics(trx, teamId, ...ids, changes, RECIPIENT);
}

async function leaveBook(trx: Db, { teamId, contactBookId, contactId }: UnsubscribeLink): Promise<void> {
  const { rows } = await sql<ContactRow>`
    update contacts set subscription = 'unsubscribed', unsubscribe_reason = 'UNSUBSCRIBED',
      subscription_changed_at = now(), subscription_changed_by = ${RECIPIENT}, updated_at = now()
    where team_id = ${teamId} and contact_book_id = ${contactBookId} and id = ${contactId}
    returning ${CONTACT_COLUMNS}
  `.execute(trx);
  await announce(trx, teamId, [{ type: 'contact.unsubscribed', data: presentContact(rows[0]!) }]);
}

async function countForCampaign(trx: Db, { teamId, campaignId, contactId }: UnsubscribeLink): Promise<void> {
  if (!campaignId) return;
  await sql`
    with first as (
      insert into campaign_unsubscribes (team_id, campaign_id, contact_id)
      values (${teamId}, ${campaignId}, ${contactId}) on conflict do nothing returning 1
    )
    insert into campaign_counts as n (team_id, campaign_id, slot, unsubscribed)
    select ${teamId}, ${campaignId}, pg_backend_pid() % 16, 1 from first
    on conflict (team_id, campaign_id, slot) do update set unsubscribed = n.unsubscribed + 1
  `.execute(trx);
}

/** Whom mail to this address unsubscribes; null for an address that is none of ours. */
export async function findUnsubscribeAddress(
  db: Db,
  secret: Buffer,
  address: string,
): Promise<UnsubscribeLink | null> {
  const parsed = parseAddress(address);
  const domain = parsed && domainOfBounceHost(parsed.domain);
  const local = parsed?.email.slice(0, parsed.email.lastIndexOf('@')) ?? '';
  const signed = domain && readReturnPath(local, unsubscribeAddressMac(secret), UNSUBSCRIBE_PREFIX);
  if (!signed) return null;
  const { rows } = await sql<UnsubscribeLink>`
    select e.team_id as "teamId", e.contact_book_id as "contactBookId", e.contact_id as "contactId",
      e.id as "emailId", e.campaign_id as "campaignId", campaign.topic_id as "topicId"
    from domains d join emails e on e.team_id = d.team_id and e.id = ${signed.id} and e.domain_id = d.id
    left join campaigns campaign on campaign.team_id = e.team_id and campaign.id = e.campaign_id
    where d.name = ${domain} and e.contact_id is not null
  `.execute(db);
  return rows[0] ?? null;
}

export interface UnsubscribeView {
  email: string;
  bookName: string;
  topicName: string | null;
}

/** What the page shows before anything happens; null for a contact that is gone. */
export async function viewUnsubscribe(db: Db, link: UnsubscribeLink): Promise<UnsubscribeView | null> {
  const contact = await findContact(db, link);
  if (!contact) return null;
  const topic = link.topicId ? await findTopic(db, link, link.topicId) : undefined;
  return { email: contact.email, bookName: contact.bookName, topicName: topic?.name ?? null };
}
