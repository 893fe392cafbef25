/** The versions of an automation: what it was each time it was made live. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { notFound } from '../../platform/errors.ts';
import { findAutomation } from './automations.ts';
import type { AutomationDefinition } from './definition/automations.schema.ts';

export async function readVersion(
  db: Db,
  { teamId, id }: { teamId: number; id: string },
  version: number,
): Promise<AutomationDefinition> {
  const { rows } = await sql<{ definition: AutomationDefinition }>`
    select definition from automation_versions
    where team_id = ${teamId} and automation_id = ${id} and version = ${version}
  `.execute(db);
  if (!rows[0]) throw notFound('Version');
  return rows[0].definition;
}

export async function listAutomationVersions(db: Db, teamId: number, automationId: string) {
  const row = await findAutomation(db, teamId, automationId);
  const { rows } = await sql<
    Row<'automation_versions', 'version' | 'created_by' | 'created_at'> & { definition: AutomationDefinition }
  >`
    select version, created_by, created_at, definition from automation_versions
    where team_id = ${teamId} and automation_id = ${row.id} order by version desc
  `.execute(db);
  return rows.map(({ version, created_by, created_at, definition: { trigger, steps } }) => ({
    version,
    isLive: version === row.version,
    createdAt: created_at.toISOString(),
    createdBy: created_by,
    trigger,
    steps,
  }));
}
