/**
 * Determines what the columns of a CSV file hold, from common header names or the caller's mapping. The export names
 * its columns by the same rules, so that an exported file can be imported unchanged.
 */
import { findName, propertyKey } from '../../../../mail/html/tag-names.ts';
import {
  CONTACT_FIELDS,
  recogniseField,
  SAMPLE_ROWS,
  SUBSCRIPTION_FIELDS,
  toVariableName,
  type ContactField,
} from './column-names.ts';
import { countLineBreaks, parseRecords, type CsvPosition } from './import-csv.ts';
import type { ColumnMapping, ImportedColumn } from './imports.schema.ts';

const DELIMITERS = [',', ';', '\t'];
const UTF8_MARK = Buffer.from('\ufeff');
const UTF16_MARKS = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];
const MAX_PROPERTY_NAME = 256;
/** Marks a property whose name would otherwise be read as something else. */
const PROPERTY_PREFIX = 'property:';

/** Columns of our export that an import ignores. */
const IGNORED_COLUMNS = new Set(['unsubscribeReason', 'createdAt']);

export type Column = { field: ContactField } | { property: string };

export interface Layout {
  delimiter: string;
  /** The names in the header row. */
  names: string[];
  /** In the order of the file. Null for an ignored column. */
  columns: (Column | null)[];
  /** Where the first row begins. */
  end: CsvPosition;
}

/**
 * Returns the layout, or an error message. `bytes` is the beginning of the file, or all of it if `atEnd`. `variables` are
 * those of the book: a column with the name of a variable contains it.
 */
export function readLayout(
  bytes: Buffer,
  atEnd: boolean,
  mapping: ColumnMapping,
  variables: readonly string[] = [],
): Layout | string {
  if (UTF16_MARKS.some((mark) => bytes.subarray(0, 2).equals(mark))) {
    return 'The file is in UTF-16. Save it as CSV in UTF-8.';
  }
  const header = readHeader(bytes, atEnd);
  if (typeof header === 'string') return header;
  const { delimiter, names, end } = header;
  const sample = parseRecords(bytes.subarray(end.bytes), end, { delimiter, atEnd, limit: SAMPLE_ROWS });
  const valuesOf = (index: number) => sample.records.map(({ cells }) => cells[index] ?? '');
  const columns = planColumns(names, mapping, (name, index) =>
    readColumnName(name, () => valuesOf(index), variables),
  );
  return typeof columns === 'string' ? columns : { delimiter, names, columns, end };
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

function planColumns(
  names: string[],
  mapping: ColumnMapping,
  readName: (name: string, index: number) => Column | null,
): (Column | null)[] | string {
  const missing = Object.keys(mapping).find((name) => !names.some((header) => header.trim() === name.trim()));
  if (missing !== undefined) return `The mapping contains the column "${missing}", which is not in the file.`;
  const mapped = new Map(Object.entries(mapping).map(([name, target]) => [name.trim(), target]));
  const columns = names.map((name, index) => {
    const target = mapped.get(name.trim());
    if (target === undefined) return readName(name, index);
    return target === null ? null : readTarget(target);
  });
  const taken = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    if (!column || ('field' in column && SUBSCRIPTION_FIELDS.includes(column.field))) continue;
    if ('property' in column && [...column.property].length > MAX_PROPERTY_NAME) {
      return `The name of column ${index + 1} is too long. Property names can have at most ${MAX_PROPERTY_NAME} characters.`;
    }
    const key = 'field' in column ? column.field : `${PROPERTY_PREFIX}${propertyKey(column.property)}`;
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
function readColumnName(
  name: string,
  readValues: () => string[],
  variables: readonly string[],
): Column | null {
  const trimmed = name.trim();
  if (trimmed === '' || IGNORED_COLUMNS.has(trimmed)) return null;
  const field = recogniseField(trimmed, readValues());
  if (field) return { field };
  const target = readTarget(name);
  if (!('property' in target) || trimmed.startsWith(PROPERTY_PREFIX)) return target;
  const variable = toVariableName(trimmed) ?? trimmed;
  return { property: findName(variables, variable) ?? variable };
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

/** Returns the column name that an import reads back as this property, whatever its values are. */
export function propertyColumnName(property: string): string {
  const isPlain = toVariableName(property) === property && recogniseField(property, ['subscribed']) === null;
  return isPlain && !IGNORED_COLUMNS.has(property) ? property : `${PROPERTY_PREFIX}${property}`;
}

/** How the columns are imported, as the API shows it. */
export function describeColumns({ names, columns }: Layout): ImportedColumn[] {
  return names.map((name, index) => {
    const column = columns[index] ?? null;
    const importedAs = column === null ? null : 'field' in column ? column.field : 'property';
    return {
      name: [...name.trim()].slice(0, MAX_PROPERTY_NAME).join(''),
      importedAs,
      property: column && 'property' in column ? column.property : null,
    };
  });
}
