/**
 * Counts the waiting deliveries by kind. There may be a million of a kind, so each count stops at a limit and reads
 * only an index.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { PRIORITY } from '../sending/emails/priority.ts';
import { NOT_HELD } from './claim.ts';

const MOST_COUNTED = 100_000;

export interface QueueLine {
  kind: 'scheduled' | 'transactional' | 'batch' | 'bulk';
  /** Deliveries that may be claimed now. For `scheduled`: emails whose time has come. */
  due: number;
  /** Deliveries that are claimed or wait for a retry. For `scheduled`: emails whose time has not come. */
  later: number;
  /** Deliveries of paused campaigns. */
  paused: number;
  /** How long the oldest has been due. Deliveries of paused campaigns do not count. */
  oldestSeconds: number;
}

/**
 * One line for each priority of deliveries, and one for scheduled emails. Every count ends at MOST_COUNTED and has its
 * own subquery, so that each reads one index and none reads the whole queue.
 */
export async function readQueueBacklog(db: Db): Promise<QueueLine[]> {
  const { rows } = await sql<QueueLine>`
    select each.kind, due.count as due, later.count as later, paused.count as paused,
      coalesce(extract(epoch from now() - oldest.due_at), 0)::float8 as "oldestSeconds"
    from unnest(${Object.keys(PRIORITY)}::text[], ${Object.values(PRIORITY)}::smallint[]) as each (kind, priority)
    cross join lateral (
      select count(*) from (
        select from deliveries
        where priority = each.priority and not parked and not set_aside and due_at <= now()
        union all
        select from deliveries where priority = each.priority and not parked and set_aside
        limit ${MOST_COUNTED}
      ) counted
    ) due
    cross join lateral (
      select count(*) from (
        select from deliveries where priority = each.priority and not parked and not set_aside and due_at > now() limit ${MOST_COUNTED}
      ) counted
    ) later
    cross join lateral (
      select count(*) from (
        select from deliveries where priority = each.priority and parked limit ${MOST_COUNTED}
      ) counted
    ) paused
    left join lateral (
      select due_at from deliveries
      where priority = each.priority and due_at <= now() and ${sql.raw(NOT_HELD.text)}
      order by due_at limit 1
    ) oldest on true
    union all
    select 'scheduled',
      (select count(*) from (
        select from emails where waits_until <= now() limit ${MOST_COUNTED}
      ) counted),
      (select count(*) from (
        select from emails where waits_until > now() limit ${MOST_COUNTED}
      ) counted), 0,
      coalesce(extract(epoch from now() - (
        select waits_until from emails where waits_until <= now() order by waits_until limit 1
      )), 0)::float8
  `.execute(db);
  return rows;
}
