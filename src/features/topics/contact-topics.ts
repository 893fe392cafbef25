/** Which topics a contact is in. Only choices are kept: who has made none follows the default of the topic. */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { encodeId } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import type { Row } from '../../platform/rows.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { contactKey } from '../contacts/contacts.ts';
import type { ContactTopic, ContactTopicChange, TopicQuery } from './topics.schema.ts';
import { topicKey } from './topics.ts';

type ContactTopicRow = Row<'topics', 'id' | 'name' | 'description' | 'default_subscription'> &
  Row<'contact_topics', 'subscribed'> & { changed_at: Row<'contact_topics'>['changed_at'] | null };

/**
 * "In the topic now", as SQL over `contacts`, under the name that it has in the statement. It is true for those who
 * follow the default, unless they chose against it, and the other way round; nobody is in a topic that is gone.
 */
export function topicCondition(
  teamId: number | RawBuilder<number>,
  topic: string | RawBuilder<string>,
  alias = 'c',
): RawBuilder<boolean> {
  const byDefault = sql`(
    select t.default_subscription = 'opt_out' from topics t where t.team_id = ${teamId} and t.id = ${topic}::uuid
  )`;
  return sql<boolean>`((exists (
    select 1 from contact_topics ct
    where ct.team_id = ${teamId} and ct.topic_id = ${topic}::uuid
      and ct.contact_book_id = ${sql.ref(`${alias}.contact_book_id`)} and ct.contact_id = ${sql.ref(`${alias}.id`)}
      and ct.subscribed <> ${byDefault}
  )) <> ${byDefault})`;
}

/** All topics of the team, newest first, and whether the contact is in them. */
export async function listContactTopics(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
  { limit, cursor }: TopicQuery,
): Promise<Page<ContactTopic>> {
  const book = contactBookKey(contactBookId);
  const contact = contactKey(contactId);
  const before = readCursor('top', cursor);
  const found = await db
    .selectFrom('contacts')
    .select('id')
    .where('team_id', '=', teamId)
    .where('contact_book_id', '=', book)
    .where('id', '=', contact)
    .executeTakeFirst();
  if (!found) throw notFound('Contact');
  const { rows } = await sql<ContactTopicRow>`
    select t.id, t.name, t.description, t.default_subscription, ct.changed_at,
      coalesce(ct.subscribed, t.default_subscription = 'opt_out') as subscribed
    from topics t
    left join contact_topics ct on ct.team_id = t.team_id and ct.contact_book_id = ${book}
      and ct.contact_id = ${contact} and ct.topic_id = t.id
    where t.team_id = ${teamId} and (${before}::uuid is null or t.id < ${before}::uuid)
    order by t.id desc limit ${limit + 1}
  `.execute(db);
  return toPage(rows, limit, present);
}

/** Locked in this order: the contact, so that it is not deleted meanwhile, then the topics by their ids. */
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
  await inTransaction(db, async (trx) => {
    const { rows: contacts } = await sql`
      select 1 from contacts where team_id = ${teamId} and contact_book_id = ${book} and id = ${contact}
      for key share
    `.execute(trx);
    if (contacts.length === 0) throw notFound('Contact');
    const keys = changes.map(({ id }) => topicKey(id));
    const { rows: topics } = await sql`
      select 1 from topics where team_id = ${teamId} and id = any(${keys}::uuid[]) order by id for key share
    `.execute(trx);
    if (topics.length < keys.length) throw notFound('Topic');
    await sql`
      insert into contact_topics as ct (team_id, contact_book_id, contact_id, topic_id, subscribed, changed_by)
      select ${teamId}, ${book}, ${contact}, change.topic_id, change.subscribed, ${by}
      from unnest(${keys}::uuid[], ${changes.map(({ subscribed }) => subscribed)}::boolean[])
        as change (topic_id, subscribed)
      order by change.topic_id
      on conflict (team_id, contact_book_id, contact_id, topic_id) do update
        set subscribed = excluded.subscribed, changed_at = excluded.changed_at, changed_by = excluded.changed_by
        where ct.subscribed <> excluded.subscribed
    `.execute(trx);
  });
}

function present(row: ContactTopicRow): ContactTopic {
  return {
    id: encodeId('top', row.id),
    name: row.name,
    description: row.description,
    defaultSubscription: row.default_subscription,
    subscribed: row.subscribed,
    changedAt: row.changed_at?.toISOString() ?? null,
  };
}
