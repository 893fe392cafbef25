/** What a filter refers to. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import {
  EVENT_PREFIX,
  STEP_PREFIX,
  type SegmentCondition,
  type SegmentFilter,
  type SegmentPart,
} from './segment-filter.ts';

/** No topic and no campaign has this ID. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Returns the UUID of the topic or campaign that a condition refers to. */
export function referencedKey(prefix: 'top' | 'cmp', value: SegmentCondition['value']): string {
  return decodeId(prefix, String(value)) ?? NO_ID;
}

/**
 * Throws if the filter refers to a topic or campaign that the team does not have. Locks the topics, so that none of
 * them is deleted before the caller commits. A deleted campaign is accepted, because its sent emails are still known.
 */
export async function requireReferences(trx: Db, teamId: number, filter: SegmentFilter): Promise<void> {
  const conditions = conditionsOf(filter);
  const keysOf = (field: string, prefix: 'top' | 'cmp') => [
    ...new Set(
      conditions.filter((each) => each.field === field).map(({ value }) => referencedKey(prefix, value)),
    ),
  ];
  const topics = keysOf('topic', 'top');
  if (topics.length > 0) {
    const { rows } = await sql`
      select 1 from topics where team_id = ${teamId} and id = any(${topics}::uuid[]) order by id for key share
    `.execute(trx);
    if (rows.length < topics.length) throw notFound('Topic');
  }
  const campaigns = keysOf('campaign', 'cmp');
  if (campaigns.length > 0) {
    const { rows } = await sql`
      select 1 from campaigns where team_id = ${teamId} and id = any(${campaigns}::uuid[])
    `.execute(trx);
    if (rows.length < campaigns.length) throw notFound('Campaign');
  }
}

/** Whether a filter asks for what a run of an automation knows beside its contact. */
export function readsRun(filter: SegmentFilter): boolean {
  return conditionsOf(filter).some(
    ({ field }) => field.startsWith(EVENT_PREFIX) || field.startsWith(STEP_PREFIX),
  );
}

function conditionsOf(part: SegmentPart): SegmentCondition[] {
  return conditionsWithPaths(part, '').map(({ condition }) => condition);
}

/** The conditions of a filter with their JSON pointers, of which `path` is the beginning. */
export function conditionsWithPaths(
  part: SegmentPart,
  path: string,
): { path: string; condition: SegmentCondition }[] {
  if ('field' in part) return [{ path, condition: part }];
  const name = 'all' in part ? 'all' : 'any';
  const parts = 'all' in part ? part.all : part.any;
  return parts.flatMap((each, at) => conditionsWithPaths(each, `${path}/${name}/${at}`));
}
