/** Creates or updates many contacts in one request, all or none. */
import type { Db } from '../../../platform/database/database.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import type { ContactInput } from './contacts.schema.ts';
import { upsertContacts } from './upsert-contacts.ts';

export async function createContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  inputs: ContactInput[],
  by: string,
): Promise<{ message: string; count: number }> {
  // The last row with the same address wins.
  const unique = [...new Map(inputs.map((input) => [input.email.key, input])).values()];
  const written = await upsertContacts(db, teamId, contactBookKey(contactBookId), unique, { by });
  const created = written.filter((contact) => contact.created).length;
  const updated = unique.length - created;
  const repeated = inputs.length - unique.length;
  return { message: `${created} created, ${updated} updated, ${repeated} repeated`, count: inputs.length };
}
