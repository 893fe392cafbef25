/** The brakes that are on, and the warnings, for notices, metrics and `posthorn doctor`. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import type { BrakeCause } from '../../sending/domains/domain-brake.ts';

export interface FoundBrake extends CamelRow<'domains', 'team_id' | 'name'> {
  domainId: Row<'domains'>['id'];
  status: Exclude<Row<'domains'>['brake'], 'OFF'>;
  since: NonNullable<Row<'domains'>['brake_since']>;
  cause: BrakeCause;
}

const MAX_FOUND = 1_000;

/** `teamId` null means all teams. The oldest come first. */
export async function findBrakes(db: Db, teamId: number | null): Promise<FoundBrake[]> {
  const { rows } = await sql<FoundBrake>`
    select team_id as "teamId", id as "domainId", name, brake as status, brake_since as since, brake_cause as cause
    from domains
    where brake <> 'OFF' and (${teamId}::integer is null or team_id = ${teamId}::integer) and ${notClosed}
    order by brake_since, id limit ${MAX_FOUND}
  `.execute(db);
  return rows;
}
