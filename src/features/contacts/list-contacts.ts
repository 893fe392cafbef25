/** Lists of contacts: newest first, page by page along the primary key. */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './contacts.ts';
import type { Contact, ContactQuery } from './contacts.schema.ts';

export async function listContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  query: ContactQuery,
): Promise<{ items: Contact[]; next_cursor: string | null }> {
  const bookKey = contactBookKey(contactBookId);
  const conditions = [sql`team_id = ${teamId}`, sql`contact_book_id = ${bookKey}`, ...filtersOf(query)];
  const { rows } = await sql<ContactRow>`
    select ${CONTACT_COLUMNS} from contacts where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${query.limit + 1}
  `.execute(db);
  if (rows.length === 0) await refuseUnknownBook(db, teamId, bookKey);
  const items = rows.slice(0, query.limit).map(presentContact);
  return { items, next_cursor: rows.length > query.limit ? items.at(-1)!.id : null };
}

function filtersOf({ cursor, email, subscribed, search }: ContactQuery): RawBuilder<unknown>[] {
  const filters: RawBuilder<unknown>[] = [];
  if (cursor !== undefined) {
    const before = decodeId('con', cursor);
    if (!before) throw badRequest('cursor is not one that this list gave.');
    filters.push(sql`id < ${before}`);
  }
  if (email !== undefined) filters.push(sql`email_key = ${parseAddress(email)?.key ?? ''}`);
  if (subscribed !== undefined) {
    filters.push(subscribed ? sql`subscription = 'subscribed'` : sql`subscription <> 'subscribed'`);
  }
  if (search) {
    const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
    filters.push(
      sql`(email_key || ' ' || lower(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) like ${pattern}`,
    );
  }
  return filters;
}

async function refuseUnknownBook(db: Db, teamId: number, bookKey: string): Promise<void> {
  const { rows } = await sql`
    select 1 from contact_books where team_id = ${teamId} and id = ${bookKey}
  `.execute(db);
  if (rows.length === 0) throw notFound('Contact book');
}
