/** Contacts, one at a time. An address is in a book once, whatever its case. */
import { sql } from 'kysely';
import type { Address } from '../../mail/address.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { createGatherer } from '../../platform/gather.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { sendConfirmationsLater } from './confirmations.ts';
import type { Contact, ContactInput, ContactUpdate } from './contacts.schema.ts';
import { updateContactRow } from './update-contacts.ts';
import { upsertContacts } from './upsert-contacts.ts';

export interface ContactRow {
  id: string;
  contact_book_id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  properties: Contact['properties'];
  subscription: string;
  unsubscribe_reason: string | null;
  consent: Contact['consent'];
  created_at: Date;
  updated_at: Date;
}

export const CONTACT_COLUMNS = sql`
  id, contact_book_id, email, first_name, last_name, properties, subscription, unsubscribe_reason,
  consent, created_at, updated_at`;

export function contactKey(contactId: string): string {
  const key = decodeId('con', contactId);
  if (!key) throw notFound('Contact');
  return key;
}

/** Adds the contact, or updates the one with this address. `by` is who asked for it. */
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

const upsertContact = createGatherer<Upsert, string>({
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

export async function getContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
): Promise<Contact> {
  const { rows } = await sql<ContactRow>`
    select ${CONTACT_COLUMNS} from contacts
    where team_id = ${teamId} and contact_book_id = ${contactBookKey(contactBookId)}
      and id = ${contactKey(contactId)}
  `.execute(db);
  if (!rows[0]) throw notFound('Contact');
  return presentContact(rows[0]);
}

/** The one way back for someone who had unsubscribed: `subscribed: true` here, by somebody who is on record. */
export async function updateContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
  update: ContactUpdate,
  by: string,
): Promise<string> {
  const bookKey = contactBookKey(contactBookId);
  const isKnown = await updateContactRow(db, { teamId, bookKey, id: contactKey(contactId), update, by });
  if (!isKnown) throw notFound('Contact');
  return contactId;
}

/** Updates a known contact, its address too; an unknown id acts as creating one. Like POST, it brings nobody back. */
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
    const isKnown = id !== null && (await putKnown(db, teamId, bookKey, id, update, by));
    if (isKnown) return contactId;
  } catch (error) {
    if (!isUniqueViolation(error, 'contacts_email_key')) throw error;
    throw conflict('Another contact of this book has this email address.');
  }
  return createContact(db, teamId, contactBookId, input, by);
}

/** Who has still to confirm is asked again, as after a POST. */
async function putKnown(
  db: Db,
  teamId: number,
  bookKey: string,
  id: string,
  update: ContactUpdate & { email: Address },
  by: string,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const isKnown = await updateContactRow(trx, { teamId, bookKey, id, update, by });
    if (isKnown) await sendConfirmationsLater(trx, { teamId, contactBookId: bookKey, contactId: id });
    return isKnown;
  });
}

export async function deleteContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
): Promise<void> {
  const deleted = await deleteRows(db, teamId, contactBookKey(contactBookId), [contactKey(contactId)]);
  if (deleted === 0) throw notFound('Contact');
}

/** Ids that are not in the book are passed over. */
export async function deleteContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactIds: string[],
): Promise<number> {
  const bookKey = contactBookKey(contactBookId);
  const keys = contactIds.map((id) => decodeId('con', id)).filter((key) => key !== null);
  return inTransaction(db, async (trx) => {
    const { rows } = await sql`
      select 1 from contact_books where team_id = ${teamId} and id = ${bookKey} for key share
    `.execute(trx);
    if (rows.length === 0) throw notFound('Contact book');
    return deleteRows(trx, teamId, bookKey, keys);
  });
}

async function deleteRows(db: Db, teamId: number, bookKey: string, keys: string[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    // Locked in the order of upserts, so that the two cannot wait for each other in a circle. It is a statement of
    // its own: the next one then sees what others had written about these contacts before.
    const { rows: doomed } = await sql<{ id: string }>`
      select id from contacts
      where team_id = ${teamId} and contact_book_id = ${bookKey} and id = any(${keys}::uuid[])
      order by email_key for update
    `.execute(trx);
    if (doomed.length === 0) return 0;
    await sql`
      with hook as (
        select id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
      ), doomed as (
        select unnest(${doomed.map(({ id }) => id)}::uuid[]) as id
      ), topics as (
        delete from contact_topics using doomed
        where contact_topics.team_id = ${teamId} and contact_topics.contact_book_id = ${bookKey}
          and contact_topics.contact_id = doomed.id
      ), deleted as (
        delete from contacts using doomed
        where contacts.team_id = ${teamId} and contacts.contact_book_id = ${bookKey} and contacts.id = doomed.id
        returning contacts.id, case when exists (select from hook) then contact_notice(contacts) end as notice
      ), happened as (
        select make_uuid() as event_id, 'contact.deleted' as type, notice,
          jsonb_build_object('id', 'con ' || id, 'contactBookId', 'cbk ' || ${bookKey}::uuid) as ids
        from deleted where notice is not null
      ), announced as (
        insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data)
        select ${teamId}, hook.id, make_uuid(), event_id, type, ids, notice
        from happened join hook on webhook_wants(hook.events, type)
      )
      insert into contact_book_counts as n (team_id, contact_book_id, slot, contacts)
      values (${teamId}, ${bookKey}, pg_backend_pid() % 16, ${-doomed.length})
      on conflict (team_id, contact_book_id, slot) do update set contacts = n.contacts + excluded.contacts
    `.execute(trx);
    return doomed.length;
  });
}

export function presentContact(row: ContactRow): Contact {
  return {
    id: encodeId('con', row.id),
    contactBookId: encodeId('cbk', row.contact_book_id),
    email: row.email,
    firstName: row.first_name || null,
    lastName: row.last_name || null,
    properties: row.properties,
    subscribed: row.subscription === 'subscribed',
    unsubscribeReason: row.unsubscribe_reason,
    consent: row.consent,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
