/**
 * Reads an audience that Mailchimp exported: a ZIP archive with one CSV file for each status, or one of these files.
 * The file names tell the status (`subscribed_…`, `unsubscribed_…`, `cleaned_…`, `nonsubscribed_…`).
 */
import { basename, dirname } from 'node:path';
import { AppError } from '../../platform/errors.ts';
import { parseRecords } from '../../features/audience/contacts/imports/import-csv.ts';
import { readExportedRows, type ExportedRow } from './export-file.ts';
import type { ImportedContact, Item, Reader } from './items.ts';
import { toStatus } from './mailchimp.ts';

const STATUS = /^(subscribed|unsubscribed|cleaned|nonsubscribed)[_. -]/;
/** Columns that describe the export, or Mailchimp's guesses, rather than the person. */
const LEFT_OUT = new Set([
  'LEID',
  'EUID',
  'MEMBER_RATING',
  'GMTOFF',
  'DSTOFF',
  'LAST_CHANGED',
  'NOTES',
  'TAGS',
]);

export function createMailchimpFileReader(path: string, book: string | undefined): Reader {
  return { vendor: 'Mailchimp', read: () => readFile(path, book) };
}

async function* readFile(path: string, book: string | undefined): AsyncGenerator<Item> {
  const begun = new Set<string>();
  for await (const row of readExportedRows(path, isOfAudience)) {
    const listId = book ?? nameOfAudience(path, row.file);
    if (!begun.has(listId)) yield { kind: 'list', list: { id: listId, name: listId, doubleOptIn: false } };
    begun.add(listId);
    if (row.problem === null) yield { kind: 'contact', listId, contact: toContact(row) };
    else yield { kind: 'refused', what: `${row.file}, line ${row.line}`, reason: row.problem };
  }
  if (begun.size === 0)
    throw new AppError('BAD_REQUEST', `${basename(path)} contains no exported contacts of Mailchimp.`);
}

/** An export of a whole account has other CSV files too, such as reports. */
function isOfAudience(file: string): boolean {
  return STATUS.test(basename(file));
}

/** In an export of the account, each audience has a folder. */
function nameOfAudience(path: string, file: string): string {
  const folder = basename(dirname(file));
  return folder === '' || folder === '.' || !file.includes('/')
    ? basename(path).replace(/\.(zip|csv)$/i, '')
    : folder;
}

function toContact({ file, fields }: ExportedRow): ImportedContact {
  const { properties, ...own } = fields;
  const kept = Object.entries(properties).filter(([name]) => !LEFT_OUT.has(name));
  return {
    ...own,
    ...toStatus(statusOf(file, properties), properties.UNSUB_REASON),
    properties: Object.fromEntries(kept),
    segments: readTags(properties.TAGS ?? ''),
  };
}

/** A file that was renamed is recognised by its columns. */
function statusOf(file: string, properties: Record<string, string>): string {
  const named = STATUS.exec(basename(file))?.[1];
  if (named !== undefined) return named;
  if ('UNSUB_TIME' in properties) return 'unsubscribed';
  return 'CLEAN_TIME' in properties ? 'cleaned' : 'subscribed';
}

/** Tags are a CSV record within a field: `"VIP","Early bird"`. */
function readTags(text: string): string[] {
  const bytes = Buffer.from(text);
  const { records } = parseRecords(bytes, { bytes: 0, lines: 0 }, { delimiter: ',', atEnd: true, limit: 1 });
  return (records[0]?.cells ?? []).filter((tag) => tag !== '');
}
