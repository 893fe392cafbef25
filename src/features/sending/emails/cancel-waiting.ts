/** Cancels scheduled emails with a conditional update, so that either the cancellation or the release wins. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { RECORD_EMAIL_EVENTS } from '../../events/email-events.ts';
import { changePending } from '../policies/record-approvals.ts';
import { followCancelled } from './follow-messages.ts';

/** Returns the IDs of the cancelled emails. The others were already released. */
export async function cancelWaiting(db: Db, teamId: number, emailIds: string[]): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const cancelled = await cancelEmails(trx, teamId, emailIds);
    const ids = cancelled.map(({ id }) => id);
    await changePending(trx, teamId, ids, { state: 'withdrawn' });
    await followCancelled(trx, cancelled);
    return ids;
  });
}

async function cancelEmails(
  trx: Db,
  teamId: number,
  emailIds: string[],
): Promise<Row<'emails', 'team_id' | 'id' | 'source'>[]> {
  const { rows } = await sql<Row<'emails', 'team_id' | 'id' | 'source'>>`
    with waiting as (
      select team_id, id from emails
      where team_id = ${teamId} and id = any(${emailIds}::uuid[]) and status = 'SCHEDULED' order by id for update
    ), cancelled as (
      update emails e set status = 'CANCELLED', updated_at = now() from waiting
      where e.team_id = waiting.team_id and e.id = waiting.id
      returning e.team_id, e.id, e.source, e.sender, e.to_addresses, e.subject, e.labels
    ), recipients as (
      update email_recipients r set status = 'CANCELLED' from cancelled
      where r.team_id = cancelled.team_id and r.email_id = cancelled.id and r.status = 'SCHEDULED'
    ), email_event as (
      select team_id, cancelled.id as email_id, event.id, 'CANCELLED' as status, null as recipient, null::jsonb as data,
        now() as created_at, source, sender, to_addresses, subject, labels
      from (select *, row_number() over () as at from cancelled) cancelled
      join unnest(${emailIds.map(() => newUuid())}::uuid[]) with ordinality as event (id, at) using (at)
    ), ${sql.raw(RECORD_EMAIL_EVENTS.text)}
    select team_id, id, source from cancelled
  `.execute(trx);
  return rows;
}
