/**
 * Topics by address, for clients that do not use contacts. An address has left a topic if a contact with it has left it
 * in any book. An address that is in no book can neither leave nor join a topic.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { uuidsOf } from '../../../platform/id-numbers.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isInBook } from '../contact-books/deleted-books.ts';
import { topicKey } from './topics.ts';

const MAX_LISTED = 20_000;

/** Finds a topic by the number that its ID contains. */
export async function findTopicId(db: Db, teamId: number, number: number): Promise<string> {
  const uuids = uuidsOf(number);
  const row =
    uuids &&
    (await db
      .selectFrom('topics')
      .select('id')
      .where('team_id', '=', teamId)
      .where('id', '>=', uuids.first)
      .where('id', '<=', uuids.last)
      .executeTakeFirst());
  if (!row) throw notFound('Topic');
  return encodeId('top', row.id);
}

/** Returns those normalised addresses that have left the topic. */
export async function findLeft(
  db: Db,
  teamId: number,
  topicId: string,
  addressKeys: string[],
): Promise<Set<string>> {
  const { rows } = await sql<Row<'contacts', 'email_key'>>`
    select distinct c.email_key from ${contactsWith(teamId, addressKeys)}
    join contact_topics ct on ct.team_id = c.team_id and ct.contact_book_id = c.contact_book_id
      and ct.contact_id = c.id and ct.topic_id = ${topicKey(topicId)} and not ct.subscribed
  `.execute(db);
  return new Set(rows.map(({ email_key }) => email_key));
}

/** Lists at most 20,000 addresses that have left the topic. */
export async function listLeft(db: Db, teamId: number, topicId: string): Promise<string[]> {
  const { rows } = await sql<Row<'contacts', 'email'>>`
    select distinct on (c.email_key) c.email from contact_topics ct
    join contacts c on c.team_id = ct.team_id and c.contact_book_id = ct.contact_book_id and c.id = ct.contact_id
    where ct.team_id = ${teamId} and ct.topic_id = ${topicKey(topicId)} and not ct.subscribed
      and ${isInBook('c')}
    order by c.email_key limit ${MAX_LISTED}
  `.execute(db);
  return rows.map(({ email }) => email);
}

/** Returns how many contacts have left each topic, by topic ID. */
export async function countLeft(db: Db, teamId: number): Promise<Map<string, number>> {
  const { rows } = await sql<Row<'contact_topics', 'topic_id'> & { count: number }>`
    select topic_id, count(*)::integer as count from contact_topics
    where team_id = ${teamId} and not subscribed and ${isInBook('contact_topics')} group by topic_id
  `.execute(db);
  return new Map(rows.map(({ topic_id, count }) => [encodeId('top', topic_id), count]));
}

/** Changes all contacts with these addresses in one transaction. Locks contacts by book and address, then the topic. */
export async function changeTopicOf(
  db: Db,
  teamId: number,
  topicId: string,
  emails: string[],
  { subscribed, by }: { subscribed: boolean; by: string },
): Promise<void> {
  const keys = emails.map((email) => parseAddress(email)?.key ?? '');
  const topic = topicKey(topicId);
  await inTransaction(db, async (trx) => {
    const { rows: contacts } = await sql<Row<'contacts', 'contact_book_id' | 'id' | 'email_key'>>`
      select c.contact_book_id, c.id, c.email_key from ${contactsWith(teamId, keys)}
      order by c.contact_book_id, c.email_key for key share of c
    `.execute(trx);
    const found = new Set(contacts.map(({ email_key }) => email_key));
    const missing = emails.find((_, at) => !found.has(keys[at]!));
    if (missing !== undefined) throw badRequest(`${missing} is not in a contact book.`);
    const { rows: topics } = await sql`
      select 1 from topics where team_id = ${teamId} and id = ${topic} for key share
    `.execute(trx);
    if (topics.length === 0) throw notFound('Topic');
    await sql`
      insert into contact_topics as ct (team_id, contact_book_id, contact_id, topic_id, subscribed, changed_by)
      select ${teamId}, book, contact, ${topic}, ${subscribed}, ${by}
      from unnest(${contacts.map(({ contact_book_id }) => contact_book_id)}::uuid[],
        ${contacts.map(({ id }) => id)}::uuid[]) as c (book, contact)
      on conflict (team_id, contact_book_id, contact_id, topic_id) do update
        set subscribed = excluded.subscribed, changed_at = excluded.changed_at, changed_by = excluded.changed_by
        where ct.subscribed <> excluded.subscribed
    `.execute(trx);
  });
}

/** Looks up the addresses in each book, because the index of contacts begins with the book. */
function contactsWith(teamId: number, addressKeys: string[]): RawBuilder<unknown> {
  return sql`contact_books b join contacts c on c.team_id = ${teamId} and c.contact_book_id = b.id
    and c.email_key = any(${addressKeys}::text[]) and b.team_id = ${teamId}`;
}
