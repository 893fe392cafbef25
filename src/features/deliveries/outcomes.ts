/**
 * Writing down what came of attempts: many at once, in one transaction with everything that follows from them
 * (the queue, each recipient, the email's status, counters, events, suppressions).
 */
import { nextAttemptAt } from '../../mail/retry.ts';
import { inTransaction, statement, toJson, type Db } from '../../platform/database.ts';
import { suppressAddresses } from '../suppressions/suppressions.ts';
import type { Attempt } from './attempt.ts';
import type { Parcel } from './claim.ts';
import { changeOf, settleEmails, type NewEvent } from './settle.ts';

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
  isHardBounce: boolean;
  suppress: boolean;
  data: object;
}

/** How it stood with a recipient before: the truth about what is new in an outcome. */
interface Before {
  isFirst: boolean;
  status: string;
}

export async function recordOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  const rows = outcomes.map(toRow).toSorted((a, b) => (a.emailId < b.emailId ? -1 : 1));
  await inTransaction(db, async (trx) => {
    const before = await moveRecipients(trx, rows);
    const known = rows.flatMap((row) => {
      const was = before.get(keyOf(row));
      return was ? [{ ...row, ...was, status: row.status, was: was.status }] : [];
    });
    if (known.length === 0) return;
    await settleEmails(
      trx,
      known.map((row) => ({ ...changeOf({ ...row, isCopy: row.no > 0 }, row.was), at: row.at })),
      known.flatMap(toEvents),
    );
    await suppressAddresses(
      trx,
      'HARD_BOUNCE',
      known.filter((row) => row.suppress).map(({ teamId, recipient }) => ({ teamId, address: recipient })),
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
  const isHardBounce = attempt.outcome === 'bounced';
  return {
    teamId: parcel.teamId,
    emailId: parcel.emailId,
    no: parcel.recipientNo,
    recipient: parcel.recipient,
    status: attempt.outcome === 'delivered' ? 'DELIVERED' : dueAt ? 'DELIVERY_DELAYED' : 'BOUNCED',
    at,
    dueAt,
    isHardBounce,
    suppress: attempt.outcome === 'bounced' && attempt.suppress,
    data: {
      ...attempt.reply,
      ...('reason' in attempt ? { reason: gaveUp ? `Given up: ${attempt.reason}` : attempt.reason } : {}),
      ...(dueAt ? { nextAttemptAt: dueAt } : {}),
      ...(gaveUp || isHardBounce ? { bounceType: isHardBounce ? 'hard' : 'soft' } : {}),
      ...(attempt.transcript ? { transcript: attempt.transcript } : {}),
    },
  };
}

function toEvents(row: OutcomeRow & { isFirst: boolean }): NewEvent[] {
  return row.isFirst ? [{ ...row, status: 'SENT', data: null }, row] : [row];
}

function keyOf({ emailId, no }: { emailId: string; no: number }): string {
  return `${emailId}/${no}`;
}

/**
 * A report that came back quicker than we wrote down the delivery stays the last word on its recipient. Whoever has
 * left the queue meanwhile (another courier wrote it down, after a lease that ran out) is not among the answers. The
 * email is locked first: who settles it afterwards has seen what others wrote of its other recipients.
 */
async function moveRecipients(trx: Db, rows: OutcomeRow[]): Promise<Map<string, Before>> {
  const outcomes = rows.map(({ teamId, emailId, no, status, dueAt, at }) => ({
    team_id: teamId,
    email_id: emailId,
    no,
    status,
    due_at: dueAt,
    at,
  }));
  const before = await statement<{ emailId: string; no: number } & Before>(trx)`
    with outcome as (
      select * from json_to_recordset(${toJson(outcomes)}::json) as o (
        team_id integer, email_id uuid, no smallint, status text, due_at timestamptz, at timestamptz
      )
    ), queued as (
      select o.*, d.attempts, r.status as was
      from outcome o
      join emails e on e.team_id = o.team_id and e.id = o.email_id
      join deliveries d on d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no
      join email_recipients r on r.team_id = o.team_id and r.email_id = o.email_id and r.no = o.no
      order by o.email_id, o.no for update of e, d, r
    ), finished as (
      delete from deliveries d using queued q
      where d.team_id = q.team_id and d.email_id = q.email_id and d.recipient_no = q.no and q.due_at is null
    ), put_off as (
      update deliveries d set due_at = q.due_at, leased_by = null, attempts = d.attempts + 1,
        first_tried_at = coalesce(first_tried_at, q.at)
      from queued q
      where d.team_id = q.team_id and d.email_id = q.email_id and d.recipient_no = q.no and q.due_at is not null
    ), moved as (
      update email_recipients r set status = q.status from queued q
      where r.team_id = q.team_id and r.email_id = q.email_id and r.no = q.no
        and q.was not in ('BOUNCED', 'COMPLAINED')
    )
    select email_id as "emailId", no, attempts = 0 as "isFirst", was as status from queued`;
  return new Map(before.map((row) => [keyOf(row), { isFirst: row.isFirst, status: row.status }]));
}
