/**
 * Releases due emails: one statement moves them from SCHEDULED to QUEUED and creates their deliveries. A
 * concurrent reschedule or cancellation either comes first or finds them released. The messages of mailboxes follow in
 * the same transaction (follow-messages.ts).
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, statement, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { NOT_CLOSED, notClosed } from '../../instance/closed-teams.ts';
import { ENQUEUE } from './enqueue.ts';
import { followReleased } from './follow-messages.ts';

const BATCH_SIZE = 500;

/** Returns the number of released emails, and the time until the next one is due or null. */
export async function releaseDueEmails(db: Db): Promise<{ released: number; nextInMs: number | null }> {
  const nextInMs = await untilNextEmail(db);
  if (nextInMs === null || nextInMs > 0) return { released: 0, nextInMs };
  const released = await release(
    db,
    sql`
      select team_id, id from emails
      where waits_until <= now() and ${notClosed}
      order by waits_until limit ${BATCH_SIZE} for update skip locked`,
  );
  return { released, nextInMs: await untilNextEmail(db) };
}

async function untilNextEmail(db: Db): Promise<number | null> {
  // Only a statement with a parameter keeps its plan, and this one runs before every claim.
  const rows = await statement<{ ms: number }>(db)`
    select greatest(${0}::float8, extract(epoch from waits_until - clock_timestamp()) * 1000)::float8 as ms
    from emails where waits_until is not null and ${NOT_CLOSED} order by waits_until limit 1`;
  return rows[0]?.ms ?? null;
}

/**
 * Repairs emails after the clock was set back. Emails that were only held for undo wait no longer than their
 * undo time.
 */
export async function restoreUndoTimes(db: Db): Promise<void> {
  await sql`
    update emails set scheduled_at = now() + (scheduled_at - created_at)
    where waits_until is not null and created_at > now() and scheduled_at <= created_at + interval '2 minutes'
  `.execute(db);
}

/** Releases a scheduled email early. Returns null when it was already released or cancelled. */
export async function releaseNow(trx: Db, teamId: number, id: string): Promise<Date | null> {
  const { rows } = await sql<{ scheduled_at: NonNullable<Row<'emails'>['scheduled_at']> }>`
    update emails set scheduled_at = date_trunc('milliseconds', clock_timestamp()), updated_at = now()
    where team_id = ${teamId} and id = ${id} and status = 'SCHEDULED' and scheduled_at is not null
    returning scheduled_at
  `.execute(trx);
  if (!rows[0]) return null;
  await release(trx, sql`select ${teamId}::integer as team_id, ${id}::uuid as id`);
  return rows[0].scheduled_at;
}

async function release(db: Db, due: RawBuilder<unknown>): Promise<number> {
  return inTransaction(db, async (trx) => {
    const released = await enqueueDue(trx, due);
    await followReleased(trx, released);
    return released.length;
  });
}

/**
 * The steps of the statement, by their names in it:
 *
 *   due        the emails to release, locked
 *   recipient  their recipients; those suppressed since the email was accepted get nothing
 *   accepted   the emails with their new status, as ENQUEUE takes them
 *   moved      the status of each recipient
 *
 * Then come the deliveries and events (ENQUEUE).
 */
async function enqueueDue(
  trx: Db,
  due: RawBuilder<unknown>,
): Promise<Row<'emails', 'team_id' | 'id' | 'source'>[]> {
  const { rows } = await sql<Row<'emails', 'team_id' | 'id' | 'source'>>`
    with due as materialized (
      -- Created before the IDs of the recipients' events, so that the event of the email comes first.
      select team_id, id, make_uuid() as event_id from (${due}) waiting
    ), recipient as (
      select r.team_id, r.email_id, r.no, r.address, r.address_key, s.address_key is not null as suppressed,
        case when s.address_key is not null then make_uuid() end as event_id, due.event_id as email_event_id
      from due
      join email_recipients r on r.team_id = due.team_id and r.email_id = due.id and r.status = 'SCHEDULED'
      left join suppressions s on s.team_id = r.team_id and s.address_key = r.address_key
    ), accepted as (
      update emails e set status = case when is_suppressed then 'SUPPRESSED' else 'QUEUED' end, updated_at = now()
      from (
        select team_id, email_id, email_event_id, bool_and(suppressed) as is_suppressed
        from recipient group by team_id, email_id, email_event_id
      ) outcome
      where e.team_id = outcome.team_id and e.id = outcome.email_id
      returning e.team_id, e.id, e.domain_id, e.campaign_id, e.status, email_event_id as event_id,
        e.priority, e.source, e.sender, e.to_addresses, e.subject, e.labels
    ), moved as (
      update email_recipients r set status = case when suppressed then 'SUPPRESSED' else 'QUEUED' end from recipient
      where r.team_id = recipient.team_id and r.email_id = recipient.email_id and r.no = recipient.no
    ), ${sql.raw(ENQUEUE.text)}
    select team_id, id, source from accepted
  `.execute(trx);
  return rows;
}
