/**
 * Determines what the columns of a CSV file hold, from common header names or the caller's mapping. The export names
 * its columns by the same rules, so that an exported file can be imported unchanged.
 */
import { countLineBreaks, parseRecords, type CsvPosition } from './import-csv.ts';
import { CONTACT_FIELDS, type ColumnMapping, type ContactField } from './imports.schema.ts';

const DELIMITERS = [',', ';', '\t'];
const UTF8_MARK = Buffer.from('\ufeff');
const UTF16_MARKS = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];
const MAX_PROPERTY_NAME = 256;
/** Marks a property whose name would otherwise be read as something else. */
const PROPERTY_PREFIX = 'property:';

/** Keys are in lower case, without spaces, dashes, underscores and dots. */
const KNOWN_NAMES = new Map<string, ContactField>([
  ...['email', 'emailaddress', 'mail', 'email1value'].map((name) => [name, 'email'] as const),
  ...['firstname', 'first', 'givenname', 'forename', 'fname'].map((name) => [name, 'firstName'] as const),
  ...['lastname', 'last', 'surname', 'familyname', 'lname'].map((name) => [name, 'lastName'] as const),
  ['subscribed', 'subscribed'],
  ['unsubscribed', 'unsubscribed'],
]);
/** Columns of our export that an import ignores. */
const IGNORED_COLUMNS = new Set(['unsubscribeReason', 'createdAt']);

export type Column = { field: ContactField } | { property: string };

export interface Layout {
  delimiter: string;
  /** In the order of the file. Null for an ignored column. */
  columns: (Column | null)[];
  /** Where the first row begins. */
  end: CsvPosition;
}

/** Returns the layout, or an error message. `bytes` is the beginning of the file, or all of it if `atEnd`. */
export function readLayout(bytes: Buffer, atEnd: boolean, mapping: ColumnMapping): Layout | string {
  if (UTF16_MARKS.some((mark) => bytes.subarray(0, 2).equals(mark))) {
    return 'The file is in UTF-16. Save it as CSV in UTF-8.';
  }
  const header = readHeader(bytes, atEnd);
  if (typeof header === 'string') return header;
  const columns = planColumns(header.names, mapping);
  return typeof columns === 'string' ? columns : { delimiter: header.delimiter, columns, end: header.end };
}

/** Skips blank lines before the header. Chooses the delimiter that gives the most columns. */
function readHeader(bytes: Buffer, atEnd: boolean) {
  const from = findHeader(bytes);
  const candidates = DELIMITERS.map((delimiter) => {
    const { records, end } = parseRecords(bytes.subarray(from.bytes), from, { delimiter, atEnd, limit: 1 });
    const { cells: names = [], problem = 'It is missing or too long.' } = records[0] ?? {};
    return { delimiter, names, end, problem };
  });
  const [best] = candidates
    .filter(({ problem }) => problem === null)
    .toSorted((a, b) => b.names.length - a.names.length);
  return best ?? `The header row cannot be read. ${candidates[0]!.problem}`;
}

function findHeader(bytes: Buffer): CsvPosition {
  const start = bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? UTF8_MARK.length : 0;
  let end = start;
  while (bytes[end] === 0x0d || bytes[end] === 0x0a) end += 1;
  return { bytes: end, lines: countLineBreaks(bytes, start, end) };
}

function planColumns(names: string[], mapping: ColumnMapping): (Column | null)[] | string {
  const missing = Object.keys(mapping).find((name) => !names.some((header) => header.trim() === name.trim()));
  if (missing !== undefined) return `The mapping contains the column "${missing}", which is not in the file.`;
  const mapped = new Map(Object.entries(mapping).map(([name, target]) => [name.trim(), target]));
  const columns = names.map((name) => {
    const target = mapped.get(name.trim());
    if (target === undefined) return readColumnName(name);
    return target === null ? null : readTarget(target);
  });
  const taken = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    if ('property' in column && [...column.property].length > MAX_PROPERTY_NAME) {
      return `The name of column ${index + 1} is too long. Property names can have at most ${MAX_PROPERTY_NAME} characters.`;
    }
    const key = JSON.stringify(column);
    const other = taken.get(key);
    if (other !== undefined) {
      const what = 'field' in column ? column.field : `the property "${column.property}"`;
      return `The columns "${other}" and "${names[index]}" both contain ${what}. Skip one with a mapping, for example {"${other}": null}.`;
    }
    taken.set(key, names[index]!);
  }
  if (!columns.some((column) => column && 'field' in column && column.field === 'email')) {
    return 'No column contains email addresses. Name one column "email", or use a mapping.';
  }
  return columns;
}

/** Returns the meaning of a column that the mapping does not name. */
function readColumnName(name: string): Column | null {
  const trimmed = name.trim();
  if (trimmed === '' || IGNORED_COLUMNS.has(trimmed)) return null;
  const field = KNOWN_NAMES.get(trimmed.toLowerCase().replaceAll(/[\s_.-]/g, ''));
  return field ? { field } : readTarget(name);
}

/** Returns the field or property that a target of the mapping, or the name of an unmapped column, stands for. */
function readTarget(name: string): Column {
  const field = CONTACT_FIELDS.find((known) => known === name);
  if (field) return { field };
  if (name.startsWith(PROPERTY_PREFIX) && name.length > PROPERTY_PREFIX.length) {
    return { property: name.slice(PROPERTY_PREFIX.length) };
  }
  return { property: name.trim() };
}

/** Returns the column name that an import reads back as this property. */
export function propertyColumnName(property: string): string {
  const column = readColumnName(property);
  const isPlain = column && 'property' in column && column.property === property;
  return isPlain ? property : `${PROPERTY_PREFIX}${property}`;
}
