/** Changes many contacts of a book in one request. IDs that are not in the book are ignored. */
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { updateContactRows } from '../contacts/update-contacts.ts';
import { changeTopics } from './change-topics.ts';
import type { ContactsUpdate } from './topics.schema.ts';

/** Returns how many of the contacts are in the book. */
export async function updateContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  { contactIds, subscribed, topics }: ContactsUpdate,
  by: string,
): Promise<number> {
  const book = contactBookKey(contactBookId);
  const contacts = [...new Set(contactIds.map((id) => decodeId('con', id)).filter((key) => key !== null))];
  return inTransaction(db, async (trx) => {
    await requireContactBook(trx, teamId, book);
    let count = 0;
    if (subscribed === false) {
      const changes = contacts.map((id) => ({ id, update: { subscribed } }));
      count = (await updateContactRows(trx, teamId, book, changes, by)).size;
    }
    if (topics) count = await changeTopics(trx, { teamId, book, contacts, changes: topics, by });
    return count;
  });
}
