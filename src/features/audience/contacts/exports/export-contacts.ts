/**
 * Streams a book's contacts as CSV (RFC 4180), page by page at the client's pace. It holds no transaction and at most
 * one page in memory. Importing the file gives the same contacts.
 */
import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { propertyKey } from '../../../../mail/html/tag-names.ts';
import { exportQueue, writeCsvRow } from '../../../../platform/csv.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { badRequest } from '../../../../platform/errors.ts';
import { bookExists } from '../../contact-books/deleted-books.ts';
import { contactBookKey, requireContactBook } from '../../contact-books/contact-books.ts';
import { OWN_FIELD_NAMES } from '../../own-fields/own-fields.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from '../present-contact.ts';
import { propertyColumnName } from '../imports/import-columns.ts';

const PAGE_ROWS = 500;
/** Every row has a cell for each property, so an unlimited number would make the file unusable. */
const MAX_PROPERTIES = 10_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface ExportRequest {
  teamId: number;
  contactBookId: string;
  /** Throws if the client has disconnected. */
  throwIfDisconnected(): void;
}

/** Throws all expected errors before the response begins. */
export async function exportContacts(db: Db, request: ExportRequest): Promise<AsyncIterable<string>> {
  const { teamId, contactBookId, throwIfDisconnected } = request;
  const bookKey = contactBookKey(contactBookId);
  await requireContactBook(db, teamId, bookKey);
  const inQueue: RunInQueue = (read) => exportQueue(teamId, async () => (throwIfDisconnected(), read()));
  return writePages(db, teamId, bookKey, await findProperties(db, teamId, bookKey, inQueue), inQueue);
}

type RunInQueue = <Result>(read: () => Promise<Result>) => Promise<Result>;

async function findProperties(
  db: Db,
  teamId: number,
  bookKey: string,
  inQueue: RunInQueue,
): Promise<string[]> {
  const { rows } = await inQueue(() =>
    sql<{ name: string }>`
      select min(name) as name from contacts, jsonb_object_keys(properties) as name
      where team_id = ${teamId} and contact_book_id = ${bookKey}
      group by property_key(name) limit ${MAX_PROPERTIES + 1}
    `.execute(db),
  );
  if (rows.length > MAX_PROPERTIES) {
    throw badRequest(
      `The contacts in this book have more than ${MAX_PROPERTIES} different properties, which is too many for one CSV file. Use the contact list instead.`,
    );
  }
  return rows.map(({ name }) => name).toSorted();
}

async function* writePages(
  db: Db,
  teamId: number,
  bookKey: string,
  properties: string[],
  inQueue: RunInQueue,
): AsyncGenerator<string> {
  yield writeCsvRow([
    'email',
    ...OWN_FIELD_NAMES,
    'subscribed',
    'unsubscribeReason',
    'createdAt',
    ...properties.map(propertyColumnName),
  ]);
  let after = FIRST_ID;
  for (;;) {
    const from = after;
    const { rows } = await inQueue(() =>
      sql<ContactRow>`
        select ${CONTACT_COLUMNS} from contacts c
        where team_id = ${teamId} and contact_book_id = ${bookKey} and id > ${from} and ${bookExists(teamId, bookKey)}
        order by id limit ${PAGE_ROWS}
      `.execute(db),
    );
    // Let other requests run between pages.
    await nextTurn();
    if (rows.length > 0) yield rows.map((row) => writeContact(row, properties)).join('');
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.id;
  }
}

function writeContact(row: ContactRow, properties: string[]): string {
  const contact = presentContact(row);
  const values = new Map(
    Object.entries(contact.properties).map(([name, value]) => [propertyKey(name), value]),
  );
  return writeCsvRow([
    contact.email,
    ...OWN_FIELD_NAMES.map((name) => contact[name] ?? ''),
    String(contact.subscribed),
    contact.unsubscribeReason ?? '',
    contact.createdAt,
    ...properties.map((name) => String(values.get(propertyKey(name)) ?? '')),
  ]);
}
