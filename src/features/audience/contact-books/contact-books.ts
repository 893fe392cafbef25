/** Contact books are lists of contacts, each with its own settings for new contacts. */
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { Fragment, inTransaction, statement, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { releaseBook } from '../campaign-use/campaign-use.ts';
import { releaseSegmentsOfBook } from '../campaign-use/release-segments.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import type { ContactBook, ContactBookInput, ContactBookUpdate } from './contact-books.schema.ts';
import {
  DEFAULT_DOUBLE_OPT_IN_CONTENT,
  DEFAULT_DOUBLE_OPT_IN_SUBJECT,
  DOUBLE_OPT_IN_LINK,
} from './double-opt-in-defaults.ts';

const DEFAULT_EMOJI = '📙';
const DEFAULT_TIME_ZONE = 'UTC';

interface ContactBookRow extends Row<
  'contact_books',
  | 'id'
  | 'team_id'
  | 'name'
  | 'emoji'
  | 'variables'
  | 'double_opt_in_enabled'
  | 'double_opt_in_from'
  | 'double_opt_in_subject'
  | 'double_opt_in_content'
  | 'archive_enabled'
  | 'archive_title'
  | 'archive_description'
  | 'archive_indexed'
  | 'time_zone'
  | 'created_at'
  | 'updated_at'
> {
  properties: Record<string, unknown>;
  contacts: number;
}

const COLUMNS = new Fragment(`
  b.id, b.team_id, b.name, b.emoji, b.properties, b.variables, b.double_opt_in_enabled, b.double_opt_in_from,
  b.double_opt_in_subject, b.double_opt_in_content, b.archive_enabled, b.archive_title, b.archive_description,
  b.archive_indexed, b.time_zone, b.created_at, b.updated_at,
  (select coalesce(sum(c.contacts), 0)::int8 from contact_book_counts c
   where c.team_id = b.team_id and c.contact_book_id = b.id) as contacts`);

/** Returns the book's UUID. Throws "not found" for text that is not the ID of a book. */
export function contactBookKey(contactBookId: string): string {
  const key = decodeId('cbk', contactBookId);
  if (!key) throw notFound('Contact book');
  return key;
}

export async function createContactBook(
  db: Db,
  teamId: number,
  input: ContactBookInput,
): Promise<ContactBook> {
  const values = valuesOf(input);
  const content = values.double_opt_in_content ?? DEFAULT_DOUBLE_OPT_IN_CONTENT;
  await checkDoubleOptIn(db, teamId, input.doubleOptInFrom, values.double_opt_in_enabled ?? false, content);
  const id = newUuid();
  await db
    .insertInto('contact_books')
    .values({
      team_id: teamId,
      id,
      name: input.name,
      emoji: values.emoji ?? DEFAULT_EMOJI,
      properties: values.properties ?? '{}',
      variables: values.variables ?? [],
      double_opt_in_enabled: values.double_opt_in_enabled ?? false,
      double_opt_in_from: values.double_opt_in_from ?? null,
      double_opt_in_subject: values.double_opt_in_subject ?? DEFAULT_DOUBLE_OPT_IN_SUBJECT,
      double_opt_in_content: content,
      archive_enabled: values.archive_enabled ?? false,
      archive_title: values.archive_title ?? null,
      archive_description: values.archive_description ?? null,
      archive_indexed: values.archive_indexed ?? false,
      time_zone: values.time_zone ?? DEFAULT_TIME_ZONE,
    })
    .execute();
  return readContactBook(db, teamId, id);
}

export async function getContactBook(db: Db, teamId: number, contactBookId: string): Promise<ContactBook> {
  return readContactBook(db, teamId, contactBookKey(contactBookId));
}

/** Throws "not found" unless the book exists. */
export async function requireContactBook(db: Db, teamId: number, bookKey: string): Promise<void> {
  const book = await db
    .selectFrom('contact_books')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', bookKey)
    .executeTakeFirst();
  if (!book) throw notFound('Contact book');
}

/** Lists all books of the team, newest first. */
export async function listContactBooks(db: Db, teamId: number): Promise<ContactBook[]> {
  const rows = await statement<ContactBookRow>(db)`
    select ${COLUMNS} from contact_books b where b.team_id = ${teamId} order by b.id desc`;
  return rows.map(present);
}

export async function updateContactBook(
  db: Db,
  teamId: number,
  contactBookId: string,
  update: ContactBookUpdate,
): Promise<ContactBook> {
  const id = contactBookKey(contactBookId);
  const values = valuesOf(update);
  return inTransaction(db, async (trx) => {
    const before = await trx
      .selectFrom('contact_books')
      .select(['double_opt_in_enabled', 'double_opt_in_content'])
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw notFound('Contact book');
    const after = { ...before, ...values };
    await checkDoubleOptIn(
      trx,
      teamId,
      update.doubleOptInFrom,
      after.double_opt_in_enabled,
      after.double_opt_in_content,
    );
    if (Object.keys(values).length > 0) {
      await trx
        .updateTable('contact_books')
        .set({ ...values, updated_at: sql`now()` })
        .where('team_id', '=', teamId)
        .where('id', '=', id)
        .execute();
    }
    return readContactBook(trx, teamId, id);
  });
}

/** Makes a change that depends on the current state of the book. Concurrent changes wait for each other. */
export async function changeContactBook(
  db: Db,
  teamId: number,
  contactBookId: string,
  change: (book: ContactBook) => ContactBookUpdate,
): Promise<ContactBook> {
  const id = contactBookKey(contactBookId);
  return inTransaction(db, async (trx) => {
    await trx
      .selectFrom('contact_books')
      .select('id')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forUpdate()
      .execute();
    return updateContactBook(trx, teamId, contactBookId, change(await readContactBook(trx, teamId, id)));
  });
}

/** A job removes the contacts (deleted-books.ts). The row lock blocks requests that are about to add contacts. */
export async function deleteContactBook(db: Db, teamId: number, contactBookId: string): Promise<void> {
  const id = contactBookKey(contactBookId);
  await inTransaction(db, async (trx) => {
    await readContactBook(trx, teamId, id);
    await releaseBook(trx, teamId, id);
    const book = await trx
      .selectFrom('contact_books')
      .select('id')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!book) throw notFound('Contact book');
    // A campaign may have started while this transaction waited for the lock.
    await releaseBook(trx, teamId, id);
    await releaseSegmentsOfBook(trx, teamId, id);
    await enqueue(trx, 'drop-contacts-of-book', { teamId, bookKey: id });
    await trx.deleteFrom('contact_books').where('team_id', '=', teamId).where('id', '=', id).execute();
  });
}

/** The columns that the input sets. Null resets a column to its default. */
function valuesOf(input: ContactBookUpdate) {
  const all = {
    name: input.name,
    emoji: input.emoji === null ? DEFAULT_EMOJI : input.emoji,
    properties: input.properties === null ? '{}' : input.properties && JSON.stringify(input.properties),
    variables: input.variables === null ? [] : input.variables,
    double_opt_in_enabled: input.doubleOptInEnabled === null ? false : input.doubleOptInEnabled,
    double_opt_in_from: input.doubleOptInFrom,
    double_opt_in_subject:
      input.doubleOptInSubject === null ? DEFAULT_DOUBLE_OPT_IN_SUBJECT : input.doubleOptInSubject,
    double_opt_in_content:
      input.doubleOptInContent === null ? DEFAULT_DOUBLE_OPT_IN_CONTENT : input.doubleOptInContent,
    archive_enabled: input.archiveEnabled === null ? false : input.archiveEnabled,
    archive_title: input.archiveTitle === '' ? null : input.archiveTitle,
    archive_description: input.archiveDescription === '' ? null : input.archiveDescription,
    archive_indexed: input.archiveIndexed === null ? false : input.archiveIndexed,
    time_zone: input.timezone === null ? DEFAULT_TIME_ZONE : input.timezone,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof typeof all]: NonNullable<(typeof all)[Name]>;
  }>;
}

async function checkDoubleOptIn(
  db: Db,
  teamId: number,
  from: string | null | undefined,
  enabled: boolean,
  content: string,
): Promise<void> {
  const domain = from && parseMailbox(from)!.domain;
  if (domain && (await findHeldDomain(db, teamId, domain)) === undefined) {
    throw badRequest(`doubleOptInFrom must use a verified domain of your team. ${domain} is not verified.`);
  }
  if (enabled && !DOUBLE_OPT_IN_LINK.test(content)) {
    throw badRequest('doubleOptInContent must contain the confirmation link {{doubleOptInUrl}}.');
  }
}

async function readContactBook(db: Db, teamId: number, id: string): Promise<ContactBook> {
  const book = await readContactBooks(db, { teamId, id });
  if (!book) throw notFound('Contact book');
  return book;
}

const readContactBooks = createBatcher<{ teamId: number; id: string }, ContactBook | undefined>({
  keyOf: ({ teamId }) => String(teamId),
  async work(db, wanted) {
    const ids = wanted.map(({ id }) => id);
    const rows = await statement<ContactBookRow>(db)`
      select ${COLUMNS} from contact_books b
      where b.team_id = ${wanted[0].teamId} and b.id = any(${[...new Set(ids)]}::uuid[])`;
    const found = new Map(rows.map((row) => [row.id, present(row)]));
    return ids.map((id) => found.get(id));
  },
});

function present(row: ContactBookRow): ContactBook {
  return {
    id: encodeId('cbk', row.id),
    name: row.name,
    teamId: row.team_id,
    properties: row.properties,
    variables: row.variables,
    emoji: row.emoji,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    doubleOptInEnabled: row.double_opt_in_enabled,
    doubleOptInFrom: row.double_opt_in_from,
    doubleOptInSubject: row.double_opt_in_subject,
    doubleOptInContent: row.double_opt_in_content,
    archiveEnabled: row.archive_enabled,
    archiveTitle: row.archive_title,
    archiveDescription: row.archive_description,
    archiveIndexed: row.archive_indexed,
    timezone: row.time_zone,
    _count: { contacts: row.contacts },
  };
}
