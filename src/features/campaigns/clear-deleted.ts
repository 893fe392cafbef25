/**
 * A campaign that was deleted before it was through: what still waits for it leaves the queue. What a courier has in
 * hand is left to it; once nothing is left, nothing of the campaign is looked at again.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';

const AT_ONCE = 1_000;

export async function clearDeletedCampaigns(db: Db): Promise<void> {
  const { rows } = await sql<{ teamId: number; id: string }>`
    select team_id as "teamId", id from campaigns
    where status in ('SCHEDULED', 'PAUSED') and begun_at is not null and deleted_at is not null
  `.execute(db);
  for (const { teamId, id } of rows) await inTransaction(db, (trx) => clear(trx, teamId, id));
}

async function clear(trx: Db, teamId: number, id: string): Promise<void> {
  await sql`
    with waiting as materialized (
      select d.team_id, d.email_id, d.recipient_no, d.attempts from emails e
      join deliveries d on d.team_id = e.team_id and d.email_id = e.id
      where e.team_id = ${teamId} and e.campaign_id = ${id} and e.status in ('QUEUED', 'DELIVERY_DELAYED')
        and d.leased_by is null
      order by d.email_id, d.recipient_no limit ${AT_ONCE} for update of d skip locked
    ), unqueued as (
      delete from deliveries d using waiting w
      where d.team_id = w.team_id and d.email_id = w.email_id and d.recipient_no = w.recipient_no
    ), untried as (
      delete from emails e using waiting w where w.attempts = 0 and e.team_id = w.team_id and e.id = w.email_id
        and e.first_tried_on is null
    ), unsaid as (
      delete from email_events v using waiting w
      where w.attempts = 0 and v.team_id = w.team_id and v.email_id = w.email_id and v.status = 'QUEUED'
    ), stopped as (
      update emails e set status = 'CANCELLED', updated_at = now() from waiting w
      where w.attempts > 0 and e.team_id = w.team_id and e.id = w.email_id returning e.id
    )
    insert into email_events (team_id, email_id, id, status)
    select ${teamId}, s.id, made.id, 'CANCELLED'
    from (select id, row_number() over () as at from stopped) s
    join unnest(${Array.from({ length: AT_ONCE }, newUuid)}::uuid[]) with ordinality as made (id, at) using (at)
  `.execute(trx);
  await sql`
    delete from campaign_recipients where ctid = any(array(
      select ctid from campaign_recipients where team_id = ${teamId} and campaign_id = ${id} limit ${AT_ONCE * 10}
    ))
  `.execute(trx);
  await sql`
    update campaigns set begun_at = null where team_id = ${teamId} and id = ${id}
      and not exists (select 1 from campaign_recipients where team_id = ${teamId} and campaign_id = ${id})
      and not exists (
        select 1 from emails e join deliveries d on d.team_id = e.team_id and d.email_id = e.id
        where e.team_id = ${teamId} and e.campaign_id = ${id} and e.status in ('QUEUED', 'DELIVERY_DELAYED')
      )
  `.execute(trx);
}
