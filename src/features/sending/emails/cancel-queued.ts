/** Takes emails back that are in the queue and not on the wire: no worker has claimed them. */
import { sql } from 'kysely';
import { newUuid } from '../../../platform/ids.ts';
import type { Db } from '../../../platform/database/database.ts';
import { RECORD_EMAIL_EVENTS } from '../../events/email-events.ts';

export async function cancelQueued(trx: Db, teamId: number, emailIds: string[]): Promise<void> {
  if (emailIds.length === 0) return;
  await sql`
    with taken as (
      delete from deliveries d using (
        select team_id, email_id, recipient_no from deliveries
        where team_id = ${teamId} and email_id = any(${emailIds}::uuid[]) and leased_by is null
        order by email_id, recipient_no for update skip locked
      ) waiting
      where d.team_id = waiting.team_id and d.email_id = waiting.email_id and d.recipient_no = waiting.recipient_no
      returning d.team_id, d.email_id, d.recipient_no
    ), recipients as (
      update email_recipients r set status = 'CANCELLED' from taken
      where r.team_id = taken.team_id and r.email_id = taken.email_id and r.no = taken.recipient_no
    ), cancelled as (
      update emails e set status = 'CANCELLED', updated_at = now() from taken
      where e.team_id = taken.team_id and e.id = taken.email_id
      returning e.team_id, e.id, e.source, e.sender, e.to_addresses, e.subject, e.labels
    ), email_event as (
      select team_id, cancelled.id as email_id, event.id, 'CANCELLED' as status, null as recipient, null::jsonb as data,
        now() as created_at, source, sender, to_addresses, subject, labels
      from (select *, row_number() over () as at from cancelled) cancelled
      join unnest(${emailIds.map(() => newUuid())}::uuid[]) with ordinality as event (id, at) using (at)
    ), ${sql.raw(RECORD_EMAIL_EVENTS.text)}
    select 1
  `.execute(trx);
}
