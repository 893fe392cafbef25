/**
 * A book's contacts as CSV (RFC 4180), page by page as the reader takes them: no transaction and no more than
 * one page stays open, however many contacts there are. Cells go out as they are: a guard against formulas of
 * spreadsheets would change them on their way back in.
 */
import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { createTeamQueue } from '../../platform/team-queue.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './contacts.ts';
import { propertyColumnName } from './import-columns.ts';

const PAGE_ROWS = 500;
/** Every row has a cell for each: without a bound, a strange book would make a file that nobody can open. */
const MAX_PROPERTIES = 10_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Statements of exports in this process; more at once would leave too little of the database to others. */
const exportQueue = createTeamQueue({ atOnce: 2, perTeam: 1 });

interface ExportRequest {
  teamId: number;
  contactBookId: string;
  /** Throws once nobody waits for the file any more. */
  refuseGone(): void;
}

/** What can be wrong is thrown here, before the first piece goes out. */
export async function exportContacts(db: Db, request: ExportRequest): Promise<AsyncIterable<string>> {
  const { teamId, contactBookId, refuseGone } = request;
  const bookKey = contactBookKey(contactBookId);
  await requireContactBook(db, teamId, bookKey);
  const inTurn: InTurn = (read) => exportQueue(teamId, async () => (refuseGone(), read()));
  return writePages(db, teamId, bookKey, await findProperties(db, teamId, bookKey, inTurn), inTurn);
}

type InTurn = <Result>(read: () => Promise<Result>) => Promise<Result>;

async function findProperties(db: Db, teamId: number, bookKey: string, inTurn: InTurn): Promise<string[]> {
  const { rows } = await inTurn(() =>
    sql<{ name: string }>`
      select distinct name from contacts, jsonb_object_keys(properties) as name
      where team_id = ${teamId} and contact_book_id = ${bookKey}
      limit ${MAX_PROPERTIES + 1}
    `.execute(db),
  );
  if (rows.length > MAX_PROPERTIES) {
    throw badRequest(
      `The contacts of this book have more than ${MAX_PROPERTIES} different properties, too many for one file. List them instead.`,
    );
  }
  return rows.map(({ name }) => name).toSorted();
}

async function* writePages(
  db: Db,
  teamId: number,
  bookKey: string,
  properties: string[],
  inTurn: InTurn,
): AsyncGenerator<string> {
  yield writeRow([
    'email',
    'firstName',
    'lastName',
    'subscribed',
    'unsubscribeReason',
    'createdAt',
    ...properties.map(propertyColumnName),
  ]);
  let after = FIRST_ID;
  for (;;) {
    const from = after;
    const { rows } = await inTurn(() =>
      sql<ContactRow>`
        select ${CONTACT_COLUMNS} from contacts
        where team_id = ${teamId} and contact_book_id = ${bookKey} and id > ${from}
        order by id limit ${PAGE_ROWS}
      `.execute(db),
    );
    // Whoever asked for something else meanwhile comes first.
    await nextTurn();
    if (rows.length > 0) yield rows.map((row) => writeContact(row, properties)).join('');
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.id;
  }
}

function writeContact(row: ContactRow, properties: string[]): string {
  const contact = presentContact(row);
  return writeRow([
    contact.email,
    contact.firstName ?? '',
    contact.lastName ?? '',
    String(contact.subscribed),
    contact.unsubscribeReason ?? '',
    contact.createdAt,
    ...properties.map((name) =>
      Object.hasOwn(contact.properties, name) ? String(contact.properties[name]) : '',
    ),
  ]);
}

function writeRow(cells: string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** Spaces at the ends are kept only in quotes, and other delimiters might be taken for the file's own. */
function writeCell(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
