/** Rows of a CSV file into contacts, held against the same shape as contacts that come through the API. */
import { contactInput, type ContactInput } from './contacts.schema.ts';
import type { Column } from './import-columns.ts';
import type { CsvRecord } from './import-csv.ts';
import type { Refusal } from './imports.schema.ts';

const MAX_EMAIL_SHOWN = 320;
const SUBSCRIBED = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

export interface ImportRow {
  line: number;
  contact: ContactInput;
}

export function readRows(records: CsvRecord[], columns: (Column | null)[]) {
  const rows: ImportRow[] = [];
  const refusals: Refusal[] = [];
  for (const record of records) {
    if (record.problem === null && record.cells.every((cell) => cell.trim() === '')) continue;
    const contact = readContact(record, columns);
    if (typeof contact === 'string') refusals.push(refuse(record, columns, contact));
    else rows.push({ line: record.line, contact });
  }
  return { rows, refusals };
}

/** The contact, or in words why there is none. An empty cell is "not sent". */
function readContact({ cells, problem }: CsvRecord, columns: (Column | null)[]): ContactInput | string {
  if (problem !== null) return problem;
  if (cells.length !== columns.length) {
    return `The row has ${cells.length} ${cells.length === 1 ? 'column' : 'columns'}, but the header has ${columns.length}.`;
  }
  const input: Record<string, unknown> = { email: '' };
  const properties: Record<string, string> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!;
    if (!column || cell === '') continue;
    if ('property' in column) properties[column.property] = cell;
    else if (column.field === 'subscribed') {
      input.subscribed = SUBSCRIBED.get(cell.trim().toLowerCase());
      if (input.subscribed === undefined) return 'subscribed must be true, false, yes, no, 1, 0 or empty.';
    } else input[column.field] = cell;
  }
  const result = contactInput.safeParse({ ...input, properties });
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  return `${path.join('.')} ${message}.`;
}

function refuse({ line, cells, problem }: CsvRecord, columns: (Column | null)[], reason: string): Refusal {
  const index = columns.findIndex((column) => column && 'field' in column && column.field === 'email');
  const email = problem === null ? cells[index]?.slice(0, MAX_EMAIL_SHOWN).toWellFormed() : null;
  return { line, email: email || null, reason };
}

/**
 * One contact for each address, as if the rows had come one after the other: what a later row sends wins, and
 * who was unsubscribed stays so. What comes out does not depend on where one batch ends and the next begins.
 */
export function mergeRepeated(rows: ImportRow[]): ContactInput[] {
  const merged = new Map<string, ContactInput>();
  for (const { contact } of rows) {
    const { key } = contact.email;
    const earlier = merged.get(key);
    merged.set(key, earlier ? mergeContacts(earlier, contact) : contact);
  }
  return [...merged.values()];
}

function mergeContacts(earlier: ContactInput, later: ContactInput): ContactInput {
  return {
    ...earlier,
    firstName: later.firstName ?? earlier.firstName,
    lastName: later.lastName ?? earlier.lastName,
    subscribed: earlier.subscribed === false ? false : (later.subscribed ?? earlier.subscribed),
    properties: { ...earlier.properties, ...later.properties },
  };
}
