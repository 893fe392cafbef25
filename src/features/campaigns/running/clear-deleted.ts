/**
 * Removes the queued emails and the ledger of campaigns that were deleted before they were sent. Recipients that were
 * sent the campaign stay in the ledger, because segments use them. Deliveries that a worker has claimed are left to it.
 * Clearing `begun_at` at the end excludes the campaign from later runs.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import { CAMPAIGN_IS_HELD } from '../held.ts';
import { skipEmails, type RecipientKey } from '../skip-emails.ts';

const BATCH_SIZE = 1_000;

/** Returns false when there is nothing left to clear now. */
export async function clearDeletedCampaigns(db: Db): Promise<boolean> {
  const { rows } = await sql<CamelRow<'campaigns', 'team_id' | 'id'>>`
    select team_id as "teamId", id from campaigns
    where ${sql.raw(CAMPAIGN_IS_HELD.text)} and deleted_at is not null and ${notClosed}
  `.execute(db);
  let hasCleared = false;
  for (const { teamId, id } of rows) {
    if (await inTransaction(db, (trx) => clear(trx, teamId, id))) hasCleared = true;
  }
  return hasCleared;
}

async function clear(trx: Db, teamId: number, id: string): Promise<boolean> {
  const { rows: waiting } = await sql<RecipientKey>`
    select team_id as "teamId", email_id as "emailId", recipient_no as "recipientNo" from deliveries
    where team_id = ${teamId} and campaign_id = ${id} and leased_by is null
    order by email_id, recipient_no limit ${BATCH_SIZE} for update skip locked
  `.execute(trx);
  if (waiting.length > 0) {
    await skipEmails(
      trx,
      waiting.map((email) => ({ ...email, reason: 'deleted' })),
    );
  }
  await sql`
    delete from campaign_batches where team_id = ${teamId} and campaign_id = ${id} and leased_by is null
  `.execute(trx);
  const unsent = sql`team_id = ${teamId} and campaign_id = ${id} and state = 'skipped'`;
  const { numAffectedRows = 0n } = await sql`
    delete from campaign_recipients where ctid = any(array(
      select ctid from campaign_recipients where ${unsent} limit ${BATCH_SIZE * 10}
    ))
  `.execute(trx);
  await sql`
    update campaigns set begun_at = null where team_id = ${teamId} and id = ${id}
      and not exists (select 1 from campaign_recipients where ${unsent})
      and not exists (select 1 from campaign_batches where team_id = ${teamId} and campaign_id = ${id})
      and not exists (select 1 from deliveries where team_id = ${teamId} and campaign_id = ${id})
  `.execute(trx);
  return waiting.length > 0 || numAffectedRows > 0n;
}
