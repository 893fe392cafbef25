/** Teams: the owners of everything. They are made by the operator's command, not over the API. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { Team, TeamUpdate } from './teams.schema.ts';

const COLUMNS = ['id', 'name', 'created_at', 'updated_at'] as const;

interface TeamRow {
  id: number;
  name: string;
  created_at: Date;
  updated_at: Date;
}

export async function createTeam(db: Db, name: string): Promise<Team> {
  const row = await db.insertInto('teams').values({ name }).returning(COLUMNS).executeTakeFirstOrThrow();
  return present(row);
}

export async function getTeam(db: Db, teamId: number): Promise<Team> {
  const row = await db.selectFrom('teams').select(COLUMNS).where('id', '=', teamId).executeTakeFirst();
  if (!row) throw notFound('Team');
  return present(row);
}

export async function updateTeam(db: Db, teamId: number, { name }: TeamUpdate): Promise<Team> {
  if (name === undefined) return getTeam(db, teamId);
  const row = await db
    .updateTable('teams')
    .set({ name, updated_at: sql`now()` })
    .where('id', '=', teamId)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) throw notFound('Team');
  return present(row);
}

/** The team that the first start made. */
export async function findFirstTeam(db: Db): Promise<Team | undefined> {
  const row = await db.selectFrom('teams').select(COLUMNS).orderBy('id').limit(1).executeTakeFirst();
  return row && present(row);
}

function present(row: TeamRow): Team {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
