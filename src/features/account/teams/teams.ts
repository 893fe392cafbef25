/** Teams own domains, contacts, emails and mailboxes. The operator creates them with a command; the API cannot. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, invalidField, notFound } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { Facts, Retention } from '../../instance/facts.ts';
import { getTeamStorage } from '../storage/storage-figures.ts';
import type { Team, TeamUpdate } from './teams.schema.ts';

const COLUMNS = [
  'id',
  'name',
  'email_content_days',
  'sandbox_days',
  'event_days',
  'frequency_cap',
  'created_at',
  'updated_at',
] as const;

type TeamRow = Row<'teams', (typeof COLUMNS)[number]>;
type TeamName = Pick<Team, 'id' | 'name'>;

export async function createTeam(db: Db, name: string): Promise<TeamName> {
  return db.insertInto('teams').values({ name }).returning(['id', 'name']).executeTakeFirstOrThrow();
}

/** The settings of the instance, which a team cannot exceed. */
interface InstanceLimits {
  retention: Retention;
  storageMb: number;
}

export function limitsOf({ retention, storage }: Facts): InstanceLimits {
  return { retention, storageMb: storage.defaultMb };
}

export async function getTeam(db: Db, teamId: number, limits: InstanceLimits): Promise<Team> {
  const row = await db.selectFrom('teams').select(COLUMNS).where('id', '=', teamId).executeTakeFirst();
  if (!row) throw notFound('Team');
  return present(db, row, limits);
}

export async function requireTeam(db: Db, teamId: number): Promise<void> {
  const row = await db.selectFrom('teams').select('id').where('id', '=', teamId).executeTakeFirst();
  if (!row) throw notFound('Team');
}

const DAYS = ['emailContentDays', 'sandboxDays', 'eventDays'] as const;

export async function updateTeam(
  db: Db,
  { teamId, person }: Caller,
  update: TeamUpdate,
  limits: InstanceLimits,
): Promise<Team> {
  if (DAYS.some((name) => update[name] !== undefined) && person?.role !== 'owner')
    throw new AppError('FORBIDDEN', 'Only a signed-in owner can change how long data is kept.');
  for (const name of DAYS) {
    const limit = limits.retention[name];
    if (limit !== null && (update[name] ?? 0) > limit)
      throw invalidField(name, `must be at most ${limit}, the setting of this server`);
  }
  const { name, emailContentDays, sandboxDays, eventDays, frequencyCap } = update;
  if (Object.values(update).every((value) => value === undefined)) return getTeam(db, teamId, limits);
  const row = await db
    .updateTable('teams')
    .set({
      name,
      email_content_days: emailContentDays,
      sandbox_days: sandboxDays,
      event_days: eventDays,
      ...(frequencyCap === undefined ? {} : { frequency_cap: frequencyCap && JSON.stringify(frequencyCap) }),
      updated_at: sql`now()`,
    })
    .where('id', '=', teamId)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) throw notFound('Team');
  return present(db, row, limits);
}

/** Returns the team that the first start created. */
export async function listTeamIds(db: Db): Promise<number[]> {
  const teams = await db.selectFrom('teams').select('id').orderBy('id').execute();
  return teams.map(({ id }) => id);
}

export async function findFirstTeam(db: Db): Promise<TeamName | undefined> {
  return db.selectFrom('teams').select(['id', 'name']).orderBy('id').limit(1).executeTakeFirst();
}

async function present(db: Db, row: TeamRow, { retention, storageMb }: InstanceLimits): Promise<Team> {
  const { usedBytes, limitBytes, countedAt } = await getTeamStorage(db, row.id, storageMb);
  return {
    id: row.id,
    name: row.name,
    emailContentDays: row.email_content_days,
    sandboxDays: row.sandbox_days,
    eventDays: row.event_days,
    frequencyCap: row.frequency_cap as Team['frequencyCap'],
    retentionLimits: retention,
    storage: { usedBytes, limitBytes, countedAt: countedAt?.toISOString() ?? null },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
