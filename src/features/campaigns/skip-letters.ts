/**
 * Letters that were released and are not wanted any more when their turn comes. One that was never tried leaves no
 * email behind, only its row in the ledger with the reason; one that was tried before is tried no more.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { SkipReason } from './skip-reason.ts';

export interface LetterKey {
  teamId: number;
  emailId: string;
  recipientNo: number;
}

type Skipped = LetterKey & { reason: SkipReason };

interface Finished extends Omit<Skipped, 'recipientNo'> {
  isTried: boolean;
  campaignId: string;
  addressKey: string;
}

export async function skipLetters(db: Db, letters: Skipped[]): Promise<void> {
  const sorted = letters.toSorted((a, b) => (a.emailId < b.emailId ? -1 : 1));
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

/** Those of whom nobody waits in the queue any more, neither for the letter nor for a copy of it. */
async function findFinished(trx: Db, letters: Skipped[]): Promise<Finished[]> {
  const { rows } = await sql<Omit<Finished, 'reason'>>`
    select distinct e.team_id as "teamId", e.id as "emailId", e.first_tried_on is not null as "isTried",
      e.campaign_id as "campaignId", r.address_key as "addressKey"
    from ${keysOf(letters)}
    join emails e on e.team_id = k.team_id and e.id = k.email_id
    join email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    where not exists (select 1 from deliveries d where d.team_id = e.team_id and d.email_id = e.id)
  `.execute(trx);
  const reasons = new Map(letters.map(({ emailId, reason }) => [emailId, reason]));
  return rows.map((row) => ({ ...row, reason: reasons.get(row.emailId)! }));
}

async function removeUntried(trx: Db, letters: Finished[]): Promise<void> {
  if (letters.length === 0) return;
  await sql`
    update campaign_recipients l set state = 'skipped', reason = s.reason, email_id = null
    from unnest(
      ${letters.map(({ teamId }) => teamId)}::integer[], ${letters.map(({ campaignId }) => campaignId)}::uuid[],
      ${letters.map(({ addressKey }) => addressKey)}::text[], ${letters.map(({ reason }) => reason)}::text[]
    ) as s (team_id, campaign_id, address_key, reason)
    where l.team_id = s.team_id and l.campaign_id = s.campaign_id and l.address_key = s.address_key
  `.execute(trx);
  await sql`
    delete from email_events v using ${keysOf(letters)} where v.team_id = k.team_id and v.email_id = k.email_id
  `.execute(trx);
  await sql`
    delete from email_recipients r using ${keysOf(letters)} where r.team_id = k.team_id and r.email_id = k.email_id
  `.execute(trx);
  await sql`
    delete from emails e using ${keysOf(letters)} where e.team_id = k.team_id and e.id = k.email_id
  `.execute(trx);
}

async function cancelTried(trx: Db, letters: Finished[]): Promise<void> {
  if (letters.length === 0) return;
  await sql`
    update emails e set status = 'CANCELLED', updated_at = now() from ${keysOf(letters)}
    where e.team_id = k.team_id and e.id = k.email_id
  `.execute(trx);
  await sql`
    insert into email_events (team_id, email_id, id, status, data)
    select team_id, email_id, id, 'CANCELLED', jsonb_build_object('reason', reason) from unnest(
      ${letters.map(({ teamId }) => teamId)}::integer[], ${letters.map(({ emailId }) => emailId)}::uuid[],
      ${letters.map(() => newUuid())}::uuid[], ${letters.map(({ reason }) => reason)}::text[]
    ) as s (team_id, email_id, id, reason)
  `.execute(trx);
}

function keysOf(letters: { teamId: number; emailId: string }[]): RawBuilder<unknown> {
  return sql`unnest(
    ${letters.map(({ teamId }) => teamId)}::integer[], ${letters.map(({ emailId }) => emailId)}::uuid[]
  ) with ordinality as k (team_id, email_id, at)`;
}
