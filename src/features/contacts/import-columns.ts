/**
 * What the columns of a CSV file are: found from the header line as the world writes it, or said by the caller's
 * mapping. The export names its columns by the same rules, so that what it writes is read back as it was.
 */
import { countLineBreaks, parseRecords, type Position } from './import-csv.ts';
import { CONTACT_FIELDS, type ColumnMapping, type ContactField } from './imports.schema.ts';

const DELIMITERS = [',', ';', '\t'];
const UTF8_MARK = Buffer.from('\ufeff');
const UTF16_MARKS = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];
const MAX_PROPERTY_NAME = 256;
/** Before the name of a property that would be read as something else. */
const PROPERTY_PREFIX = 'property:';

/** Names in lower case, without spaces, dashes, underscores and dots. */
const KNOWN_NAMES = new Map<string, ContactField>([
  ...['email', 'emailaddress', 'mail', 'email1value'].map((name) => [name, 'email'] as const),
  ...['firstname', 'first', 'givenname', 'forename', 'fname'].map((name) => [name, 'firstName'] as const),
  ...['lastname', 'last', 'surname', 'familyname', 'lname'].map((name) => [name, 'lastName'] as const),
  ['subscribed', 'subscribed'],
]);
/** Columns of our own export that tell how things stand; an import does not set them. */
const LEFT_OUT = new Set(['unsubscribeReason', 'createdAt']);

export type Column = { field: ContactField } | { property: string };

export interface Layout {
  delimiter: string;
  /** In the order of the file; null for a column that is left out. */
  columns: (Column | null)[];
  /** Where the first row begins. */
  end: Position;
}

/** The layout, or in words why the file cannot be read. `bytes` is its beginning, or all of it (`atEnd`). */
export function readLayout(bytes: Buffer, atEnd: boolean, mapping: ColumnMapping): Layout | string {
  if (UTF16_MARKS.some((mark) => bytes.subarray(0, 2).equals(mark))) {
    return 'The file is in UTF-16. Save it as CSV in UTF-8.';
  }
  const header = readHeader(bytes, atEnd);
  if (typeof header === 'string') return header;
  const columns = planColumns(header.names, mapping);
  return typeof columns === 'string' ? columns : { delimiter: header.delimiter, columns, end: header.end };
}

/** Blank lines before the header are passed over. The delimiter is the one that makes the most columns. */
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
  return best ?? `The header line cannot be read. ${candidates[0]!.problem}`;
}

function findHeader(bytes: Buffer): Position {
  const start = bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? UTF8_MARK.length : 0;
  let end = start;
  while (bytes[end] === 0x0d || bytes[end] === 0x0a) end += 1;
  return { bytes: end, lines: countLineBreaks(bytes, start, end) };
}

function planColumns(names: string[], mapping: ColumnMapping): (Column | null)[] | string {
  const stray = Object.keys(mapping).find((name) => !names.some((header) => header.trim() === name.trim()));
  if (stray !== undefined) return `The mapping names a column "${stray}" that the file does not have.`;
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
      return `The name of column ${index + 1} is too long; a property's name has at most ${MAX_PROPERTY_NAME} characters.`;
    }
    const key = JSON.stringify(column);
    const other = taken.get(key);
    if (other !== undefined) {
      const what = 'field' in column ? column.field : `the property "${column.property}"`;
      return `Two columns, "${other}" and "${names[index]}", both hold ${what}. Leave one out with a mapping, as {"${other}": null}.`;
    }
    taken.set(key, names[index]!);
  }
  if (!columns.some((column) => column && 'field' in column && column.field === 'email')) {
    return 'No column holds the addresses. Name one "email", or say with a mapping which it is.';
  }
  return columns;
}

/** What a column of this name is when nobody says otherwise. */
function readColumnName(name: string): Column | null {
  const trimmed = name.trim();
  if (trimmed === '' || LEFT_OUT.has(trimmed)) return null;
  const field = KNOWN_NAMES.get(trimmed.toLowerCase().replaceAll(/[\s_.-]/g, ''));
  return field ? { field } : readTarget(name);
}

/** What a mapping, or a column that is no field of a contact, leads to. */
function readTarget(name: string): Column {
  const field = CONTACT_FIELDS.find((known) => known === name);
  if (field) return { field };
  if (name.startsWith(PROPERTY_PREFIX) && name.length > PROPERTY_PREFIX.length) {
    return { property: name.slice(PROPERTY_PREFIX.length) };
  }
  return { property: name.trim() };
}

/** The name under which a property's column is read back as that property. */
export function propertyColumnName(property: string): string {
  const column = readColumnName(property);
  const isPlain = column && 'property' in column && column.property === property;
  return isPlain ? property : `${PROPERTY_PREFIX}${property}`;
}
