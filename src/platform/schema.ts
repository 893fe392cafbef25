/**
 * Shapes that many features share. A character is a Unicode code point, here and in JSON Schema, so lengths
 * are counted by hand and told to the schema as metadata.
 */
import { z } from 'zod';

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

// What a stranger reads after the name of a field: "name is required".
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        return issue.input === undefined
          ? 'is required'
          : `must be ${KINDS[issue.expected] ?? issue.expected}`;
      case 'invalid_value':
        return issue.values.length === 1
          ? `must be ${String(issue.values[0])}`
          : `must be one of ${issue.values.map(String).join(', ')}`;
      case 'too_small':
        return issue.origin === 'array' || issue.origin === 'string'
          ? `must have at least ${issue.minimum} ${issue.origin === 'array' ? 'items' : 'characters'}`
          : `must be at least ${issue.minimum}`;
      case 'too_big':
        return issue.origin === 'array' || issue.origin === 'string'
          ? `must have at most ${issue.maximum} ${issue.origin === 'array' ? 'items' : 'characters'}`
          : `must be at most ${issue.maximum}`;
      case 'invalid_key':
        return `is a name that ${issue.issues[0]?.message ?? 'is not allowed'}`;
      case 'invalid_union':
        return 'has none of the allowed shapes';
      default:
        return undefined;
    }
  },
});

/** PostgreSQL keeps neither NUL characters nor half surrogate pairs. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) count -= 1;
  }
  return count;
}

/** Text of a length in characters; trimmed first when asked. */
export function text(limits: { min?: number; max: number; trim?: boolean }) {
  const { min = 0, max, trim = false } = limits;
  return (trim ? z.string().trim() : z.string())
    .refine((value) => value.length >= 2 * min || codePoints(value) >= min, {
      error: min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    })
    .refine((value) => value.length <= max || (value.length <= 2 * max && codePoints(value) <= max), {
      error: `must have at most ${max} characters`,
    })
    .meta({ minLength: min, maxLength: max });
}

/** What one letter may hold, so that making it never takes longer than others can wait. */
export const MAX_LINKS = 5_000;
export const MAX_MERGE_TAGS = 1_000;
const LINK = /<(?:a|area)[\s/>]/gi;
const TAG = /\{\{/g;

/** HTML of a letter, of a length in characters and with so many links as can be counted in a moment. */
export function html(limits: { max: number }) {
  return text(limits)
    .refine((value) => value.length > 2 * limits.max || hasAtMost(value, LINK, MAX_LINKS), {
      error: `must have at most ${MAX_LINKS} links`,
    })
    .describe(`At most ${MAX_LINKS} links`);
}

/** Adds the limit of merge tags to a text in which they are filled in. */
export function withFewTags<Schema extends z.ZodType<string>>(schema: Schema) {
  return schema.refine((value) => hasAtMost(value, TAG, MAX_MERGE_TAGS), {
    error: `must have at most ${MAX_MERGE_TAGS} merge tags`,
  });
}

function hasAtMost(value: string, pattern: RegExp, most: number): boolean {
  let count = 0;
  for (const _ of value.matchAll(pattern)) if (++count > most) return false;
  return true;
}

/** An object with names of any kind, of which there are only so many; counted before its values are looked at. */
export function record<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  limits: { max: number },
) {
  return z.record(key, value).meta({ maxProperties: limits.max });
}

/** A path id of the seed's minimum length. One that fits but was never issued, however long, is simply not found. */
export function pathId(min = 1) {
  return z
    .string()
    .refine((value) => codePoints(value) >= min, {
      error: min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    })
    .meta({ minLength: min });
}

/** A path id of the endpoints around mailboxes, which name the characters that one may have. */
export const plainId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -' });

/** RFC 3339 with an offset, in; milliseconds and Z, out. A day that does not exist is refused. */
export const dateTime = z
  .string()
  .refine(isDateTime, { error: 'must be a date-time with an offset, as 2026-11-15T09:30:00Z' })
  .transform((value) => new Date(value))
  .meta({ format: 'date-time' });

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

function isDateTime(value: string): boolean {
  const match = DATE_TIME.exec(value);
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const utc = new Date(Date.UTC(year!, month! - 1, day));
  const exists = utc.getUTCMonth() === month! - 1 && utc.getUTCDate() === day!;
  if (!exists || hour! > 23 || minute! > 59 || second! > 59) return false;
  // An offset may lead out of the years that RFC 3339 can write.
  const time = Date.parse(value);
  return time >= FIRST_TIME && time <= LAST_TIME;
}

/** How times go out. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** JSON of any shape inside, but of a bounded size and depth: what is deeper would break some reader's stack. */
export function jsonObject(limits: { maxBytes: number }) {
  return record(z.string(), z.unknown(), { max: MAX_JSON_ENTRIES })
    .refine((value) => depthWithin(value, MAX_JSON_DEPTH), {
      error: `must not be nested deeper than ${MAX_JSON_DEPTH} levels`,
      abort: true,
    })
    .refine(numbersFit, { error: 'must not hold a number that is too large', abort: true })
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.maxBytes, {
      error: `must have at most ${limits.maxBytes} bytes as JSON`,
    });
}

const MAX_JSON_DEPTH = 64;
const MAX_JSON_ENTRIES = 2_500;

export function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => depthWithin(inner, levels - 1));
}

/** JSON has no word for what is past the largest number: it would be kept as null. */
function numbersFit(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(numbersFit);
}

/** A whole number in a query string. */
export function integerText(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .refine((value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max, { error })
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

const MAX_INT32 = 2 ** 31 - 1;

/** The number of a domain, in a path or a query. One that is a number but never was a domain's is not found. */
export const domainNumber = z
  .string()
  .refine((value) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) <= MAX_INT32, {
    error: 'must be the number of a domain',
  })
  .transform(Number)
  .meta({ type: 'integer' });

/** The query of a cursor list. The cursor is the id of the last item of the page before. */
export const cursorQuery = {
  limit: integerText(1, 100).default(50),
  cursor: text({ min: 1, max: 256 }).optional(),
};

export function cursorPage<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}
