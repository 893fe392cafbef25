/** Converts CSV rows to contacts, validated by the same schema as contacts from the API. */
import { contactInput } from '../contacts.schema.ts';
import { eachOwnField } from '../../own-fields/own-fields.ts';
import { mergeProperties } from '../property-names.ts';
import { readStanding, type Standing } from './column-names.ts';
import type { Column } from './import-columns.ts';
import type { CsvRecord } from './import-csv.ts';
import type { RejectedRow } from './imports.schema.ts';
import type { UpsertInput } from '../upsert-contacts.ts';

const MAX_EMAIL_SHOWN = 320;
const MAX_VALUE_SHOWN = 40;
export interface ImportRow {
  line: number;
  contact: UpsertInput;
}

export function readRows(records: CsvRecord[], columns: (Column | null)[]) {
  const rows: ImportRow[] = [];
  const refusals: RejectedRow[] = [];
  for (const record of records) {
    if (record.problem === null && record.cells.every((cell) => cell.trim() === '')) continue;
    const contact = readContact(record, columns);
    if (typeof contact === 'string') refusals.push(refuse(record, columns, contact));
    else rows.push({ line: record.line, contact });
  }
  return { rows, refusals };
}

/** Returns the contact, or the reason why the row is rejected. An empty cell counts as "not sent". */
function readContact({ cells, problem }: CsvRecord, columns: (Column | null)[]): UpsertInput | string {
  if (problem !== null) return problem;
  if (cells.length !== columns.length) {
    return `The row has ${cells.length} ${cells.length === 1 ? 'column' : 'columns'}, but the header has ${columns.length}.`;
  }
  const input: Record<string, unknown> = { email: '' };
  const properties: Record<string, string> = {};
  let standing: Standing | null = null;
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!;
    if (!column || cell === '') continue;
    if ('property' in column) properties[column.property] = cell;
    else if (isSubscription(column.field)) {
      const read = readStanding(column.field, cell);
      if (read === null) return describeUnread(column.field, cell);
      // A row is subscribed only if all columns say so.
      if (standing === null || standing === 'subscribed') standing = read;
    } else input[column.field] = cell;
  }
  if (standing !== null) input.subscribed = standing === 'subscribed';
  const result = contactInput.safeParse({ ...input, properties });
  if (result.success) {
    const hasLeft = standing !== null && standing !== 'subscribed';
    return hasLeft ? { ...result.data, unsubscribeReason: standing! } : result.data;
  }
  const { path, message } = result.error.issues[0]!;
  return `${path.join('.')} ${message}.`;
}

function isSubscription(field: string): field is 'subscribed' | 'unsubscribed' | 'status' {
  return field === 'subscribed' || field === 'unsubscribed' || field === 'status';
}

/** A value that says nothing must not subscribe someone who may have left. */
function describeUnread(field: 'subscribed' | 'unsubscribed' | 'status', cell: string): string {
  const value = [...cell.trim()].slice(0, MAX_VALUE_SHOWN).join('').toWellFormed();
  if (field === 'status')
    return `status "${value}" does not say whether the person is subscribed. Use words such as subscribed, unsubscribed, cleaned and pending, or import the column as a property.`;
  return `${field} must be true, false, yes, no, 1, 0 or empty, but is "${value}".`;
}

function refuse(
  { line, cells, problem }: CsvRecord,
  columns: (Column | null)[],
  reason: string,
): RejectedRow {
  const index = columns.findIndex((column) => column && 'field' in column && column.field === 'email');
  const email = problem === null ? cells[index]?.slice(0, MAX_EMAIL_SHOWN).toWellFormed() : null;
  return { line, email: email || null, reason };
}

/** True for a row of someone who has left. An unconfirmed row ends no subscription. */
export function hasLeft({ subscribed, unsubscribeReason }: UpsertInput): boolean {
  return subscribed === false && unsubscribeReason !== 'UNCONFIRMED';
}

/**
 * Merges rows with the same address as if they had been sent one after the other: later values win, an unsubscribed
 * contact stays unsubscribed, and an unconfirmed row changes nothing about the rows before it. So the result does not depend on how the rows are split into batches.
 */
export function mergeRepeated(rows: ImportRow[]): UpsertInput[] {
  const merged = new Map<string, UpsertInput>();
  for (const { contact } of rows) {
    const { key } = contact.email;
    const earlier = merged.get(key);
    merged.set(key, earlier ? mergeContacts(earlier, contact) : contact);
  }
  return [...merged.values()];
}

function standingOf({ subscribed, unsubscribeReason }: UpsertInput) {
  return { subscribed, unsubscribeReason };
}

function mergeContacts(earlier: UpsertInput, later: UpsertInput): UpsertInput {
  return {
    ...earlier,
    ...eachOwnField((name) => later[name] ?? earlier[name]),
    ...(hasLeft(later) && !hasLeft(earlier) ? standingOf(later) : standingOf(earlier)),
    properties: mergeProperties(earlier.properties, later.properties),
  };
}
