/** Declares a route of the Postmark door, and the parts that its shapes share. */
import { z } from 'zod';
import { badRequest } from '../../../platform/errors.ts';
import { integerText, record, text } from '../../../platform/schema.ts';
import { createVendorRoute } from '../../routing/vendor-route.ts';
import { postmarkErrors } from './errors.ts';
import { DAY_MS } from '../../../platform/durations.ts';

export const postmarkRoute = createVendorRoute('Postmark', {
  errorForm: postmarkErrors,
  readKey: (header) => header('x-postmark-server-token'),
});

const MAX_COUNT = 500;
const MAX_OFFSET = 10_000;

/** The name of the default stream, and of the tag that stores another one. */
export const DEFAULT_STREAM = 'outbound';
export const STREAM_TAG = 'stream';

const filter = text({ max: 1000 }).optional();

/**
 * The query of a list. Postmark ignores the case of parameter names, and its clients write them differently. An unknown
 * filter is rejected, because ignoring it would list other items.
 */
export function listQuery<Names extends string>(...filters: Names[]) {
  return z.preprocess(toLowerNames, shapeOf(filters));
}

const METADATA = 'metadata_';

/** A query with filters by metadata too: `metadata_color=blue`. They are collected in the field `metadata_`. */
export function listQueryWithMetadata<Names extends string>(...filters: Names[]) {
  const metadata = record(z.string(), text({ max: 1000 }), { max: 100 });
  return z.preprocess(
    (query) => {
      const entries = Object.entries(toLowerNames(query));
      const isMetadata = ([name]: [string, unknown]) => name.startsWith(METADATA);
      const wanted = entries.filter(isMetadata).map(([name, value]) => [name.slice(METADATA.length), value]);
      const others = entries.filter((entry) => !isMetadata(entry));
      return { ...Object.fromEntries(others), [METADATA]: Object.fromEntries(wanted) as unknown };
    },
    shapeOf(filters).extend({ [METADATA]: metadata }),
  );
}

function shapeOf<Names extends string>(filters: Names[]) {
  return z.strictObject({
    count: integerText(1, MAX_COUNT).default(100),
    offset: integerText(0, MAX_OFFSET).default(0),
    ...(Object.fromEntries(filters.map((name) => [name, filter])) as Record<Names, typeof filter>),
  });
}

function toLowerNames(query: unknown): Record<string, string> {
  const entries = Object.entries(query as Record<string, string>);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** The time range of a list in milliseconds. It includes the first value but not the second. */
export function readDateRange({
  fromdate,
  todate,
}: {
  fromdate?: string;
  todate?: string;
}): [number, number] {
  return [readDate(fromdate, 'fromdate', 0) ?? -Infinity, readDate(todate, 'todate', DAY_MS) ?? Infinity];
}

/** Reads a day (`2026-11-15`) or a time. Days begin at midnight UTC; `dayMs` is added to a day. */
function readDate(value: string | undefined, name: string, dayMs: number): number | null {
  if (value === undefined) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  const time = /^\d{4}-\d\d-\d\d/.test(value)
    ? Date.parse(isDay || /(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`)
    : NaN;
  if (Number.isNaN(time)) throw badRequest(`${name} must be a date, such as 2026-11-15.`);
  return time + (isDay ? dayMs : 0);
}
