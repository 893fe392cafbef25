/**
 * Reads the recipients of a leased batch just before they are sent to. Whoever should no longer get the email is skipped,
 * and the ledger has the reason.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isInBook } from '../../audience/contact-books/deleted-books.ts';
import { OWN_COLUMNS, TAGGED_COLUMNS, type TaggedContact } from '../../audience/own-fields/own-columns.ts';
import { eachOwnField } from '../../audience/own-fields/own-fields.ts';
import { topicCondition } from '../../audience/segments/topic-condition.ts';
import { nameEmail } from '../../sending/ledger/email-names.ts';
import type { CampaignRecipient } from '../compile-campaign.ts';
import { skipReason, type SkipReason } from '../skip-reason.ts';
import type { LeasedBatch, WaitingRecipient } from './lease-batches.ts';

interface FoundContact extends TaggedContact {
  addressKey: string;
  contactId: string;
  email: Row<'contacts'>['email'] | null;
  reason: SkipReason | null;
}

/** Returns those that should get the email, in the same order. */
export async function readBatchRecipients(
  db: Db,
  batch: LeasedBatch,
  waiting: WaitingRecipient[],
): Promise<CampaignRecipient[]> {
  const found = await findContacts(db, batch, waiting);
  const skipped = found.filter(({ reason }) => reason !== null);
  if (skipped.length > 0) await recordSkipped(db, batch, skipped);
  return found.filter(({ reason }) => reason === null).map((contact) => toRecipient(batch, contact));
}

function toRecipient(batch: LeasedBatch, contact: FoundContact): CampaignRecipient {
  const { addressKey, contactId, email, properties } = contact;
  const { emailId, messageId } = nameEmail(batch.campaignId, addressKey, batch);
  return {
    emailId,
    messageId,
    teamId: batch.teamId,
    date: batch.releasedAt,
    contactBookId: batch.contactBookId,
    contactId,
    address: parseAddress(email!)!,
    ...eachOwnField((name) => contact[name]),
    properties,
    variant: batch.variant,
  };
}

/** Looks up each contact by its key, because the planner would scan the whole book until a new book is analysed. */
async function findContacts(
  db: Db,
  { teamId, contactBookId, topicId }: LeasedBatch,
  waiting: WaitingRecipient[],
): Promise<FoundContact[]> {
  const isInTopic = topicId ? topicCondition(teamId, topicId, 'c') : sql<boolean>`true`;
  const { rows } = await sql<FoundContact>`
    select w.key as "addressKey", w.id as "contactId", c.email, ${TAGGED_COLUMNS},
      ${skipReason(isInTopic)} as reason
    from unnest(
      ${waiting.map(({ contactId }) => contactId)}::uuid[], ${waiting.map(({ addressKey }) => addressKey)}::text[]
    ) with ordinality as w (id, key, at)
    left join lateral (
      select id, contact_book_id, team_id, email, subscription, ${sql.raw(OWN_COLUMNS)}, properties from contacts
      where team_id = ${teamId} and contact_book_id = ${contactBookId} and id = w.id and email_key = w.key
        and ${isInBook('contacts')}
      limit 1
    ) c on true
    left join lateral (
      select address_key from suppressions where team_id = ${teamId} and address_key = w.key limit 1
    ) s on true
    order by w.at
  `.execute(db);
  return rows;
}

async function recordSkipped(db: Db, batch: LeasedBatch, skipped: FoundContact[]): Promise<void> {
  const { teamId, campaignId, contactBookId, variant, dueAt } = batch;
  await sql`
    insert into campaign_recipients (
      team_id, campaign_id, address_key, contact_book_id, contact_id, state, reason, variant, due_at
    )
    select ${teamId}, ${campaignId}, w.key, ${contactBookId}, w.id, 'skipped', w.reason, ${variant}, ${dueAt}
    from unnest(
      ${skipped.map(({ addressKey }) => addressKey)}::text[], ${skipped.map(({ contactId }) => contactId)}::uuid[],
      ${skipped.map(({ reason }) => reason)}::text[]
    ) as w (key, id, reason)
    on conflict do nothing
  `.execute(db);
}
