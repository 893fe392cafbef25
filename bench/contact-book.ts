/** Creates contact books of a given size for benchmarks. */
import { sql } from 'kysely';
import { contactBookKey } from '../src/features/audience/contact-books/contact-books.ts';
import type { Db } from '../src/platform/database/database.ts';
import { encodeId } from '../src/platform/ids.ts';
import type { Posthorn } from './posthorn.ts';

export interface Book {
  id: string;
  /** The ID in the database. */
  uuid: string;
  teamId: number;
  /** The number of contacts that the book should have now. */
  size: number;
}

/** Creates the book through the API and fills it with one SQL statement. */
export async function createBook(posthorn: Posthorn, size: number): Promise<Book> {
  const created = (await posthorn.call('POST', '/contactBooks', { name: 'Benchmark' })) as {
    id: string;
    teamId: number;
  };
  const book = { id: created.id, uuid: contactBookKey(created.id), teamId: created.teamId, size };
  const { db } = posthorn.database;
  await fill(db, book);
  // Otherwise autovacuum would do this in the middle of a measurement.
  await sql`vacuum analyze contacts`.execute(db);
  return book;
}

async function fill(db: Db, { teamId, uuid, size }: Book): Promise<void> {
  await sql`
    with filled as (
      insert into contacts (
        team_id, contact_book_id, id, email, email_key, first_name, last_name, properties, subscription,
        subscription_changed_by
      )
      select ${teamId}::integer, ${uuid}::uuid, uuidv7(), email, email, 'Ada', 'Lovelace', '{"city": "London"}',
        'subscribed', 'benchmark'
      from (
        select substr(md5(number::text), 1, 12) || number || '@example.net' as email
        from generate_series(1, ${size}::integer) as number
      ) as person
      returning 1
    )
    insert into contact_book_counts (team_id, contact_book_id, slot, contacts)
    select ${teamId}, ${uuid}, 0, count(*) from filled
  `.execute(db);
}

/** Returns IDs of contacts from all parts of the book. */
export async function someContacts(db: Db, { teamId, uuid }: Book, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from contacts where team_id = ${teamId} and contact_book_id = ${uuid}
    order by random() limit ${count}
  `.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the cursor of the page in the middle of the book. */
export async function middleCursor(db: Db, { teamId, uuid, size }: Book): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from contacts where team_id = ${teamId} and contact_book_id = ${uuid}
    order by id desc offset ${Math.floor(size / 2)} limit 1
  `.execute(db);
  return encodeId('con', rows[0]!.id);
}

/** Throws unless the book has the expected number of contacts, so that requests without effect do not count. */
export async function expectSize(db: Db, { teamId, uuid, size }: Book): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from contacts where team_id = ${teamId} and contact_book_id = ${uuid}
  `.execute(db);
  if (rows[0]!.count !== size) throw new Error(`The book has ${rows[0]!.count} contacts, not ${size}.`);
}

/** Checks the same for the count that the API returns. */
export async function expectCount(posthorn: Posthorn, { id, size }: Book): Promise<void> {
  const answer = (await posthorn.call('GET', `/contactBooks/${id}`)) as { _count: { contacts: number } };
  const told = answer._count.contacts;
  if (told !== size) throw new Error(`The API returns a count of ${told} for a book with ${size} contacts.`);
}
