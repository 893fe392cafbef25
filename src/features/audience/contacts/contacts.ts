/** Operations on single contacts. An address occurs once in a book, ignoring case. */
import { sql } from 'kysely';
import type { Address } from '../../../mail/mime/address.ts';
import { Fragment, inTransaction, statement, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { RECORD_CONTACT_EVENTS } from '../../events/contact-events.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { sendConfirmationsLater } from './confirmations.ts';
import type { ContactInput, ContactUpdate } from './contacts.schema.ts';
import { CONTACT_NOTICE } from './present-contact.ts';
import { updateContactRow } from './update-contacts.ts';
import { upsertContacts } from './upsert-contacts.ts';
import { SLOT } from '../../sending/counters/count-columns.ts';

export function contactKey(contactId: string): string {
  const key = decodeId('con', contactId);
  if (!key) throw notFound('Contact');
  return key;
}

/** Adds the contact, or updates the one with this address. `by` is recorded as the author of the change. */
export async function createContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  input: ContactInput,
  by: string,
): Promise<string> {
  const id = await upsertContact(db, { teamId, bookKey: contactBookKey(contactBookId), input, by });
  return encodeId('con', id);
}

interface Upsert {
  teamId: number;
  bookKey: string;
  input: ContactInput;
  by: string;
}

const upsertContact = createBatcher<Upsert, string>({
  keyOf: ({ teamId, bookKey, by }) => `${teamId} ${bookKey} ${by}`,
  nameOf: ({ input }) => input.email.key,
  async work(db, upserts) {
    const { teamId, bookKey, by } = upserts[0];
    const inputs = upserts.map(({ input }) => input);
    const upserted = await upsertContacts(db, teamId, bookKey, inputs, { by, areSingle: true });
    const ids = new Map(upserted.map(({ key, id }) => [key, id]));
    return inputs.map(({ email }) => ids.get(email.key)!);
  },
});

/** The only operation that can resubscribe an unsubscribed contact (`subscribed: true`). `by` is recorded. */
export async function updateContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
  update: ContactUpdate,
  by: string,
): Promise<string> {
  const bookKey = contactBookKey(contactBookId);
  const exists = await updateContactRow(db, { teamId, bookKey, id: contactKey(contactId), update, by });
  if (!exists) throw notFound('Contact');
  return contactId;
}

/** Updates an existing contact including its address, or creates one. Like POST, it never resubscribes a contact. */
export async function putContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
  input: ContactInput,
  by: string,
): Promise<string> {
  const bookKey = contactBookKey(contactBookId);
  const id = decodeId('con', contactId);
  const update = { ...input, subscribed: input.subscribed === false ? false : undefined };
  try {
    const exists = id !== null && (await updateExisting(db, teamId, bookKey, id, update, by));
    if (exists) return contactId;
  } catch (error) {
    if (!isUniqueViolation(error, 'contacts_email_key')) throw error;
    throw conflict('Another contact in this book already has this email address.');
  }
  return createContact(db, teamId, contactBookId, input, by);
}

/** Sends a pending contact another confirmation, as POST does. */
async function updateExisting(
  db: Db,
  teamId: number,
  bookKey: string,
  id: string,
  update: ContactUpdate & { email: Address },
  by: string,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const exists = await updateContactRow(trx, { teamId, bookKey, id, update, by });
    if (exists) await sendConfirmationsLater(trx, { teamId, contactBookId: bookKey, contactId: id });
    return exists;
  });
}

export async function deleteContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
): Promise<void> {
  const bookKey = contactBookKey(contactBookId);
  const deleted = await inTransaction(db, async (trx) =>
    (await lockBook(trx, teamId, bookKey)) ? deleteRows(trx, teamId, bookKey, [contactKey(contactId)]) : 0,
  );
  if (deleted === 0) throw notFound('Contact');
}

/** Ignores IDs that are not in the book. */
export async function deleteContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactIds: string[],
): Promise<number> {
  const bookKey = contactBookKey(contactBookId);
  const keys = contactIds.map((id) => decodeId('con', id)).filter((key) => key !== null);
  return inTransaction(db, async (trx) => {
    if (!(await lockBook(trx, teamId, bookKey))) throw notFound('Contact book');
    return deleteRows(trx, teamId, bookKey, keys);
  });
}

/** Deletes the contacts with this address in all books of the team. Returns their number. */
export async function deleteContactsOf(trx: Db, teamId: number, addressKey: string): Promise<number> {
  const { rows } = await sql<Row<'contacts', 'id'> & { bookKey: Row<'contacts'>['contact_book_id'] }>`
    select c.contact_book_id as "bookKey", c.id from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id and c.email_key = ${addressKey}
    where b.team_id = ${teamId} order by c.contact_book_id
  `.execute(trx);
  let deleted = 0;
  for (const { bookKey, id } of rows) {
    if (await lockBook(trx, teamId, bookKey)) deleted += await deleteRows(trx, teamId, bookKey, [id]);
  }
  return deleted;
}

/** Keeps the book from being deleted until the transaction ends. Returns false if it does not exist. */
async function lockBook(trx: Db, teamId: number, bookKey: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from contact_books where team_id = ${teamId} and id = ${bookKey} for key share
  `.execute(trx);
  return rows.length > 0;
}

/** The caller must have locked the book. */
async function deleteRows(db: Db, teamId: number, bookKey: string, keys: string[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    // Locks rows in the same order as upserts to avoid deadlocks. This is a separate statement, so that the next one
    // sees what other transactions committed before the locks were granted.
    const { rows: locked } = await sql<Row<'contacts', 'id'>>`
      select id from contacts
      where team_id = ${teamId} and contact_book_id = ${bookKey} and id = any(${keys}::uuid[])
      order by email_key for update
    `.execute(trx);
    if (locked.length === 0) return 0;
    await statement(trx)`
      with hook as (
        select team_id, id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
      ), locked as (
        select unnest(${locked.map(({ id }) => id)}::uuid[]) as id
      ), topics as (
        delete from contact_topics using locked
        where contact_topics.team_id = ${teamId} and contact_topics.contact_book_id = ${bookKey}
          and contact_topics.contact_id = locked.id
      ), hours as (
        delete from contact_hours using locked
        where contact_hours.team_id = ${teamId} and contact_hours.contact_book_id = ${bookKey}
          and contact_hours.contact_id = locked.id
      ), changed as (
        delete from contacts c using locked
        where c.team_id = ${teamId} and c.contact_book_id = ${bookKey} and c.id = locked.id
        returning c.team_id, c.contact_book_id, c.id, array['contact.deleted'] as types, ${CONTACT_NOTICE} as notice
      ), ${RECORD_CONTACT_EVENTS}
      insert into contact_book_counts as n (team_id, contact_book_id, slot, contacts)
      values (${teamId}, ${bookKey}, ${new Fragment(SLOT)}, ${-locked.length})
      on conflict (team_id, contact_book_id, slot) do update set contacts = n.contacts + excluded.contacts`;
    return locked.length;
  });
}
