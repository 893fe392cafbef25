/**
 * The job that imports an uploaded file into its book. One run works for SLICE_MS; its last batch enqueues a job for
 * the rest. This keeps shutdown quick and does not delay other jobs.
 */
import { setImmediate } from 'node:timers/promises';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { finishImport, storeBatch, type Batch, type RunningImport } from './import-batch.ts';
import { describeColumns, readLayout, type Layout } from './import-columns.ts';
import { readRecords, type CsvFile, type CsvPosition } from './import-csv.ts';
import { readRows } from './import-rows.ts';
import type { ColumnMapping } from './imports.schema.ts';

const SLICE_MS = 2_000;
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;

interface WaitingImport extends Omit<RunningImport, 'columns'> {
  done: CsvPosition;
  mapping: ColumnMapping;
  /** Those of the book. */
  variables: string[];
}

export async function runContactImport(db: Db, teamId: number, importId: string): Promise<void> {
  const startedAt = performance.now();
  const waiting = await findWaiting(db, teamId, importId);
  if (!waiting) return;
  const file = openFile(db, waiting);
  const layout = await findLayout(file, waiting);
  if (layout === null) return failImport(db, waiting, 'The uploaded file no longer exists. Upload it again.');
  if (typeof layout === 'string') return failImport(db, waiting, layout);

  const running = { ...waiting, columns: describeColumns(layout) };
  for await (const batch of prefetchOne(readBatches(file, layout, waiting.done))) {
    const continueLater = performance.now() - startedAt > SLICE_MS;
    const isStored = await storeBatch(db, running, batch, { continueLater });
    if (!isStored || continueLater) return;
  }
}

async function* readBatches(file: CsvFile, layout: Layout, done: CsvPosition): AsyncGenerator<Batch> {
  const from = done.bytes === 0 ? layout.end : done;
  let batch: Batch = { startByte: done.bytes, end: from, rows: [], refusals: [] };
  for await (const { records, end } of readRecords(file, from, layout.delimiter)) {
    const { rows, refusals } = readRows(records, layout.columns);
    batch.rows.push(...rows);
    batch.refusals.push(...refusals);
    batch.end = end;
    const isFull =
      batch.rows.length + batch.refusals.length >= BATCH_ROWS || end.bytes - batch.startByte >= BATCH_BYTES;
    if (isFull || end.bytes === file.totalBytes) {
      yield batch;
      batch = { startByte: end.bytes, end, rows: [], refusals: [] };
    }
    await setImmediate();
  }
}

/** Prefetches the next item while the caller works on the current one: reading overlaps with database writes. */
async function* prefetchOne<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = items.next();
      // Awaited in the next iteration; until then a rejection must not count as unhandled.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await next.catch(() => {});
  }
}

async function findWaiting(db: Db, teamId: number, id: string): Promise<WaitingImport | null> {
  const row = await db
    .selectFrom('contact_imports as i')
    .innerJoin('contact_books as b', (on) =>
      on.onRef('b.team_id', '=', 'i.team_id').onRef('b.id', '=', 'i.contact_book_id'),
    )
    .select(['i.contact_book_id', 'i.mapping', 'i.consent', 'i.consent_note', 'i.requested_by'])
    .select(['i.total_bytes', 'i.done_bytes', 'i.done_lines', 'b.variables'])
    .where('i.team_id', '=', teamId)
    .where('i.id', '=', id)
    .where('i.status', 'in', ['PENDING', 'RUNNING'])
    .executeTakeFirst();
  if (!row) return null;
  return {
    teamId,
    id,
    bookKey: row.contact_book_id,
    totalBytes: row.total_bytes,
    requestedBy: row.requested_by,
    consent: row.consent,
    consentNote: row.consent_note,
    done: { bytes: row.done_bytes, lines: row.done_lines },
    mapping: row.mapping as ColumnMapping,
    variables: row.variables,
  };
}

function openFile(db: Db, { teamId, id, totalBytes }: WaitingImport): CsvFile {
  return {
    totalBytes,
    async read(startByte) {
      const chunk = await db
        .selectFrom('contact_import_chunks')
        .select(['start_byte', 'bytes'])
        .where('team_id', '=', teamId)
        .where('import_id', '=', id)
        .where('start_byte', '<=', startByte)
        .orderBy('start_byte', 'desc')
        .limit(1)
        .executeTakeFirst();
      return chunk ? chunk.bytes.subarray(startByte - chunk.start_byte) : null;
    },
  };
}

/** Each run reads the header again, from the first chunk. */
async function findLayout(
  file: CsvFile,
  { mapping, variables }: WaitingImport,
): Promise<Layout | string | null> {
  const beginning = await file.read(0);
  return beginning && readLayout(beginning, beginning.length === file.totalBytes, mapping, variables);
}

async function failImport(db: Db, { teamId, id }: WaitingImport, error: string): Promise<void> {
  await inTransaction(db, (trx) => finishImport(trx, teamId, id, error));
}
