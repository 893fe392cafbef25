/**
 * How a contact book grows. Triggers on contacts count every change in its transaction (count_growth in
 * migrations/functions.sql), so that no way of adding or removing contacts is missed.
 */
import { sql } from 'kysely';
import { type Db } from '../../../platform/database/database.ts';
import { decodeId, type IdPrefix } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { bucketsOf, spanOf, withKnownZone } from '../../sending/counters/buckets.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { MAX_SOURCES, type Growth, type GrowthQuery } from './growth.schema.ts';

const DEFAULT_DAYS = 30;

export async function getGrowth(
  db: Db,
  teamId: number,
  contactBookId: string,
  query: GrowthQuery,
): Promise<Growth> {
  const bookKey = contactBookKey(contactBookId);
  await requireContactBook(db, teamId, bookKey);
  return withKnownZone(async () => ({
    items: await countBuckets(db, teamId, bookKey, query),
    sources: await nameSources(db, teamId, await countSources(db, teamId, bookKey, query)),
  }));
}

/**
 *   span     the days of the request
 *   wanted   its hours, days, weeks or months
 *   before   the state of the book when it begins
 *   counted  the changes in each of them
 */
async function countBuckets(
  db: Db,
  teamId: number,
  bookKey: string,
  { from, to, interval = 'day', timezone = 'UTC' }: GrowthQuery,
): Promise<Growth['items']> {
  const zone = sql`${timezone}::text`;
  const { wanted, bucketOf, date } = bucketsOf(interval, zone);
  const ofBook = sql`team_id = ${teamId} and contact_book_id = ${bookKey}`;
  const { rows } = await sql<Growth['items'][number]>`
    with span as (
      ${spanOf({ days: DEFAULT_DAYS, from, to }, zone)}
    ), wanted as (
      ${wanted}
    ), before as (
      select coalesce(sum(subscribed), 0) as subscribed, coalesce(sum(pending), 0) as pending
      from contact_book_growth where ${ofBook} and quarter < (select starts_at from span)
    ), counted as (
      select ${bucketOf(sql`quarter`)} as bucket, sum(joined) as joined, sum(confirmed) as confirmed,
        sum(returned) as returned, sum(lost) as lost, sum(subscribed) as subscribed, sum(pending) as pending
      from contact_book_growth
      where ${ofBook} and quarter >= (select starts_at from span) and quarter < (select ends_at from span)
      group by 1
    )
    select ${date} as date, coalesce(joined, 0)::float8 as joined, coalesce(confirmed, 0)::float8 as confirmed,
      coalesce(returned, 0)::float8 as returned, coalesce(lost, 0)::float8 as left,
      (before.subscribed + coalesce(sum(counted.subscribed) over (order by bucket), 0))::float8 as total,
      (before.pending + coalesce(sum(counted.pending) over (order by bucket), 0))::float8 as pending
    from before cross join wanted left join counted using (bucket) order by bucket
  `.execute(db);
  return rows;
}

type CountedSource = Pick<Growth['sources'][number], 'source' | 'id' | 'joined'>;

async function countSources(
  db: Db,
  teamId: number,
  bookKey: string,
  { from, to, timezone = 'UTC' }: GrowthQuery,
): Promise<CountedSource[]> {
  const zone = sql`${timezone}::text`;
  const { rows } = await sql<CountedSource>`
    with span as (
      ${spanOf({ days: DEFAULT_DAYS, from, to }, zone)}
    )
    select source, nullif(source_id, '') as id, sum(joined)::float8 as joined from contact_book_growth
    where team_id = ${teamId} and contact_book_id = ${bookKey}
      and quarter >= (select starts_at from span) and quarter < (select ends_at from span)
    group by 1, 2 having sum(joined) > 0 order by 3 desc, 1, 2 limit ${MAX_SOURCES}
  `.execute(db);
  return rows;
}

const NAMED: [prefix: IdPrefix, start: string][] = [
  ['frm', ''],
  ['key', ''],
  ['cmp', ''],
  ['cbk', ''],
  ['con', ''],
  ['usr', 'user:'],
];

async function nameSources(db: Db, teamId: number, counted: CountedSource[]): Promise<Growth['sources']> {
  const keys = new Map<string, string>();
  for (const { id } of counted) {
    if (id === null) continue;
    for (const [prefix, start] of NAMED) {
      const key = id.startsWith(start) ? decodeId(prefix, id.slice(start.length)) : null;
      if (key) keys.set(id, key);
    }
  }
  const ids = [...new Set(keys.values())];
  const { rows } = await sql<Row<'forms', 'id' | 'name'>>`
    select id, name from forms where team_id = ${teamId} and id = any(${ids}::uuid[])
    union all select id, name from api_keys where team_id = ${teamId} and id = any(${ids}::uuid[])
    union all select id, name from campaigns where team_id = ${teamId} and id = any(${ids}::uuid[])
    union all select id, name from contact_books where team_id = ${teamId} and id = any(${ids}::uuid[])
    union all select id, email from contacts where team_id = ${teamId} and id = any(${ids}::uuid[])
    union all select u.id, u.name from memberships m join users u on u.id = m.user_id
      where m.team_id = ${teamId} and u.id = any(${ids}::uuid[])
  `.execute(db);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return counted.map(({ source, id, joined }) => {
    const key = id === null ? undefined : keys.get(id);
    return { source, id, name: (key && names.get(key)) ?? null, joined };
  });
}
