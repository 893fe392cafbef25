/** Which automations start runs: those that are ACTIVE, and those that were when they were paused. */
import { sql, type RawBuilder } from 'kysely';

export function takesPeople(automation: string): RawBuilder<boolean> {
  const status = sql.ref(`${automation}.status`);
  return sql<boolean>`(${status} = 'ACTIVE' or ${status} = 'PAUSED' and ${sql.ref(`${automation}.resumes_as`)} = 'ACTIVE')`;
}
