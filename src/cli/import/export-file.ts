/** Reads the rows of a CSV file, or of the CSV files in a ZIP archive, without holding a whole file in memory. */
import { open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { readLayout, type Layout } from '../../features/audience/contacts/imports/import-columns.ts';
import { readRecords, type CsvFile } from '../../features/audience/contacts/imports/import-csv.ts';
import { isOwnField, type OwnField } from '../../features/audience/own-fields/own-fields.ts';
import { AppError } from '../../platform/errors.ts';
import { isZip, listEntries, openEntry, readPart } from './zip.ts';

/** Enough for the header row. */
const BEGINNING_BYTES = 1024 * 1024;

export interface ExportedRow {
  /** The file that the row is in: its name, or its path in the archive. */
  file: string;
  line: number;
  /** The reason why the row cannot be read; it then has no fields. */
  problem: string | null;
  fields: Partial<Record<OwnField, string>> & {
    email: string;
    /** The other columns by their names. Empty cells are left out. */
    properties: Record<string, string>;
  };
}

/** `isWanted` selects files of an archive. A file that is not in an archive is always read. */
export async function* readExportedRows(
  path: string,
  isWanted: (file: string) => boolean = () => true,
): AsyncGenerator<ExportedRow> {
  const handle = await openFile(path);
  try {
    const { size } = await handle.stat();
    if (!(await isZip(handle))) {
      yield* readRows(basename(path), size, () => readPart(handle, 0, size));
      return;
    }
    for (const entry of await listEntries(handle, size))
      if (/\.csv$/i.test(entry.name) && isWanted(entry.name) && entry.size > 0)
        yield* readRows(entry.name, entry.size, () => openEntry(handle, entry));
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new AppError('BAD_REQUEST', `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function* readRows(
  file: string,
  totalBytes: number,
  openChunks: () => AsyncIterable<Buffer>,
): AsyncGenerator<ExportedRow> {
  const beginning = await readBeginning(openChunks());
  const layout = readLayout(beginning, beginning.length === totalBytes, {});
  if (typeof layout === 'string') throw new AppError('BAD_REQUEST', `${file}: ${layout}`);
  const source = inOrder(totalBytes, openChunks());
  for await (const { records } of readRecords(source, layout.end, layout.delimiter))
    for (const { line, cells, problem } of records) {
      if (problem === null && cells.every((cell) => cell.trim() === '')) continue;
      const isWhole = problem === null && cells.length === layout.columns.length;
      yield {
        file,
        line,
        problem: isWhole ? null : (problem ?? 'The row has too few or too many columns.'),
        fields: isWhole ? toFields(cells, layout) : { email: '', properties: {} },
      };
    }
}

async function readBeginning(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length >= BEGINNING_BYTES) break;
  }
  return Buffer.concat(parts);
}

/** Records are read from front to back, so each read continues where the last one ended. */
function inOrder(totalBytes: number, chunks: AsyncIterable<Buffer>): CsvFile {
  const iterator = chunks[Symbol.asyncIterator]();
  let at = 0;
  return {
    totalBytes,
    async read(wanted) {
      for (;;) {
        const { value, done } = await iterator.next();
        if (done) return null;
        const from = at;
        at += value.length;
        if (at > wanted) return value.subarray(Math.max(0, wanted - from));
      }
    },
  };
}

/** The readers of the vendors know what the columns about the subscription mean, so these keep their names. */
function toFields(cells: string[], { columns, names }: Layout): ExportedRow['fields'] {
  const fields: ExportedRow['fields'] = { email: '', properties: {} };
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!;
    if (!column || cell === '') continue;
    if ('property' in column) fields.properties[column.property] = cell;
    else if (column.field === 'email' || isOwnField(column.field)) fields[column.field] = cell;
    else fields.properties[names[index]!.trim()] = cell;
  }
  return fields;
}
