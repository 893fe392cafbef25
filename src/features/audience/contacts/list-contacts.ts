/** Lists contacts newest first, page by page along the primary key. */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { escapeLike, type Db } from '../../../platform/database/database.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { segmentCondition } from '../segments/segment-condition.ts';
import type { SegmentFilter } from '../segments/segment-filter.ts';
import { bookExists } from '../contact-books/deleted-books.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { SEARCHED_NAMES } from '../own-fields/own-columns.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './present-contact.ts';
import type { Contact, ContactQuery } from './contacts.schema.ts';

type ListRequest = PageRequest & Partial<ContactQuery> & { filter?: SegmentFilter };

export async function listContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  query: ListRequest,
): Promise<Page<Contact>> {
  const rows = await readPage<ContactRow>(db, teamId, contactBookId, query, CONTACT_COLUMNS);
  return toPage(rows, query, presentContact);
}

/** Lists only the IDs, in larger pages, for requests that name many contacts. */
export async function listContactIds(
  db: Db,
  teamId: number,
  contactBookId: string,
  query: ListRequest,
): Promise<Page<string>> {
  const rows = await readPage<Row<'contacts', 'id'>>(db, teamId, contactBookId, query, sql`c.id`);
  const page = toPage(rows, query, ({ id }) => ({ id: encodeId('con', id) }));
  return { ...page, items: page.items.map(({ id }) => id) };
}

/** Reads one row more than the page has, to see whether another page follows. */
async function readPage<Found>(
  db: Db,
  teamId: number,
  contactBookId: string,
  query: ListRequest,
  columns: RawBuilder<unknown>,
): Promise<Found[]> {
  const bookKey = contactBookKey(contactBookId);
  const start = readPageStart('con', query);
  const conditions = [
    sql`team_id = ${teamId}`,
    sql`contact_book_id = ${bookKey}`,
    bookExists(teamId, bookKey),
    fromStart(start, 'c.id'),
    ...contactFilters(query),
    ...(query.filter ? [segmentCondition({ teamId, bookKey }, query.filter)] : []),
  ];
  const { rows } = await sql<Found>`
    select ${columns} from contacts c where ${sql.join(conditions, sql` and `)}
    order by id ${orderOf(start)} limit ${query.limit + 1}
  `.execute(db);
  if (rows.length === 0) await requireContactBook(db, teamId, bookKey);
  return rows;
}

/** Conditions on contacts `c`. */
export function contactFilters({ email, subscribed, search }: Partial<ContactQuery>): RawBuilder<unknown>[] {
  const filters: RawBuilder<unknown>[] = [];
  if (email !== undefined) filters.push(sql`c.email_key = ${parseAddress(email)?.key ?? ''}`);
  if (subscribed !== undefined) {
    filters.push(subscribed ? sql`c.subscription = 'subscribed'` : sql`c.subscription <> 'subscribed'`);
  }
  if (search) {
    const pattern = `%${escapeLike(search.toLowerCase())}%`;
    filters.push(sql`(c.email_key || ' ' || ${SEARCHED_NAMES}) like ${pattern}`);
  }
  return filters;
}
