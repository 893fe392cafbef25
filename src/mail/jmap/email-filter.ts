/** Reads the filter and the sort order of Email/query (RFC 8621 section 4.4). */

export type JmapFilter =
  | { kind: 'AND' | 'OR' | 'NOT'; filters: JmapFilter[] }
  | { kind: 'folder'; folders: string[]; isIn: boolean }
  | { kind: 'date'; comparison: 'before' | 'after'; date: Date }
  | { kind: 'size'; comparison: 'min' | 'max'; bytes: number }
  | { kind: 'keyword'; of: 'message' | 'all' | 'some'; keyword: string; isSet: boolean }
  | { kind: 'attachment'; hasOne: boolean }
  | { kind: 'text'; field: TextField; value: string }
  | { kind: 'header'; name: string; value: string | null };

export type TextField = 'text' | 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'body';

const SORTS = [
  'receivedAt',
  'sentAt',
  'size',
  'from',
  'to',
  'subject',
  'hasKeyword',
  'allInThreadHaveKeyword',
  'someInThreadHaveKeyword',
] as const;
export const EMAIL_SORTS: readonly string[] = SORTS;

export interface EmailSort {
  property: (typeof SORTS)[number];
  isAscending: boolean;
  /** Empty unless the property needs a keyword. */
  keyword: string;
}

export class BadFilter extends Error {
  readonly type: 'invalidArguments' | 'unsupportedFilter' | 'unsupportedSort';

  constructor(type: BadFilter['type'], message: string) {
    super(message);
    this.type = type;
  }
}

const MAX_DEPTH = 20;
const MAX_CONDITIONS = 200;
const MAX_TEXT_LENGTH = 1_000;
const MAX_SORTS = 10;
const TEXT_FIELDS: readonly string[] = ['text', 'from', 'to', 'cc', 'bcc', 'subject', 'body'];

/** Null if there is no filter. */
export function readEmailFilter(value: unknown): JmapFilter | null {
  return value === null || value === undefined ? null : readFilter(value, 0, { conditions: 0 });
}

function readFilter(value: unknown, depth: number, progress: { conditions: number }): JmapFilter {
  const filter = readObject(value);
  if (depth > MAX_DEPTH) throw tooComplex();
  if (Object.hasOwn(filter, 'operator')) {
    const { operator, conditions } = filter;
    if (operator !== 'AND' && operator !== 'OR' && operator !== 'NOT')
      throw new BadFilter('invalidArguments', 'operator must be AND, OR or NOT.');
    if (!Array.isArray(conditions)) throw new BadFilter('invalidArguments', 'conditions must be a list.');
    if (conditions.length > MAX_CONDITIONS) throw tooComplex();
    return { kind: operator, filters: conditions.map((each) => readFilter(each, depth + 1, progress)) };
  }
  const filters = Object.entries(filter).map(([name, each]) => readCondition(name, each));
  progress.conditions += filters.length + 1;
  if (progress.conditions > MAX_CONDITIONS) throw tooComplex();
  return { kind: 'AND', filters };
}

function tooComplex(): BadFilter {
  return new BadFilter(
    'unsupportedFilter',
    `A filter can have at most ${MAX_CONDITIONS} conditions and ${MAX_DEPTH} levels.`,
  );
}

function readCondition(name: string, value: unknown): JmapFilter {
  if (TEXT_FIELDS.includes(name))
    return { kind: 'text', field: name as TextField, value: readText(name, value) };
  switch (name) {
    case 'inMailbox':
      return { kind: 'folder', folders: [readText(name, value)], isIn: true };
    case 'inMailboxOtherThan':
      return { kind: 'folder', folders: readTexts(name, value), isIn: false };
    case 'before':
    case 'after':
      return { kind: 'date', comparison: name, date: readDate(name, value) };
    case 'minSize':
    case 'maxSize':
      return { kind: 'size', comparison: name === 'minSize' ? 'min' : 'max', bytes: readNumber(name, value) };
    case 'allInThreadHaveKeyword':
      return { kind: 'keyword', of: 'all', keyword: readText(name, value), isSet: true };
    case 'someInThreadHaveKeyword':
      return { kind: 'keyword', of: 'some', keyword: readText(name, value), isSet: true };
    case 'noneInThreadHaveKeyword':
      return { kind: 'keyword', of: 'some', keyword: readText(name, value), isSet: false };
    case 'hasKeyword':
    case 'notKeyword':
      return { kind: 'keyword', of: 'message', keyword: readText(name, value), isSet: name === 'hasKeyword' };
    case 'hasAttachment':
      if (typeof value !== 'boolean') throw wrongType(name);
      return { kind: 'attachment', hasOne: value };
    case 'header':
      return readHeaderCondition(value);
    default:
      throw new BadFilter('unsupportedFilter', `The filter ${name.slice(0, 100)} is not supported.`);
  }
}

function readHeaderCondition(value: unknown): JmapFilter {
  const [name, text = null, ...more] = readTexts('header', value);
  if (name === undefined || more.length > 0) throw wrongType('header');
  return { kind: 'header', name: name.toLowerCase(), value: text };
}

function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadFilter('invalidArguments', 'A filter must be an object.');
  return value as Record<string, unknown>;
}

function readText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) throw wrongType(name);
  return value;
}

function readTexts(name: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_CONDITIONS) throw wrongType(name);
  return value.map((each) => readText(name, each));
}

function readNumber(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrongType(name);
  return value;
}

function readDate(name: string, value: unknown): Date {
  const isDate = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(value);
  const date = new Date(isDate ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) throw wrongType(name);
  return date;
}

function wrongType(name: string): BadFilter {
  return new BadFilter('invalidArguments', `The value of ${name} has the wrong type or is too long.`);
}

export function readEmailSort(value: unknown): EmailSort[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new BadFilter('invalidArguments', 'sort must be a list.');
  if (value.length > MAX_SORTS)
    throw new BadFilter('unsupportedSort', `sort can have at most ${MAX_SORTS} items.`);
  return value.map((each) => {
    const { property, isAscending = true, keyword = '' } = readObject(each);
    if (typeof property !== 'string' || typeof isAscending !== 'boolean' || typeof keyword !== 'string')
      throw new BadFilter(
        'invalidArguments',
        'A comparator must have a property. isAscending must be true or false.',
      );
    const known = SORTS.find((name) => name === property);
    if (!known)
      throw new BadFilter('unsupportedSort', `Sorting by ${property.slice(0, 100)} is not supported.`);
    if (known.endsWith('Keyword') && (keyword === '' || keyword.length > MAX_TEXT_LENGTH))
      throw new BadFilter('invalidArguments', `Sorting by ${known} needs a keyword.`);
    return { property: known, isAscending, keyword };
  });
}

/** True if the result for a message depends on other messages of its thread. */
export function dependsOnThread(filter: JmapFilter | null, sort: readonly EmailSort[]): boolean {
  const ofThread = (each: JmapFilter): boolean =>
    'filters' in each ? each.filters.some(ofThread) : each.kind === 'keyword' && each.of !== 'message';
  return (filter !== null && ofThread(filter)) || sort.some(({ property }) => property.includes('InThread'));
}
