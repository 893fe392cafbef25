/**
 * Letters that were released and are not wanted any more when their turn comes. One that was never tried leaves no
 * email behind, only its row in the ledger with the reason; one that was tried before is tried no more.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';

export interface LetterKey {
  teamId: number;
  emailId: string;
  recipientNo: number;
}

export async function skipLetters(db: Db, letters: (LetterKey & { reason: string })[]): Promise<void> {
  const sorted = letters.toSorted((a, b) => (a.emailId < b.emailId ? -1 : 1));
  const keys = sql`unnest(
    ${sorted.map(({ teamId }) => teamId)}::integer[], ${sorted.map(({ emailId }) => emailId)}::uuid[],
    ${sorted.map(({ recipientNo }) => recipientNo)}::smallint[], ${sorted.map(({ reason }) => reason)}::text[],
    ${sorted.map(() => newUuid())}::uuid[]
  ) as k (team_id, email_id, no, reason, event_id)`;
  await inTransaction(db, async (trx) => {
    await sql`
      delete from deliveries d using ${keys}
      where d.team_id = k.team_id and d.email_id = k.email_id and d.recipient_no = k.no
    `.execute(trx);
    await sql`
      with first as (
        select distinct on (email_id) k.* from ${keys} order by email_id, no
      ), tried as (
        update emails e set status = 'CANCELLED', updated_at = now() from first k
        where e.team_id = k.team_id and e.id = k.email_id and e.first_tried_on is not null
          and not exists (select 1 from deliveries d where d.team_id = e.team_id and d.email_id = e.id)
        returning e.team_id, e.id, k.event_id, k.reason
      ), told as (
        insert into email_events (team_id, email_id, id, status, data)
        select team_id, id, event_id, 'CANCELLED', jsonb_build_object('reason', reason) from tried
      ), untried as (
        delete from emails e using first k
        where e.team_id = k.team_id and e.id = k.email_id and e.first_tried_on is null
          and not exists (select 1 from deliveries d where d.team_id = e.team_id and d.email_id = e.id)
        returning e.team_id, e.id, e.campaign_id, k.reason
      ), addressed as (
        select u.*, r.address_key from untried u
        join email_recipients r on r.team_id = u.team_id and r.email_id = u.id and r.no = 0
      ), untold as (
        delete from email_events v using untried u where v.team_id = u.team_id and v.email_id = u.id
      )
      update campaign_recipients l set state = 'skipped', reason = u.reason, email_id = null
      from addressed u
      where l.team_id = u.team_id and l.campaign_id = u.campaign_id and l.address_key = u.address_key
    `.execute(trx);
  });
}
