/** Finds a contact by its ID or its address. */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import type { Contact } from './contacts.schema.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './present-contact.ts';

/** Without a book, finds the contact in the oldest book that has it. */
export async function findContact(
  db: Db,
  teamId: number,
  idOrAddress: string,
  contactBookId?: string,
): Promise<Contact> {
  const address = parseAddress(idOrAddress);
  const match = address ? sql`c.email_key = ${address.key}` : sql`c.id = ${decodeId('con', idOrAddress)}`;
  const book = contactBookId === undefined ? sql`true` : sql`b.id = ${contactBookKey(contactBookId)}`;
  const { rows } = await sql<ContactRow>`
    select ${CONTACT_COLUMNS} from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id
    where b.team_id = ${teamId} and ${book} and ${match}
    order by b.id limit 1
  `.execute(db);
  if (!rows[0]) throw notFound('Contact');
  return presentContact(rows[0]);
}
