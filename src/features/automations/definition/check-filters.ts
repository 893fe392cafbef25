/** What the filters of an automation refer to: topics, campaigns, and steps of the automation. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { conditionsWithPaths, referencedKey } from '../../audience/segments/filter-references.ts';
import { STEP_PREFIX, type SegmentFilter } from '../../audience/segments/segment-filter.ts';
import type { AutomationDefinition, AutomationStep, Finding } from './automations.schema.ts';

interface FoundFilter {
  path: string;
  step: string | null;
  filter: SegmentFilter;
}

export async function findFilterErrors(
  db: Db,
  teamId: number,
  definition: AutomationDefinition,
): Promise<Finding[]> {
  const errors: Finding[] = [];
  for (const { path: start, step, filter } of filtersOf(definition)) {
    for (const { path, condition } of conditionsWithPaths(filter, start)) {
      const { field, value } = condition;
      const report = (name: string, message: string) =>
        errors.push({ path: `${path}/${name}`, step, message });
      if (field === 'topic' && !(await exists(db, 'topics', teamId, referencedKey('top', value))))
        report('value', 'is not a topic of your team');
      if (field === 'campaign' && !(await exists(db, 'campaigns', teamId, referencedKey('cmp', value))))
        report('value', 'is not a campaign of your team');
      if (field.startsWith(STEP_PREFIX)) {
        const message = findStepError(definition.steps, field.slice(STEP_PREFIX.length));
        if (message) report('field', message);
      }
    }
  }
  return errors;
}

function filtersOf({ trigger, steps, exitOn }: AutomationDefinition): FoundFilter[] {
  const found: FoundFilter[] = [];
  const add = (path: string, step: string | null, filter: SegmentFilter | null | undefined) => {
    if (filter) found.push({ path, step, filter });
  };
  if (trigger && 'event' in trigger) add('/trigger/where', null, trigger.where);
  for (const [at, step] of steps.entries())
    if ('where' in step) add(`/steps/${at}/where`, step.key, step.where);
  for (const [at, exit] of exitOn.entries())
    if (typeof exit !== 'string') add(`/exitOn/${at}/where`, null, exit.where);
  return found;
}

/** `step.<key>` is an email of the run, `step.<key>.x` a value of a webhook's response. */
function findStepError(steps: readonly AutomationStep[], rest: string): string | null {
  const dot = rest.indexOf('.');
  const key = dot === -1 ? rest : rest.slice(0, dot);
  const type = dot === -1 ? 'email' : 'webhook';
  return steps.some((step) => step.key === key && step.type === type)
    ? null
    : `names ${key}, which is not the key of ${type === 'email' ? 'an email' : 'a webhook'} step`;
}

async function exists(db: Db, table: 'topics' | 'campaigns', teamId: number, key: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where team_id = ${teamId} and id = ${key}
  `.execute(db);
  return rows.length > 0;
}
