/** Stopping emails that still wait: one conditional update against the release, so exactly one side wins. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';

/** Returns those that were stopped; the others had gone. */
export async function cancelWaiting(db: Db, teamId: number, emailIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with waiting as (
      select team_id, id from emails
      where team_id = ${teamId} and id = any(${emailIds}::uuid[]) and status = 'SCHEDULED' order by id for update
    ), cancelled as (
      update emails e set status = 'CANCELLED', updated_at = now() from waiting
      where e.team_id = waiting.team_id and e.id = waiting.id returning e.team_id, e.id
    ), recipients as (
      update email_recipients r set status = 'CANCELLED' from cancelled
      where r.team_id = cancelled.team_id and r.email_id = cancelled.id and r.status = 'SCHEDULED'
    ), events as (
      insert into email_events (team_id, email_id, id, status)
      select team_id, cancelled.id, event.id, 'CANCELLED'
      from (select *, row_number() over () as at from cancelled) cancelled
      join unnest(${emailIds.map(() => newUuid())}::uuid[]) with ordinality as event (id, at) using (at)
    )
    select id from cancelled
  `.execute(db);
  return rows.map(({ id }) => id);
}
