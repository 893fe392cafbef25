/**
 * Skips released emails that should no longer be sent. An email without an attempt is deleted, and its ledger
 * row gets the reason. An email with an attempt gets no retry.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import { RECORD_EMAIL_EVENTS } from '../events/email-events.ts';
import { FIRST_TRIED_AT } from '../sending/counters/count-columns.ts';
import type { SkipReason } from './skip-reason.ts';

export type RecipientKey = CamelRow<'deliveries', 'team_id' | 'email_id' | 'recipient_no'>;

type SkippedEmail = RecipientKey & { reason: SkipReason };

interface FinishedEmail extends Omit<SkippedEmail, 'recipientNo'> {
  isTried: boolean;
  campaignId: NonNullable<Row<'emails'>['campaign_id']>;
  addressKey: Row<'email_recipients'>['address_key'];
}

export async function skipEmails(db: Db, emails: SkippedEmail[]): Promise<void> {
  const sorted = emails.toSorted((a, b) => (a.emailId < b.emailId ? -1 : 1));
  await inTransaction(db, async (trx) => {
    await sql`
      delete from deliveries d
      using ${keysOf(sorted)} join unnest(${sorted.map(({ recipientNo }) => recipientNo)}::smallint[])
        with ordinality as r (no, at) using (at)
      where d.team_id = k.team_id and d.email_id = k.email_id and d.recipient_no = r.no
    `.execute(trx);
    const finished = await findFinished(trx, sorted);
    await removeUntried(
      trx,
      finished.filter(({ isTried }) => !isTried),
    );
    await cancelTried(
      trx,
      finished.filter(({ isTried }) => isTried),
    );
  });
}

/** Emails that have no delivery left in the queue, neither for the recipient nor for a copy. */
async function findFinished(trx: Db, emails: SkippedEmail[]): Promise<FinishedEmail[]> {
  const { rows } = await sql<Omit<FinishedEmail, 'reason'>>`
    select distinct e.team_id as "teamId", e.id as "emailId", ${sql.raw(FIRST_TRIED_AT)} is not null as "isTried",
      e.campaign_id as "campaignId", r.address_key as "addressKey"
    from ${keysOf(emails)}
    join emails e on e.team_id = k.team_id and e.id = k.email_id
    join email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    where not exists (select 1 from deliveries d where d.team_id = e.team_id and d.email_id = e.id)
  `.execute(trx);
  const reasons = new Map(emails.map(({ emailId, reason }) => [emailId, reason]));
  return rows.map((row) => ({ ...row, reason: reasons.get(row.emailId)! }));
}

async function removeUntried(trx: Db, emails: FinishedEmail[]): Promise<void> {
  if (emails.length === 0) return;
  await sql`
    update campaign_recipients l set state = 'skipped', reason = s.reason, email_id = null
    from unnest(
      ${emails.map(({ teamId }) => teamId)}::integer[], ${emails.map(({ campaignId }) => campaignId)}::uuid[],
      ${emails.map(({ addressKey }) => addressKey)}::text[], ${emails.map(({ reason }) => reason)}::text[]
    ) as s (team_id, campaign_id, address_key, reason)
    where l.team_id = s.team_id and l.campaign_id = s.campaign_id and l.address_key = s.address_key
  `.execute(trx);
  await sql`
    delete from events v using ${keysOf(emails)} where v.team_id = k.team_id and v.subject_id = k.email_id
  `.execute(trx);
  await sql`
    delete from email_recipients r using ${keysOf(emails)} where r.team_id = k.team_id and r.email_id = k.email_id
  `.execute(trx);
  await sql`
    delete from emails e using ${keysOf(emails)} where e.team_id = k.team_id and e.id = k.email_id
  `.execute(trx);
}

async function cancelTried(trx: Db, emails: FinishedEmail[]): Promise<void> {
  if (emails.length === 0) return;
  await sql`
    with email_event as (
      update emails e set status = 'CANCELLED', updated_at = now() from unnest(
        ${emails.map(({ teamId }) => teamId)}::integer[], ${emails.map(({ emailId }) => emailId)}::uuid[],
        ${emails.map(() => newUuid())}::uuid[], ${emails.map(({ reason }) => reason)}::text[]
      ) as s (team_id, email_id, event_id, reason)
      where e.team_id = s.team_id and e.id = s.email_id
      returning e.team_id, e.id as email_id, s.event_id as id, e.status, null as recipient,
        jsonb_build_object('reason', s.reason) as data, now() as created_at, e.source, e.sender, e.to_addresses,
        e.subject, e.labels
    ), ${sql.raw(RECORD_EMAIL_EVENTS.text)}
    select
  `.execute(trx);
}

function keysOf(emails: { teamId: number; emailId: string }[]): RawBuilder<unknown> {
  return sql`unnest(
    ${emails.map(({ teamId }) => teamId)}::integer[], ${emails.map(({ emailId }) => emailId)}::uuid[]
  ) with ordinality as k (team_id, email_id, at)`;
}
