/** The fields that the data of an event may have. An event without a definition may have any data. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { describeIssue, badRequest, notFound, type Issue } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { dateTime } from '../../../platform/schema.ts';
import type { EventDefinition, EventInput, EventSchema } from './custom-events.schema.ts';

const MAX_DEFINITIONS = 1_000;

type DefinitionRow = Row<'event_definitions', 'name' | 'schema' | 'created_at' | 'updated_at'>;

export async function putDefinition(
  db: Db,
  teamId: number,
  name: string,
  schema: EventSchema,
): Promise<EventDefinition> {
  const { rows } = await sql<DefinitionRow>`
    insert into event_definitions (team_id, name, schema)
    select ${teamId}::integer, ${name}::text, ${JSON.stringify(schema)}::jsonb
    where (select count(*) from event_definitions where team_id = ${teamId} and name <> ${name}) < ${MAX_DEFINITIONS}
    on conflict (team_id, name) do update set schema = excluded.schema, updated_at = now()
    returning name, schema, created_at, updated_at
  `.execute(db);
  if (!rows[0]) throw badRequest(`A team can define at most ${MAX_DEFINITIONS} events. Delete one first.`);
  return present(rows[0]);
}

export async function getDefinition(db: Db, teamId: number, name: string): Promise<EventDefinition> {
  const found = (await readDefinitions(db, teamId, [name]))[0];
  if (!found) throw notFound('Event definition');
  return present(found);
}

export async function listDefinitions(db: Db, teamId: number): Promise<EventDefinition[]> {
  const { rows } = await sql<DefinitionRow>`
    select name, schema, created_at, updated_at from event_definitions where team_id = ${teamId} order by name
  `.execute(db);
  return rows.map(present);
}

export async function deleteDefinition(db: Db, teamId: number, name: string): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from event_definitions where team_id = ${teamId} and name = ${name}
  `.execute(db);
  if (numAffectedRows === 0n) throw notFound('Event definition');
}

/**
 * Throws if the data of an event does not match its definition. Fields that the definition lacks may have any type.
 * `pathOf` is the JSON pointer of an event in the request.
 */
export async function requireDefined(
  db: Db,
  teamId: number,
  events: EventInput[],
  pathOf: (at: number) => string,
): Promise<void> {
  const names = [...new Set(events.map(({ name }) => name))];
  const definitions = new Map(
    (await readDefinitions(db, teamId, names)).map(({ name, schema }) => [name, schema as EventSchema]),
  );
  for (const [at, { name, data }] of events.entries()) {
    for (const [field, type] of Object.entries(definitions.get(name) ?? {})) {
      const value = data?.[field];
      if (value === undefined || value === null || isOfType(value, type)) continue;
      const path = `${pathOf(at)}/data/${field}`;
      throw invalid([{ path, message: `must be a ${type}, as the definition of ${name} says` }]);
    }
  }
}

function invalid(issues: Issue[]): Error {
  return badRequest(`${describeIssue(issues[0]!)}.`, issues);
}

function isOfType(value: unknown, type: EventSchema[string]): boolean {
  if (type !== 'date') return typeof value === type;
  const day = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
  return dateTime.safeParse(day ? `${value}T00:00:00Z` : value).success;
}

async function readDefinitions(db: Db, teamId: number, names: string[]): Promise<DefinitionRow[]> {
  const { rows } = await sql<DefinitionRow>`
    select name, schema, created_at, updated_at from event_definitions
    where team_id = ${teamId} and name = any(${names}::text[])
  `.execute(db);
  return rows;
}

function present(row: DefinitionRow): EventDefinition {
  return {
    name: row.name,
    schema: row.schema as EventSchema,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
