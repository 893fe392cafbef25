/**
 * A campaign that was deleted before it was through: what still waits for it leaves the queue. What a courier has in
 * hand is left to it; once nothing is left, nothing of the campaign is looked at again.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { skipLetters, type LetterKey } from './skip-letters.ts';

const AT_ONCE = 1_000;

/** False when there is nothing left that could be cleared now. */
export async function clearDeletedCampaigns(db: Db): Promise<boolean> {
  const { rows } = await sql<{ teamId: number; id: string }>`
    select team_id as "teamId", id from campaigns
    where status in ('SCHEDULED', 'PAUSED') and begun_at is not null and deleted_at is not null
  `.execute(db);
  let hasCleared = false;
  for (const { teamId, id } of rows) {
    if (await inTransaction(db, (trx) => clear(trx, teamId, id))) hasCleared = true;
  }
  return hasCleared;
}

async function clear(trx: Db, teamId: number, id: string): Promise<boolean> {
  const { rows: waiting } = await sql<LetterKey>`
    select team_id as "teamId", email_id as "emailId", recipient_no as "recipientNo" from deliveries
    where team_id = ${teamId} and campaign_id = ${id} and leased_by is null
    order by email_id, recipient_no limit ${AT_ONCE} for update skip locked
  `.execute(trx);
  if (waiting.length > 0) {
    await skipLetters(
      trx,
      waiting.map((letter) => ({ ...letter, reason: 'deleted' })),
    );
  }
  const { numAffectedRows = 0n } = await sql`
    delete from campaign_recipients where ctid = any(array(
      select ctid from campaign_recipients where team_id = ${teamId} and campaign_id = ${id} limit ${AT_ONCE * 10}
    ))
  `.execute(trx);
  await sql`
    update campaigns set begun_at = null where team_id = ${teamId} and id = ${id}
      and not exists (select 1 from campaign_recipients where team_id = ${teamId} and campaign_id = ${id})
      and not exists (select 1 from deliveries where team_id = ${teamId} and campaign_id = ${id})
  `.execute(trx);
  return waiting.length > 0 || numAffectedRows > 0n;
}
