/** The limit program's routes for contacts and contact books. */
import {
  contactBookKey,
  createContactBook,
  deleteContactBook,
  getContactBook,
} from '../src/features/audience/contact-books/contact-books.ts';
import { contactInput, contactUpdate } from '../src/features/audience/contacts/contacts.schema.ts';
import { contactKey, createContact, updateContact } from '../src/features/audience/contacts/contacts.ts';
import { newUuid } from '../src/platform/ids.ts';
import { MAX_ATTEMPTS } from '../src/platform/jobs/jobs.ts';
import type { LimitRoute, Rehearsal } from './limit-route.ts';

interface ContactBody {
  email: string;
  firstName: string;
  lastName: string;
  properties: Record<string, string | number>;
}

type ContactChanges = Pick<ContactBody, 'firstName' | 'properties'>;

const BY = 'key_00000000000000000000000000';
const SAMPLE: ContactBody = {
  email: 'Ada@Example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  properties: { city: 'London' },
};
const CHANGES: ContactChanges = { firstName: 'Grace', properties: { city: 'Arlington' } };

/** Only inserts the rows, which is the least that any server must do to store them. */
const BARE_INSERT = `
  insert into contacts (
    team_id, contact_book_id, id, email, email_key, first_name, last_name, properties, subscription,
    subscription_changed_by
  )
  select $1, $2, row.id, row.email, row.email_key, row.first_name, row.last_name, row.properties::jsonb,
    'subscribed', $3
  from unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
    as row (id, email, email_key, first_name, last_name, properties)`;

export const contactLimits: Record<string, LimitRoute> = {
  createContact: {
    statement: (rehearsal) =>
      inSampleBook(rehearsal, (bookId) =>
        rehearsal.recordStatement(
          (db) => createContact(db, rehearsal.teamId, bookId, contactInput.parse(SAMPLE), BY),
          (id) => upsertParameters(rehearsal.teamId, contactBookKey(bookId), contactKey(id), SAMPLE),
        ),
      ),
    parameters: (teamId, [book], body) => upsertParameters(teamId, book!, newUuid(), body as ContactBody),
    answer: ([row]) => row,
  },

  updateContact: {
    statement: (rehearsal) =>
      inSampleBook(rehearsal, async (bookId) => {
        const { db, teamId } = rehearsal;
        const id = await createContact(db, teamId, bookId, contactInput.parse(SAMPLE), BY);
        return rehearsal.recordStatement(
          (db) => updateContact(db, teamId, bookId, id, contactUpdate.parse(CHANGES), BY),
          () => updateParameters(teamId, contactBookKey(bookId), contactKey(id), CHANGES),
        );
      }),
    parameters: (teamId, [book, id], body) => updateParameters(teamId, book!, id!, body as ContactChanges),
    answer: ([row]) => row,
  },

  getContactBook: {
    statement: (rehearsal) =>
      inSampleBook(rehearsal, (bookId) =>
        rehearsal.recordStatement(
          (db) => getContactBook(db, rehearsal.teamId, bookId),
          () => [rehearsal.teamId, [contactBookKey(bookId)]],
        ),
      ),
    parameters: (teamId, [book]) => [teamId, [book]],
    answer: ([row]) => row,
  },

  insertContacts: {
    statement: async () => BARE_INSERT,
    parameters(teamId, [book], body) {
      const contacts = body as ContactBody[];
      return [
        teamId,
        book,
        BY,
        contacts.map(() => newUuid()),
        contacts.map((contact) => contact.email),
        contacts.map((contact) => contact.email.toLowerCase()),
        contacts.map((contact) => contact.firstName),
        contacts.map((contact) => contact.lastName),
        contacts.map((contact) => JSON.stringify(contact.properties)),
      ];
    },
    answer: (_rows, count) => ({ count }),
  },
};

async function inSampleBook(
  { db, teamId }: Rehearsal,
  work: (bookId: string) => Promise<string>,
): Promise<string> {
  const { id } = await createContactBook(db, teamId, { name: 'Rehearsal' });
  const statement = await work(id);
  await deleteContactBook(db, teamId, id);
  return statement;
}

function upsertParameters(teamId: number, book: string, id: string, contact: ContactBody): unknown[] {
  const { email, firstName, lastName, properties } = contact;
  const row = {
    id,
    email,
    email_key: email.toLowerCase(),
    first_name: firstName,
    last_name: lastName,
    properties,
    subscribed: true,
  };
  const rows = JSON.stringify([row]);
  const request = [BY, true, null, null, null, 'api', BY, `confirmations ${teamId}`, null, 0, MAX_ATTEMPTS];
  return [Object.keys(properties), ...request, teamId, book, rows, teamId];
}

function updateParameters(teamId: number, book: string, id: string, changes: ContactChanges): unknown[] {
  const row = {
    id,
    confirms: false,
    first_name: changes.firstName,
    keeps_first_name: false,
    keeps_last_name: true,
    properties: changes.properties,
    subscription: null,
  };
  const names = Object.keys(changes.properties);
  const locked = [teamId, names, teamId, book, JSON.stringify([row]), teamId, book, [id]];
  return [...locked, BY, teamId, book, [id]];
}
