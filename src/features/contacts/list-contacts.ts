/** Lists of contacts: newest first, page by page along the primary key. */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { escapeLike, type Db } from '../../platform/database.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './contacts.ts';
import type { Contact, ContactQuery } from './contacts.schema.ts';

export async function listContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  query: ContactQuery,
): Promise<Page<Contact>> {
  const bookKey = contactBookKey(contactBookId);
  const conditions = [sql`team_id = ${teamId}`, sql`contact_book_id = ${bookKey}`, ...filtersOf(query)];
  const { rows } = await sql<ContactRow>`
    select ${CONTACT_COLUMNS} from contacts where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${query.limit + 1}
  `.execute(db);
  if (rows.length === 0) await requireContactBook(db, teamId, bookKey);
  return toPage(rows, query.limit, presentContact);
}

function filtersOf({ cursor, email, subscribed, search }: ContactQuery): RawBuilder<unknown>[] {
  const filters: RawBuilder<unknown>[] = [];
  const before = readCursor('con', cursor);
  if (before) filters.push(sql`id < ${before}`);
  if (email !== undefined) filters.push(sql`email_key = ${parseAddress(email)?.key ?? ''}`);
  if (subscribed !== undefined) {
    filters.push(subscribed ? sql`subscription = 'subscribed'` : sql`subscription <> 'subscribed'`);
  }
  if (search) {
    const pattern = `%${escapeLike(search.toLowerCase())}%`;
    filters.push(
      sql`(email_key || ' ' || lower(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) like ${pattern}`,
    );
  }
  return filters;
}
