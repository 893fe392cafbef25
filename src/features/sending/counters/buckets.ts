/** Reads counters of quarters of an hour as the hours, days, weeks or months of a time zone. */
import { sql, type RawBuilder } from 'kysely';
import { isRefusal } from '../../../platform/database/database-errors.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Interval } from './time-range.schema.ts';

interface Span {
  /** How many days up to today, if `from` and `to` are not given. */
  days: number;
  from?: string | undefined;
  to?: string | undefined;
}

/** Selects first_day, last_day, starts_at and ends_at. */
export function spanOf({ days, from, to }: Span, zone: RawBuilder<unknown>): RawBuilder<unknown> {
  const today = sql`(now() at time zone ${zone})::date`;
  return sql`
    select first_day, last_day, first_day::timestamp at time zone ${zone} as starts_at,
      (last_day + 1)::timestamp at time zone ${zone} as ends_at
    from (
      select ${from === undefined ? sql`${today} - ${days - 1}::integer` : sql`${from}::date`} as first_day,
        ${to === undefined ? today : sql`${to}::date`} as last_day
    ) days`;
}

interface Buckets {
  /** Selects all buckets of `span`. */
  wanted: RawBuilder<unknown>;
  bucketOf(quarter: RawBuilder<unknown>): RawBuilder<unknown>;
  date: RawBuilder<unknown>;
}

/** The hours of a day are counted in quarters, because zones can change their clocks by half an hour. */
export function bucketsOf(interval: Interval, zone: RawBuilder<unknown>): Buckets {
  if (interval === 'hour') {
    const bucketOf = (quarter: RawBuilder<unknown>) => sql`date_trunc('hour', ${quarter}, ${zone})`;
    return {
      wanted: sql`
        select distinct ${bucketOf(sql`quarter`)} as bucket
        from span, generate_series(starts_at, ends_at - interval '15 minutes', interval '15 minutes') as quarter`,
      bucketOf,
      date: sql`to_char(bucket at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    };
  }
  const unit = sql.lit(interval);
  return {
    wanted: sql`
      select distinct date_trunc(${unit}, first_day + after)::date as bucket
      from span, generate_series(0, last_day - first_day) as after`,
    bucketOf: (quarter) => sql`date_trunc(${unit}, ${quarter} at time zone ${zone})::date`,
    date: sql`to_char(bucket, 'YYYY-MM-DD')`,
  };
}

export function sumsOf(names: readonly string[]): RawBuilder<unknown> {
  return sql.raw(names.map((name) => `sum(${name}) as ${name}`).join(', '));
}

/** The schema has checked the name of the zone, but the database has its own list of time zones. */
export async function withKnownZone<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isRefusal(error)) throw badRequest('timezone is not known to the database.');
    throw error;
  }
}
