/** Remembers since when a team has used 80 % of its storage, and all of it, for its notices. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

const HIGH_SHARE = 0.8;
export const MIB = 1024 * 1024;

export async function markLevels(db: Db, teamIds: number[], defaultMb: number): Promise<void> {
  await sql`
    with levels as (
      select s.team_id, coalesce(used >= allowed * ${HIGH_SHARE}::float8, false) as high,
        coalesce(used >= allowed, false) as full
      from team_storage s join teams t on t.id = s.team_id
      cross join lateral (
        select s.bytes + s.added as used,
          nullif(coalesce(t.storage_mb, ${defaultMb}::integer), 0)::bigint * ${MIB}::bigint as allowed
      ) as figures
      where s.team_id = any(${teamIds}::integer[])
    )
    update team_storage s
    set high_since = case when levels.high then coalesce(s.high_since, now()) end,
      full_since = case when levels.full then coalesce(s.full_since, now()) end
    from levels
    where levels.team_id = s.team_id
      and (levels.high <> (s.high_since is not null) or levels.full <> (s.full_since is not null))`.execute(
    db,
  );
}
