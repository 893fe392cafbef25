/**
 * Records events that an application sends about people. All of a request are recorded, or none. Each is a row in
 * `custom_events` and an event of the stream, which starts automations and calls webhooks.
 */
import { groupBy } from '../../../platform/group-by.ts';
import { sql } from 'kysely';
import { inTransaction, toJson, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { contactBookKey, requireContactBook } from '../../audience/contact-books/contact-books.ts';
import { isInBook } from '../../audience/contact-books/deleted-books.ts';
import { upsertContacts } from '../../audience/contacts/upsert-contacts.ts';
import { recordEvents } from '../../events/record-events.ts';
import { exitRunsOfEvents } from '../runs/exit-runs.ts';
import type { EventInput, SentEvent } from './custom-events.schema.ts';
import { requireDefined } from './event-definitions.ts';

/** Clocks of applications may be ahead of ours by this much. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000;

type Sender = Pick<Caller, 'teamId' | 'by'>;

type Person = CamelRow<'custom_events', 'contact_book_id' | 'contact_id' | 'is_of_book'> & {
  address: Row<'custom_events'>['address'];
  addressKey: Row<'custom_events'>['address_key'];
};

export async function sendEvent(db: Db, caller: Sender, event: EventInput): Promise<SentEvent> {
  const [sent] = await sendAll(db, caller, [event], () => '');
  return sent!;
}

export async function sendEvents(db: Db, caller: Sender, events: EventInput[]): Promise<SentEvent[]> {
  return sendAll(db, caller, events, (at) => `/${at}`);
}

async function sendAll(
  db: Db,
  caller: Sender,
  events: EventInput[],
  pathOf: (at: number) => string,
): Promise<SentEvent[]> {
  requireTimes(events);
  return inTransaction(db, async (trx) => {
    await requireDefined(trx, caller.teamId, events, pathOf);
    const known = await findKnown(trx, caller.teamId, events);
    const isNew = events.map(({ id }) => !id || !known.has(id));
    const fresh = events.filter((_event, at) => isNew[at]);
    const people = await findPeople(trx, caller, fresh);
    const rows = fresh.map((event, at) => ({ event, id: newUuid(), person: people[at]! }));
    const stored = await insertEvents(trx, caller.teamId, rows);
    const recorded = rows.filter(({ id }) => stored.has(id));
    await recordEvents(
      trx,
      caller.teamId,
      recorded.map(({ event, id, person }) => toRecord(event, id, person)),
    );
    await exitRunsOfEvents(
      trx,
      caller.teamId,
      recorded.map(({ event, person }) => ({ name: event.name, data: event.data ?? {}, ...person })),
    );
    // Another request may have stored the same ID in the meantime, or this one has it twice.
    const repeated = recorded.length < events.length ? await findKnown(trx, caller.teamId, events) : known;
    let next = 0;
    return events.map((event, at) => {
      const row = isNew[at] ? rows[next++]! : null;
      if (row && stored.has(row.id)) return present(event.name, row.id, row.person.contactId, false);
      const first = repeated.get(event.id!)!;
      return present(first.name, first.id, first.contactId, true);
    });
  });
}

function requireTimes(events: EventInput[]): void {
  const latest = Date.now() + MOST_AHEAD_MS;
  for (const { occurredAt } of events)
    if (occurredAt && occurredAt.getTime() > latest)
      throw badRequest('occurredAt must not be more than a day in the future.');
}

type KnownEvent = CamelRow<'custom_events', 'id' | 'name' | 'contact_id'>;

async function findKnown(trx: Db, teamId: number, events: EventInput[]): Promise<Map<string, KnownEvent>> {
  const ids = events.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<KnownEvent & { externalId: NonNullable<Row<'custom_events'>['external_id']> }>`
    select external_id as "externalId", id, name, contact_id as "contactId" from custom_events
    where team_id = ${teamId} and external_id = any(${ids}::text[])
  `.execute(trx);
  return new Map(rows.map((row) => [row.externalId, row]));
}

async function findPeople(trx: Db, caller: Sender, events: EventInput[]): Promise<Person[]> {
  const byId = await findContacts(trx, caller.teamId, events);
  const byAddress = await findAddresses(trx, caller, events);
  return events.map((event) => {
    if (!event.email) {
      const contact = byId.get(decodeId('con', event.contactId!) ?? '');
      const isElsewhere =
        !!event.contactBookId && contact?.contactBookId !== contactBookKey(event.contactBookId);
      if (!contact || isElsewhere) throw notFound('Contact');
      return contact;
    }
    const { email: address, key: addressKey } = event.email;
    const bookKey = event.contactBookId ? contactBookKey(event.contactBookId) : null;
    const contact = byAddress.get(`${bookKey ?? ''} ${addressKey}`);
    return {
      address,
      addressKey,
      contactBookId: contact?.contactBookId ?? null,
      contactId: contact?.contactId ?? null,
      isOfBook: bookKey !== null,
    };
  });
}

async function findContacts(trx: Db, teamId: number, events: EventInput[]): Promise<Map<string, Person>> {
  const ids = events.flatMap(({ contactId }) => (contactId && decodeId('con', contactId)) || []);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Person & { contactId: Row<'contacts'>['id'] }>`
    select contact_book_id as "contactBookId", id as "contactId", email as address, email_key as "addressKey",
      true as "isOfBook"
    from contacts where team_id = ${teamId} and id = any(${ids}::uuid[]) and ${isInBook('contacts')}
  `.execute(trx);
  return new Map(rows.map((row) => [row.contactId, row]));
}

interface FoundContact extends CamelRow<'contacts', 'contact_book_id'> {
  contactId: Row<'contacts'>['id'];
}

/** By the book that the event names, or an empty text, and the address. Contacts that a book lacks are added to it. */
async function findAddresses(
  trx: Db,
  caller: Sender,
  events: EventInput[],
): Promise<Map<string, FoundContact>> {
  const found = new Map<string, FoundContact>();
  const anywhere = [
    ...new Set(events.flatMap(({ email, contactBookId }) => (email && !contactBookId ? email.key : []))),
  ];
  for (const row of await findOldestContacts(trx, caller.teamId, anywhere))
    found.set(` ${row.addressKey}`, row);
  for (const [bookId, ofBook] of groupBy(
    events.filter(({ email, contactBookId }) => email && contactBookId),
    ({ contactBookId }) => contactBookId!,
  )) {
    const bookKey = contactBookKey(bookId);
    await requireContactBook(trx, caller.teamId, bookKey);
    const addresses = new Map(ofBook.map(({ email }) => [email!.key, email!]));
    for (const row of await findInBook(trx, caller.teamId, bookKey, [...addresses.keys()])) {
      found.set(`${bookKey} ${row.addressKey}`, row);
      addresses.delete(row.addressKey);
    }
    if (addresses.size === 0) continue;
    const added = await upsertContacts(
      trx,
      caller.teamId,
      bookKey,
      [...addresses.values()].map((email) => ({ email })),
      { by: caller.by, areSingle: true },
    );
    for (const { id, key } of added)
      found.set(`${bookKey} ${key}`, { contactBookId: bookKey, contactId: id });
  }
  return found;
}

type AddressRow = FoundContact & { addressKey: Row<'contacts'>['email_key'] };

async function findOldestContacts(trx: Db, teamId: number, keys: string[]): Promise<AddressRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<AddressRow>`
    select distinct on (c.email_key) c.email_key as "addressKey", c.contact_book_id as "contactBookId", c.id as "contactId"
    from contact_books b join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id
      and c.email_key = any(${keys}::text[])
    where b.team_id = ${teamId}
    order by c.email_key, b.id
  `.execute(trx);
  return rows;
}

async function findInBook(trx: Db, teamId: number, bookKey: string, keys: string[]): Promise<AddressRow[]> {
  const { rows } = await sql<AddressRow>`
    select email_key as "addressKey", contact_book_id as "contactBookId", id as "contactId" from contacts
    where team_id = ${teamId} and contact_book_id = ${bookKey} and email_key = any(${keys}::text[])
  `.execute(trx);
  return rows;
}

interface EventRow {
  event: EventInput;
  id: string;
  person: Person;
}

/** Returns the IDs of the events that were stored. The others were there before. */
async function insertEvents(trx: Db, teamId: number, rows: EventRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const values = rows.map(({ event, id, person }) => ({
    id,
    name: event.name,
    contact_book_id: person.contactBookId,
    contact_id: person.contactId,
    address: person.address,
    address_key: person.addressKey,
    is_of_book: person.isOfBook,
    data: event.data ?? {},
    external_id: event.id ?? null,
    occurred_at: event.occurredAt ?? null,
  }));
  const { rows: stored } = await sql<Row<'custom_events', 'id'>>`
    insert into custom_events (team_id, id, name, contact_book_id, contact_id, address, address_key, is_of_book, data,
      external_id, occurred_at)
    select ${teamId}, e.id, e.name, e.contact_book_id, e.contact_id, e.address, e.address_key, e.is_of_book, e.data,
      e.external_id, coalesce(e.occurred_at, now())
    from json_to_recordset(${toJson(values)}::json) as e (
      id uuid, name text, contact_book_id uuid, contact_id uuid, address text, address_key text, is_of_book boolean,
      data jsonb, external_id text, occurred_at timestamptz
    )
    order by e.external_id
    on conflict (team_id, external_id) where external_id is not null do nothing
    returning id
  `.execute(trx);
  return new Set(stored.map(({ id }) => id));
}

function toRecord(event: EventInput, id: string, person: Person) {
  const contactId = person.contactId && encodeId('con', person.contactId);
  return {
    type: `event.${event.name}` as const,
    subjectId: id,
    notice: {
      id: encodeId('evt', id),
      name: event.name,
      contactId,
      contactBookId: person.contactBookId && encodeId('cbk', person.contactBookId),
      email: person.address,
      data: event.data ?? {},
      occurredAt: (event.occurredAt ?? new Date()).toISOString(),
    },
  };
}

function present(name: string, id: string, contactId: string | null, duplicate: boolean): SentEvent {
  return { id: encodeId('evt', id), name, contactId: contactId && encodeId('con', contactId), duplicate };
}
