/**
 * Zod shapes that many features share. A character is a Unicode code point, here and in JSON Schema, so lengths are
 * counted in code points and given to the JSON Schema as metadata.
 */
import { z } from 'zod';
import { IS_EMPTY, IS_REQUIRED } from './errors.ts';

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

function countOf(limit: number | bigint, origin: string): string {
  const noun = origin === 'array' ? 'item' : 'character';
  return `${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`;
}

// These messages follow the name of a field: "name is required".
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        return issue.input === undefined ? IS_REQUIRED : `must be ${KINDS[issue.expected] ?? issue.expected}`;
      case 'invalid_value':
        return issue.values.length === 1
          ? `must be ${String(issue.values[0])}`
          : `must be one of ${issue.values.map(String).join(', ')}`;
      case 'too_small':
        return issue.origin === 'array' || issue.origin === 'string'
          ? `must have at least ${countOf(issue.minimum, issue.origin)}`
          : `must be at least ${issue.minimum}`;
      case 'too_big':
        return issue.origin === 'array' || issue.origin === 'string'
          ? `must have at most ${countOf(issue.maximum, issue.origin)}`
          : `must be at most ${issue.maximum}`;
      case 'invalid_key':
        return `is not a valid key: it ${issue.issues[0]?.message ?? 'is not allowed'}`;
      case 'invalid_union':
        return 'does not match any of the allowed types';
      default:
        return undefined;
    }
  },
});

/** PostgreSQL can store neither NUL characters nor lone surrogates. */
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

/** Compares the length in characters with a limit. */
export function hasAtMost(value: string, max: number): boolean {
  return value.length <= max || (value.length <= 2 * max && codePoints(value) <= max);
}

/** Text with a length limit in characters. `trim` removes surrounding spaces first. */
export function text(limits: { min?: number; max: number; trim?: boolean }) {
  const { min = 0, max, trim = false } = limits;
  return (trim ? z.string().trim() : z.string())
    .refine((value) => value.length >= 2 * min || codePoints(value) >= min, {
      error: min === 1 ? IS_EMPTY : `must have at least ${min} characters`,
    })
    .refine((value) => hasAtMost(value, max), { error: `must have at most ${max} characters` })
    .meta({ minLength: min, maxLength: max });
}

/** An object with arbitrary keys. The number of keys is checked before the values are validated. */
export function record<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  limits: { max: number },
) {
  return z.record(key, value).meta({ maxProperties: limits.max });
}

/** An ID in a path, with the minimum length of the contract. Longer text that is not an ID leads to "not found". */
export function pathId(min = 1) {
  return z
    .string()
    .refine((value) => codePoints(value) >= min, {
      error: min === 1 ? IS_EMPTY : `must have at least ${min} characters`,
    })
    .meta({ minLength: min });
}

/** An ID in a path whose characters the contract restricts. */
export const plainId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -' });

/** An RFC 3339 date-time with an offset. Days that do not exist are rejected. */
export const dateTime = z
  .string()
  .refine(isDateTime, { error: 'must be a date-time with a UTC offset, such as 2026-11-15T09:30:00Z' })
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
  // With its offset, the time may lie outside the years 0000 to 9999 of RFC 3339.
  const time = Date.parse(value);
  return time >= FIRST_TIME && time <= LAST_TIME;
}

/** A time in a response: UTC, with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A JSON object of any shape with a limited size and depth. Deeper values could overflow the stack of a parser. */
export function jsonObject(limits: { maxBytes: number }) {
  return record(z.string(), z.unknown(), { max: MAX_JSON_ENTRIES })
    .refine((value) => depthWithin(value, MAX_JSON_DEPTH), {
      error: `must not be nested deeper than ${MAX_JSON_DEPTH} levels`,
      abort: true,
    })
    .refine(numbersFit, { error: 'must not contain a number that is too large', abort: true })
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.maxBytes, {
      error: `must be at most ${limits.maxBytes} bytes as JSON`,
    });
}

const MAX_JSON_DEPTH = 64;
const MAX_JSON_ENTRIES = 2_500;

export function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => depthWithin(inner, levels - 1));
}

/** JSON.stringify writes an infinite number, such as the parsed 1e999, as null. */
function numbersFit(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(numbersFit);
}

/** An integer in a query string. */
export function integerText(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .refine((value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max, { error })
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** The query of a paginated list. The cursor is the ID of the last item of the previous page. */
export const cursorQuery = {
  limit: integerText(1, 100).default(50),
  cursor: text({ min: 1, max: 256 }).optional(),
};

export function cursorPage<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

export const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' });

/** Rejects offsets such as +01:00, which Intl may accept too. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
