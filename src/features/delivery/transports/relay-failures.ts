/** The table of relays that do not accept mail. Workers write it; the notices and the metrics read it. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

/** Workers report a failure again every minute. An older row belongs to a worker that has ended. */
const OUT_OF_DATE = sql`now() - interval '3 minutes'`;

export interface FailingRelay {
  /** The URL without the password. */
  relay: Row<'relay_failures'>['relay'];
  /** Null for the relay of all regions without their own relay. */
  regions: Row<'relay_failures'>['regions'];
}

export type RelayFailure = FailingRelay & Row<'relay_failures', 'reason' | 'since'>;

/** Keeps the time of the first failure, unless the row is out of date. */
export async function saveRelayFailure(
  db: Db,
  { relay, regions }: FailingRelay,
  reason: string,
): Promise<void> {
  await sql`
    insert into relay_failures as f (relay, regions, reason) values (${relay}, ${regions}::text[], ${reason})
    on conflict (relay) do update set regions = excluded.regions, reason = excluded.reason, seen_at = now(),
      since = case when f.seen_at < ${OUT_OF_DATE} then now() else f.since end
  `.execute(db);
}

export async function deleteRelayFailure(db: Db, relay: string): Promise<void> {
  await db.deleteFrom('relay_failures').where('relay', '=', relay).execute();
}

export async function deleteOldRelayFailures(db: Db): Promise<void> {
  await sql`delete from relay_failures where seen_at < ${OUT_OF_DATE}`.execute(db);
}

/** Returns the failing relays that send mail of this team. If `teamId` is null, returns all failing relays. */
export async function findRelayFailures(db: Db, teamId: number | null): Promise<RelayFailure[]> {
  const { rows } = await sql<RelayFailure>`
    select f.relay, f.regions, f.reason, f.since from relay_failures f
    where f.seen_at >= ${OUT_OF_DATE} and (${teamId}::integer is null or f.regions is null or exists (
      select from domains d where d.team_id = ${teamId}::integer and d.region = any(f.regions)
    ))
    order by f.since, f.relay
  `.execute(db);
  return rows;
}
