/** What a team stores and may store, as it is shown. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { MIB } from './storage-levels.ts';

export interface StorageFigures extends CamelRow<'team_storage', 'counted_at' | 'high_since' | 'full_since'> {
  usedBytes: number;
  limitBytes: number | null;
}

export async function getTeamStorage(db: Db, teamId: number, defaultMb: number): Promise<StorageFigures> {
  const { rows } = await sql<StorageFigures>`
    select coalesce(s.bytes + s.added, 0) as "usedBytes",
      nullif(coalesce(t.storage_mb, ${defaultMb}::integer), 0)::bigint * ${MIB} as "limitBytes",
      s.counted_at as "countedAt", s.high_since as "highSince", s.full_since as "fullSince"
    from teams t left join team_storage s on s.team_id = t.id
    where t.id = ${teamId}`.execute(db);
  const [figures] = rows;
  if (!figures) throw notFound('Team');
  return figures;
}

/** Null: TEAM_STORAGE_MB. */
export async function setTeamLimit(db: Db, teamId: number, storageMb: number | null): Promise<void> {
  const query = db
    .updateTable('teams')
    .set({ storage_mb: storageMb })
    .where('id', '=', teamId)
    .returning('id');
  if (!(await query.executeTakeFirst())) throw notFound('Team');
}
