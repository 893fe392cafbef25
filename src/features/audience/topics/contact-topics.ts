/** The topics of a contact. Only explicit choices are stored; otherwise the topic's default applies. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isInBook } from '../contact-books/deleted-books.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { contactKey } from '../contacts/contacts.ts';
import type { ContactTopic } from './topics.schema.ts';

type ContactTopicRow = Row<'topics', 'id' | 'name' | 'description' | 'default_subscription' | 'created_at'> &
  Row<'contact_topics', 'subscribed'> & { changed_at: Row<'contact_topics'>['changed_at'] | null };

/** Lists all topics of the team, newest first, each with the contact's subscription. */
export async function listContactTopics(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
  page: PageRequest,
): Promise<Page<ContactTopic>> {
  const book = contactBookKey(contactBookId);
  const contact = contactKey(contactId);
  const start = readPageStart('top', page);
  const found = await db
    .selectFrom('contacts')
    .select('id')
    .where('team_id', '=', teamId)
    .where('contact_book_id', '=', book)
    .where('id', '=', contact)
    .where(isInBook('contacts'))
    .executeTakeFirst();
  if (!found) throw notFound('Contact');
  const { rows } = await sql<ContactTopicRow>`
    select t.id, t.name, t.description, t.default_subscription, t.created_at, ct.changed_at,
      coalesce(ct.subscribed, t.default_subscription = 'opt_out') as subscribed
    from topics t
    left join contact_topics ct on ct.team_id = t.team_id and ct.contact_book_id = ${book}
      and ct.contact_id = ${contact} and ct.topic_id = t.id
    where t.team_id = ${teamId} and ${fromStart(start, 't.id')}
    order by t.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, present);
}

function present(row: ContactTopicRow): ContactTopic {
  return {
    id: encodeId('top', row.id),
    name: row.name,
    description: row.description,
    defaultSubscription: row.default_subscription,
    createdAt: row.created_at.toISOString(),
    subscribed: row.subscribed,
    changedAt: row.changed_at?.toISOString() ?? null,
  };
}
