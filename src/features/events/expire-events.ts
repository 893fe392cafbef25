/**
 * Deletes events of teams that keep them for a shorter time than the instance (teams.event_days). Events have no index
 * by time, and the events of all teams are mixed, so a partition is read from its first page to its last, some pages at
 * a time. `teams.events_deleted_to` stores the progress, so each run reads only the months that have become older.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { toNumberArray, type Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';

const PAGES_AT_ONCE = 128;
const PAUSE_MS = 20;

interface TeamCutoff {
  teamId: Row<'teams'>['id'];
  /** Older events are deleted. */
  cutoff: Date;
  deletedTo: Row<'teams'>['events_deleted_to'];
}

interface Partition {
  name: string;
  pages: number;
  /** Null for the default partition. */
  first: Date | null;
  next: Date | null;
}

/** Returns the number of deleted events. */
export async function expireEventsOfTeams(db: Db, instanceDays: number): Promise<number> {
  const { rows: teams } = await sql<TeamCutoff>`
    select id as "teamId", events_deleted_to as "deletedTo",
      date_trunc('milliseconds', now()) - make_interval(days => event_days) as cutoff
    from teams where event_days < ${instanceDays} order by id
  `.execute(db);
  if (teams.length === 0) return 0;
  let deleted = 0;
  for (const partition of await findPartitions(db)) {
    const concerned = teams.filter((team) => concerns(partition, team));
    if (concerned.length > 0) deleted += await deleteFrom(db, partition, concerned);
  }
  await sql`
    update teams t set events_deleted_to = done.cutoff
    from unnest(
      ${toNumberArray(teams, ({ teamId }) => teamId)}::integer[], ${teams.map(({ cutoff }) => cutoff)}::timestamptz[]
    ) as done (id, cutoff)
    where t.id = done.id
  `.execute(db);
  return deleted;
}

function concerns({ first, next }: Partition, { cutoff, deletedTo }: TeamCutoff): boolean {
  if (first === null || next === null) return true;
  return first < cutoff && (deletedTo === null || deletedTo < next);
}

async function findPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select c.relname as name, (pg_relation_size(c.oid) / current_setting('block_size')::integer)::integer as pages,
      month at time zone 'utc' as first, (month + interval '1 month') at time zone 'utc' as next
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    cross join lateral (
      select case when c.relname ~ '^events_\\d{4}_\\d\\d$' then to_date(right(c.relname, 7), 'YYYY_MM')::timestamp end
        as month
    ) m
    where i.inhparent = 'events'::regclass order by c.relname
  `.execute(db);
  return rows;
}

/** An update may move an event to a page that was already read. The instance's own retention then deletes it later. */
async function deleteFrom(db: Db, { name, pages }: Partition, teams: TeamCutoff[]): Promise<number> {
  let deleted = 0;
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    const { numAffectedRows = 0n } = await sql`
      with read as materialized (
        select ctid as place, team_id, created_at from ${sql.table(name)}
        where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + PAGES_AT_ONCE},0)`}::tid
      )
      delete from ${sql.table(name)} e using read
      join unnest(
        ${toNumberArray(teams, ({ teamId }) => teamId)}::integer[], ${teams.map(({ cutoff }) => cutoff)}::timestamptz[]
      ) as team (id, cutoff) on team.id = read.team_id and read.created_at < team.cutoff
      where e.ctid = read.place
    `.execute(db);
    deleted += Number(numAffectedRows);
    await sleep(PAUSE_MS);
  }
  return deleted;
}
