/**
 * Emails whose time has come: one statement moves them from SCHEDULED to QUEUED and makes their deliveries. Whoever
 * reschedules or cancels at that moment either came first or finds them gone.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { ENQUEUE } from './enqueue.ts';

const AT_ONCE = 500;

/** Returns how many left, and how long until the next one is due; null when none waits. */
export async function releaseDueEmails(db: Db): Promise<{ released: number; nextInMs: number | null }> {
  const nextInMs = await untilNextEmail(db);
  if (nextInMs === null || nextInMs > 0) return { released: 0, nextInMs };
  const released = await release(
    db,
    sql`
      select team_id, id from emails
      where waits_until <= now()
      order by waits_until limit ${AT_ONCE} for update skip locked`,
  );
  return { released, nextInMs: await untilNextEmail(db) };
}

async function untilNextEmail(db: Db): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(0, extract(epoch from waits_until - clock_timestamp()) * 1000)::float8 as ms
    from emails where waits_until is not null order by waits_until limit 1
  `.execute(db);
  return rows[0]?.ms ?? null;
}

/**
 * After the clock was set back: what was only held for undo, and so would have left within a minute or so, is held no
 * longer than that.
 */
export async function bringUndoForward(db: Db): Promise<void> {
  await sql`
    update emails set scheduled_at = now() + (scheduled_at - created_at)
    where waits_until is not null and created_at > now() and scheduled_at <= created_at + interval '2 minutes'
  `.execute(db);
}

/** One that waits leaves before its time. Null when it had gone, or waits no more. */
export async function releaseNow(trx: Db, teamId: number, id: string): Promise<Date | null> {
  const { rows } = await sql<{ scheduled_at: Date }>`
    update emails set scheduled_at = date_trunc('milliseconds', clock_timestamp()), updated_at = now()
    where team_id = ${teamId} and id = ${id} and status = 'SCHEDULED' returning scheduled_at
  `.execute(trx);
  if (!rows[0]) return null;
  await release(trx, sql`select ${teamId}::integer as team_id, ${id}::uuid as id`);
  return rows[0].scheduled_at;
}

/** Who was suppressed while it waited gets nothing, as at the door. */
async function release(db: Db, due: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ released: number }>`
    with due as (
      ${due}
    ), recipient as (
      select r.team_id, r.email_id, r.no, r.address, r.address_key, s.address_key is not null as suppressed,
        null::uuid as event_id
      from due
      join email_recipients r on r.team_id = due.team_id and r.email_id = due.id and r.status = 'SCHEDULED'
      left join suppressions s on s.team_id = r.team_id and s.address_key = r.address_key
    ), accepted as (
      update emails e set status = case when is_suppressed then 'SUPPRESSED' else 'QUEUED' end, updated_at = now()
      from (
        select team_id, email_id, bool_and(suppressed) as is_suppressed from recipient group by team_id, email_id
      ) outcome
      where e.team_id = outcome.team_id and e.id = outcome.email_id
      returning e.team_id, e.id, e.domain_id, e.campaign_id, e.status, null::uuid as event_id,
        e.priority
    ), moved as (
      update email_recipients r set status = case when suppressed then 'SUPPRESSED' else 'QUEUED' end from recipient
      where r.team_id = recipient.team_id and r.email_id = recipient.email_id and r.no = recipient.no
    ), ${sql.raw(ENQUEUE.text)}
    select count(*) as released from accepted
  `.execute(db);
  return rows[0]!.released;
}
