/**
 * Writing down what came of attempts: many at once, in one transaction with everything that follows from them
 * (the queue, each recipient, the email's status, events, suppressions).
 */
import { sql } from 'kysely';
import { nextAttemptAt } from '../../mail/retry.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { suppressAddresses } from '../suppressions/suppressions.ts';
import type { Attempt } from './attempt.ts';
import type { Parcel } from './claim.ts';
import { appendEvents, settleEmails, type NewEvent } from './settle.ts';

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
  data: object;
}

export async function recordOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  const rows = outcomes.map(toRow).toSorted((a, b) => (a.emailId < b.emailId ? -1 : 1));
  await inTransaction(db, async (trx) => {
    await moveRecipients(trx, rows);
    await settleEmails(trx, rows);
    await appendEvents(trx, rows.flatMap(toEvents));
    await suppressAddresses(
      trx,
      'HARD_BOUNCE',
      rows.filter((row) => row.suppress).map(({ teamId, recipient }) => ({ teamId, address: recipient })),
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
    data: {
      ...attempt.reply,
      ...('reason' in attempt ? { reason: gaveUp ? `Given up: ${attempt.reason}` : attempt.reason } : {}),
      ...(dueAt ? { nextAttemptAt: dueAt } : {}),
    },
  };
}

function toEvents(row: OutcomeRow): NewEvent[] {
  return row.isFirst ? [{ ...row, status: 'SENT', data: null }, row] : [row];
}

/** A report that came back quicker than we wrote down the delivery stays the last word on its recipient. */
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
      and r.status not in ('BOUNCED', 'COMPLAINED')
  `.execute(trx);
}
