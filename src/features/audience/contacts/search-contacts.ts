/**
 * Lists the contacts of all books newest first, page by page along their IDs. Matches of a search may be far apart, so
 * one page scans a limited number of contacts. A page with too few matches returns what it found and a cursor to
 * continue.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { fromStart, readPageStart, toPage, type Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Contact, ContactQuery } from './contacts.schema.ts';
import { isInBook } from '../contact-books/deleted-books.ts';
import { contactFilters } from './list-contacts.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './present-contact.ts';

const MAX_SCANNED = 50_000;

export async function searchContacts(db: Db, teamId: number, query: ContactQuery): Promise<Page<Contact>> {
  if (query.email !== undefined) return findByAddress(db, teamId, query);
  const start = readPageStart('con', query);
  const ofTeam = sql`from contacts c where team_id = ${teamId} and ${fromStart(start, 'c.id')} order by id desc`;
  const filters = [isInBook('c'), ...contactFilters(query)];
  const { rows } = await sql<ContactRow>`
    select ${CONTACT_COLUMNS} from (select c.* ${ofTeam} limit ${MAX_SCANNED}) c
    where ${sql.join(filters, sql` and `)} order by c.id desc limit ${query.limit + 1}
  `.execute(db);
  const page = toPage(rows, query, presentContact);
  if (page.next_cursor !== null) return page;
  const { rows: ends } = await sql<Row<'contacts', 'id'>>`
    select c.id ${ofTeam} offset ${MAX_SCANNED - 1} limit 1
  `.execute(db);
  return { ...page, next_cursor: ends[0] ? encodeId('con', ends[0].id) : null };
}

/** Looks up the address in each book. */
async function findByAddress(db: Db, teamId: number, query: ContactQuery): Promise<Page<Contact>> {
  const start = readPageStart('con', query);
  const filters = contactFilters({ ...query, email: undefined });
  const { rows } = await sql<ContactRow>`
    select ${CONTACT_COLUMNS} from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id
      and c.email_key = ${parseAddress(query.email!)?.key ?? ''}
    where b.team_id = ${teamId} and ${sql.join([fromStart(start, 'c.id'), ...filters], sql` and `)}
    order by c.id desc limit ${query.limit + 1}
  `.execute(db);
  return toPage(rows, query, presentContact);
}
