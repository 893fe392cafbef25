/** Changes the topics of contacts. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isInBook } from '../contact-books/deleted-books.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { contactKey } from '../contacts/contacts.ts';
import type { ContactTopicChange } from './topics.schema.ts';
import { topicKey } from './topics.ts';

export async function changeContactTopics(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
  changes: ContactTopicChange[],
  by: string,
): Promise<void> {
  const book = contactBookKey(contactBookId);
  const contact = contactKey(contactId);
  const changed = await inTransaction(db, (trx) =>
    changeTopics(trx, { teamId, book, contacts: [contact], changes, by }),
  );
  if (changed === 0) throw notFound('Contact');
}

interface TopicChanges {
  teamId: number;
  book: string;
  contacts: string[];
  changes: ContactTopicChange[];
  by: string;
}

/**
 * Returns how many of the contacts are in the book. Locks them first, in the order of upserts, so that they are not
 * deleted meanwhile, then the topics in the order of their IDs.
 */
export async function changeTopics(
  trx: Db,
  { teamId, book, contacts, changes, by }: TopicChanges,
): Promise<number> {
  const { rows: found } = await sql<Row<'contacts', 'id'>>`
    select id from contacts
    where team_id = ${teamId} and contact_book_id = ${book} and id = any(${contacts}::uuid[])
      and ${isInBook('contacts')}
    order by email_key for key share
  `.execute(trx);
  if (found.length === 0) return 0;
  const keys = changes.map(({ id }) => topicKey(id));
  const { rows: topics } = await sql`
    select 1 from topics where team_id = ${teamId} and id = any(${keys}::uuid[]) order by id for key share
  `.execute(trx);
  if (topics.length < keys.length) throw notFound('Topic');
  await sql`
    insert into contact_topics as ct (team_id, contact_book_id, contact_id, topic_id, subscribed, changed_by)
    select ${teamId}, ${book}, contact.id, change.topic_id, change.subscribed, ${by}
    from unnest(${found.map(({ id }) => id)}::uuid[]) as contact (id),
      unnest(${keys}::uuid[], ${changes.map(({ subscribed }) => subscribed)}::boolean[])
        as change (topic_id, subscribed)
    order by contact.id, change.topic_id
    on conflict (team_id, contact_book_id, contact_id, topic_id) do update
      set subscribed = excluded.subscribed, changed_at = excluded.changed_at, changed_by = excluded.changed_by
      where ct.subscribed <> excluded.subscribed
  `.execute(trx);
  return found.length;
}
