/** Finds the contact of a public link, with the fields that its page may show. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { AWAITS_CONFIRMATION } from '../contacts/confirmations.ts';
import type { ContactRef } from '../../content/links/links.ts';

export interface LinkedContact extends Row<'contacts', 'email' | 'subscription'> {
  addressKey: Row<'contacts'>['email_key'];
  /** True if a confirmation would change something. */
  awaitsConfirmation: boolean;
  bookName: Row<'contact_books'>['name'];
  doubleOptIn: Row<'contact_books'>['double_opt_in_enabled'];
  /** The team sends nothing to this address. */
  isSuppressed: boolean;
}

/** Undefined for a deleted contact. With `locked`, the contact cannot change until the transaction ends. */
export async function findContact(
  db: Db,
  { teamId, contactBookId, contactId }: ContactRef,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<LinkedContact | undefined> {
  const { rows } = await sql<LinkedContact>`
    select c.email, c.email_key as "addressKey", c.subscription, ${AWAITS_CONFIRMATION} as "awaitsConfirmation",
      b.name as "bookName", b.double_opt_in_enabled as "doubleOptIn", exists (
        select from suppressions s where s.team_id = c.team_id and s.address_key = c.email_key
      ) as "isSuppressed"
    from contacts c join contact_books b on b.team_id = c.team_id and b.id = c.contact_book_id
    where c.team_id = ${teamId} and c.contact_book_id = ${contactBookId} and c.id = ${contactId}
    ${lock === 'locked' ? sql`for update of c` : sql``}
  `.execute(db);
  return rows[0];
}

interface LinkedTopic {
  name: Row<'topics'>['name'];
  /** By choice or by the topic's default. */
  subscribed: boolean;
}

export async function findTopic(
  db: Db,
  { teamId, contactBookId, contactId }: ContactRef,
  topicId: string,
): Promise<LinkedTopic | undefined> {
  const { rows } = await sql<LinkedTopic>`
    select t.name, coalesce(ct.subscribed, t.default_subscription = 'opt_out') as subscribed
    from topics t
    left join contact_topics ct on ct.team_id = t.team_id and ct.contact_book_id = ${contactBookId}
      and ct.contact_id = ${contactId} and ct.topic_id = t.id
    where t.team_id = ${teamId} and t.id = ${topicId}
  `.execute(db);
  return rows[0];
}
