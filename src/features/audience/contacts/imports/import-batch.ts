/**
 * Stores one batch of rows in one transaction: the contacts, the counts, the rejected rows, the position in the file
 * and the job that continues. A crash leaves the whole batch stored or none of it.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { AppError } from '../../../../platform/errors.ts';
import type { Row } from '../../../../platform/database/rows.ts';
import { enqueue } from '../../../jobs/jobs.ts';
import { addBookVariables } from './book-variables.ts';
import type { CsvPosition } from './import-csv.ts';
import { mergeRepeated, type ImportRow } from './import-rows.ts';
import {
  MAX_COLUMNS_SHOWN,
  type ContactImport,
  type ImportedColumn,
  type RejectedRow,
} from './imports.schema.ts';
import { upsertContacts } from '../upsert-contacts.ts';

const MAX_STORED_REFUSALS = 100_000;
/** Prefix of the job key, followed by the import's ID. Every unfinished import has a job with this key. */
export const IMPORT_JOB_KEY = 'contact-import ';

export interface RunningImport {
  teamId: number;
  id: string;
  bookKey: string;
  totalBytes: number;
  /** Recorded as the author of subscription changes. */
  requestedBy: string;
  consent: ContactImport['consent'];
  consentNote: string | null;
  /** How the columns are imported. */
  columns: ImportedColumn[];
}

export interface Batch {
  /** Where the previous batch ended. If the stored position differs, another run is working on the import. */
  startByte: number;
  end: CsvPosition;
  rows: ImportRow[];
  refusals: RejectedRow[];
}

/** Returns false if another run reads the file, or if the import was cancelled or the book deleted. */
export async function storeBatch(
  db: Db,
  running: RunningImport,
  batch: Batch,
  options: { continueLater: boolean },
): Promise<boolean> {
  const { teamId, id, bookKey } = running;
  return inTransaction(db, async (trx) => {
    // Lock the book first, as deleting the book does, to avoid a deadlock.
    const kept = running.columns.flatMap(({ property }) => property ?? []);
    if (batch.rows.length > 0) await addBookVariables(trx, teamId, bookKey, kept);
    const book = await sql`
      select 1 from contact_books where team_id = ${teamId} and id = ${bookKey} for key share
    `.execute(trx);
    const { rows: locked } = await sql<{ refused: Row<'contact_imports'>['rows_refused'] }>`
      select rows_refused as refused from contact_imports
      where team_id = ${teamId} and id = ${id} and done_bytes = ${batch.startByte}
        and status in ('PENDING', 'RUNNING')
      for update
    `.execute(trx);
    if (book.rows.length === 0 || !locked[0]) return false;

    const { created, asked, tooLarge } = await upsertOrRefuse(trx, running, batch.rows);
    const refusals = [...batch.refusals, ...tooLarge];
    await storeRefusals(
      trx,
      running,
      refusals.slice(0, Math.max(0, MAX_STORED_REFUSALS - locked[0].refused)),
    );
    await sql`
      update contact_imports set
        status = 'RUNNING', done_bytes = ${batch.end.bytes}, done_lines = ${batch.end.lines},
        rows_read = rows_read + ${batch.rows.length + batch.refusals.length},
        rows_created = rows_created + ${created},
        rows_updated = rows_updated + ${batch.rows.length - tooLarge.length - created},
        rows_refused = rows_refused + ${refusals.length},
        rows_unsubscribed = rows_unsubscribed + ${countUnsubscribed(batch.rows)},
        columns = ${JSON.stringify(running.columns.slice(0, MAX_COLUMNS_SHOWN))}::jsonb,
        confirmations_waiting = confirmations_waiting + ${asked},
        updated_at = now()
      where team_id = ${teamId} and id = ${id}
    `.execute(trx);
    if (batch.end.bytes === running.totalBytes) await finishImport(trx, teamId, id, null);
    else if (options.continueLater) await runImportLater(trx, teamId, id);
    return true;
  });
}

function countUnsubscribed(rows: ImportRow[]): number {
  return rows.filter(({ contact }) => contact.subscribed === false).length;
}

export async function runImportLater(db: Db, teamId: number, id: string): Promise<void> {
  await enqueue(
    db,
    'run-contact-import',
    { teamId, importId: id },
    // The job key prevents duplicates when a job that a dead worker held runs again.
    { jobKey: `${IMPORT_JOB_KEY}${id}` },
  );
}

/** Also deletes the stored file. A cancelled import stays cancelled. */
export async function finishImport(trx: Db, teamId: number, id: string, error: string | null): Promise<void> {
  await sql`
    update contact_imports set status = ${error === null ? 'DONE' : 'FAILED'}, error = ${error},
      finished_at = now(), updated_at = now()
    where team_id = ${teamId} and id = ${id} and status in ('PENDING', 'RUNNING')
  `.execute(trx);
  await sql`
    delete from contact_import_chunks where team_id = ${teamId} and import_id = ${id}
  `.execute(trx);
}

/** Bisects a batch that fails because a contact would grow too large, so that only that row is rejected. */
export async function upsertOrRefuse(
  trx: Db,
  running: Omit<RunningImport, 'totalBytes' | 'columns'>,
  rows: ImportRow[],
): Promise<{ created: number; asked: number; tooLarge: RejectedRow[] }> {
  if (rows.length === 0) return { created: 0, asked: 0, tooLarge: [] };
  const { teamId, bookKey, requestedBy } = running;
  await sql`savepoint rows`.execute(trx);
  try {
    const written = await upsertContacts(trx, teamId, bookKey, mergeRepeated(rows), {
      by: requestedBy,
      fromImport: running,
    });
    await sql`release savepoint rows`.execute(trx);
    return {
      created: written.filter((contact) => contact.created).length,
      asked: written.filter((contact) => contact.asked).length,
      tooLarge: [],
    };
  } catch (error) {
    // The only validation error of an upsert is the size of the properties.
    if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') throw error;
    await sql`rollback to savepoint rows`.execute(trx);
    await sql`release savepoint rows`.execute(trx);
    const [first] = rows;
    if (rows.length === 1) {
      const refusal = { line: first!.line, email: first!.contact.email.email, reason: error.message };
      return { created: 0, asked: 0, tooLarge: [refusal] };
    }
  }
  const middle = rows.length >> 1;
  const front = await upsertOrRefuse(trx, running, rows.slice(0, middle));
  const back = await upsertOrRefuse(trx, running, rows.slice(middle));
  return {
    created: front.created + back.created,
    asked: front.asked + back.asked,
    tooLarge: [...front.tooLarge, ...back.tooLarge],
  };
}

async function storeRefusals(
  trx: Db,
  { teamId, id }: Pick<RunningImport, 'teamId' | 'id'>,
  refusals: RejectedRow[],
): Promise<void> {
  if (refusals.length === 0) return;
  await sql`
    insert into contact_import_refusals (team_id, import_id, line, email, reason)
    select ${teamId}, ${id}, line, email, reason from unnest(
      ${refusals.map(({ line }) => line)}::bigint[],
      ${refusals.map(({ email }) => email)}::text[],
      ${refusals.map(({ reason }) => reason)}::text[]
    ) as refusal (line, email, reason)
  `.execute(trx);
}
