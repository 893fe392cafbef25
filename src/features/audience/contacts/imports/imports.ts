/** Reads imports with their progress and rejected rows. Unfinished uploads are not shown. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../../platform/pages.ts';
import type { Row } from '../../../../platform/database/rows.ts';
import { contactBookKey, requireContactBook } from '../../contact-books/contact-books.ts';
import {
  MAX_REFUSALS_SHOWN,
  type ContactImport,
  type ImportQuery,
  type RejectedRow,
} from './imports.schema.ts';

interface ImportRow extends Row<
  'contact_imports',
  | 'id'
  | 'contact_book_id'
  | 'consent_note'
  | 'confirmations_waiting'
  | 'total_bytes'
  | 'done_bytes'
  | 'rows_read'
  | 'rows_created'
  | 'rows_updated'
  | 'rows_refused'
  | 'rows_unsubscribed'
  | 'error'
  | 'created_at'
  | 'updated_at'
  | 'finished_at'
> {
  status: ContactImport['status'];
  consent: ContactImport['consent'];
  columns: ContactImport['columns'];
}

const COLUMNS = sql`
  id, contact_book_id, status, consent, consent_note, confirmations_waiting, total_bytes, done_bytes, rows_read, rows_created, rows_updated, rows_refused,
  rows_unsubscribed, columns,  error, created_at, updated_at, finished_at`;

export async function getImport(
  db: Db,
  teamId: number,
  contactBookId: string,
  importId: string,
): Promise<ContactImport> {
  const row = await findImport(db, teamId, contactBookId, importId);
  return present(row, await readRefusals(db, teamId, row.id, 0, MAX_REFUSALS_SHOWN));
}

/** Lists the newest first, without rejected rows, of any status or of the given ones. */
export async function listImports(
  db: Db,
  teamId: number,
  contactBookId: string,
  page: PageRequest,
  statuses?: ContactImport['status'][],
): Promise<Page<ContactImport>> {
  const bookKey = contactBookKey(contactBookId);
  const start = readPageStart('imp', page);
  const conditions: RawBuilder<unknown>[] = [
    sql`team_id = ${teamId} and contact_book_id = ${bookKey} and status <> 'UPLOADING'`,
    fromStart(start, 'id'),
  ];
  if (statuses) conditions.push(sql`status = any(${statuses}::text[])`);
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from contact_imports where ${sql.join(conditions, sql` and `)}
    order by id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  if (rows.length === 0) await requireContactBook(db, teamId, bookKey);
  return toPage(rows, page, (row) => present(row, []));
}

/** Lists rows in the order of the file. The cursor is the line number of the last row. */
export async function listRefusals(
  db: Db,
  teamId: number,
  contactBookId: string,
  importId: string,
  { limit, cursor = '0' }: ImportQuery,
): Promise<{ items: RejectedRow[]; next_cursor: string | null }> {
  const { id } = await findImport(db, teamId, contactBookId, importId);
  if (!/^\d{1,15}$/.test(cursor)) throw badRequest('The cursor is not valid for this list.');
  const rows = await readRefusals(db, teamId, id, Number(cursor), limit + 1);
  const items = rows.slice(0, limit);
  return { items, next_cursor: rows.length > limit ? String(items.at(-1)!.line) : null };
}

async function findImport(
  db: Db,
  teamId: number,
  contactBookId: string,
  importId: string,
): Promise<ImportRow> {
  const bookKey = contactBookKey(contactBookId);
  const id = decodeId('imp', importId);
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from contact_imports
    where team_id = ${teamId} and contact_book_id = ${bookKey} and id = ${id} and status <> 'UPLOADING'
  `.execute(db);
  if (!rows[0]) throw notFound('Import');
  return rows[0];
}

async function readRefusals(
  db: Db,
  teamId: number,
  id: string,
  afterLine: number,
  limit: number,
): Promise<RejectedRow[]> {
  return db
    .selectFrom('contact_import_refusals')
    .select(['line', 'email', 'reason'])
    .where('team_id', '=', teamId)
    .where('import_id', '=', id)
    .where('line', '>', afterLine)
    .orderBy('line')
    .limit(limit)
    .execute();
}

function present(row: ImportRow, refusals: RejectedRow[]): ContactImport {
  return {
    id: encodeId('imp', row.id),
    contactBookId: encodeId('cbk', row.contact_book_id),
    status: row.status,
    consent: row.consent,
    consentNote: row.consent_note,
    confirmationsWaiting: row.confirmations_waiting,
    totalBytes: row.total_bytes,
    doneBytes: row.done_bytes,
    // An import by a command has no file.
    progress: row.total_bytes === 0 ? 1 : row.done_bytes / row.total_bytes,
    rows: row.rows_read,
    created: row.rows_created,
    updated: row.rows_updated,
    refused: row.rows_refused,
    unsubscribed: row.rows_unsubscribed,
    columns: row.columns,
    refusals,
    error: row.error,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
