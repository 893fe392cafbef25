/**
 * Writing down what came of attempts: many at once, in one transaction with everything that follows from them
 * (the queue, each recipient, the email's status, events, suppressions).
 */
import { sql } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { nextAttemptAt } from '../../mail/retry.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Attempt } from './attempt.ts';
import type { Parcel } from './claim.ts';

export interface Outcome {
  parcel: Parcel;
  attempt: Attempt;
  at: Date;
}

interface OutcomeRow {
  teamId: number;
  emailId: string;
  no: number;
  recipient: string;
  status: 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED';
  at: Date;
  /** Null: it is finished. */
  dueAt: Date | null;
  isFirst: boolean;
  suppress: boolean;
  data: string;
}

export async function recordOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  const rows = outcomes.map(toRow).toSorted((a, b) => (a.emailId < b.emailId ? -1 : 1));
  await inTransaction(db, async (trx) => {
    await moveRecipients(trx, rows);
    await settleEmails(trx, rows);
    await appendEvents(trx, rows);
    await suppressAddresses(
      trx,
      rows.filter((row) => row.suppress),
    );
  });
}

function toRow({ parcel, attempt, at }: Outcome): OutcomeRow {
  const dueAt =
    attempt.outcome === 'deferred'
      ? nextAttemptAt({
          attempt: parcel.attempts + 1,
          firstTriedAt: parcel.firstTriedAt ?? at,
          now: at,
          random: Math.random,
        })
      : null;
  const gaveUp = attempt.outcome === 'deferred' && dueAt === null;
  return {
    teamId: parcel.teamId,
    emailId: parcel.emailId,
    no: parcel.recipientNo,
    recipient: parcel.recipient,
    status: attempt.outcome === 'delivered' ? 'DELIVERED' : dueAt ? 'DELIVERY_DELAYED' : 'BOUNCED',
    at,
    dueAt,
    isFirst: parcel.attempts === 0,
    suppress: attempt.outcome === 'bounced' && attempt.suppress,
    data: JSON.stringify({
      ...attempt.reply,
      ...('reason' in attempt ? { reason: gaveUp ? `Given up: ${attempt.reason}` : attempt.reason } : {}),
      ...(dueAt ? { nextAttemptAt: dueAt } : {}),
    }),
  };
}

async function moveRecipients(trx: Db, rows: OutcomeRow[]): Promise<void> {
  await sql`
    with outcome as (
      select * from unnest(
        ${rows.map((row) => row.teamId)}::integer[], ${rows.map((row) => row.emailId)}::uuid[],
        ${rows.map((row) => row.no)}::smallint[], ${rows.map((row) => row.status)}::text[],
        ${rows.map((row) => row.dueAt)}::timestamptz[], ${rows.map((row) => row.at)}::timestamptz[]
      ) as o (team_id, email_id, no, status, due_at, at)
    ), finished as (
      delete from deliveries d using outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no and o.due_at is null
    ), put_off as (
      update deliveries d set due_at = o.due_at, leased_by = null, attempts = attempts + 1,
        first_tried_at = coalesce(first_tried_at, o.at)
      from outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no and o.due_at is not null
    )
    update email_recipients r set status = o.status from outcome o
    where r.team_id = o.team_id and r.email_id = o.email_id and r.no = o.no
  `.execute(trx);
}

/** The worst unfinished or failed recipient decides. */
async function settleEmails(trx: Db, rows: OutcomeRow[]): Promise<void> {
  await sql`
    with touched as (
      select distinct team_id, email_id from unnest(
        ${rows.map((row) => row.teamId)}::integer[], ${rows.map((row) => row.emailId)}::uuid[]
      ) as t (team_id, email_id)
    ), worst as (
      select r.team_id, r.email_id, (array['BOUNCED', 'DELIVERY_DELAYED', 'SENT', 'DELIVERED'])[
        min(case r.status when 'BOUNCED' then 1 when 'DELIVERY_DELAYED' then 2 when 'QUEUED' then 3 else 4 end)
      ] as status
      from email_recipients r join touched using (team_id, email_id)
      where r.status <> 'SUPPRESSED'
      group by r.team_id, r.email_id
    )
    update emails e set status = worst.status, updated_at = now() from worst
    where e.team_id = worst.team_id and e.id = worst.email_id
  `.execute(trx);
}

async function appendEvents(trx: Db, rows: OutcomeRow[]): Promise<void> {
  const events = rows.flatMap((row) => [
    ...(row.isFirst ? [{ ...row, status: 'SENT', data: null, id: newUuid() }] : []),
    { ...row, id: newUuid() },
  ]);
  await sql`
    insert into email_events (team_id, email_id, id, status, recipient, data, created_at)
    select * from unnest(
      ${events.map((event) => event.teamId)}::integer[], ${events.map((event) => event.emailId)}::uuid[],
      ${events.map((event) => event.id)}::uuid[], ${events.map((event) => event.status)}::text[],
      ${events.map((event) => event.recipient)}::text[], ${events.map((event) => event.data)}::jsonb[],
      ${events.map((event) => event.at)}::timestamptz[]
    )
  `.execute(trx);
}

async function suppressAddresses(trx: Db, rows: OutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into suppressions (team_id, address_key, id, address, reason)
    select distinct on (team_id, key) team_id, key, id, address, 'HARD_BOUNCE' from unnest(
      ${rows.map((row) => row.teamId)}::integer[], ${rows.map((row) => parseAddress(row.recipient)!.key)}::text[],
      ${rows.map(() => newUuid())}::uuid[], ${rows.map((row) => row.recipient)}::text[]
    ) as s (team_id, key, id, address)
    on conflict do nothing
  `.execute(trx);
}
