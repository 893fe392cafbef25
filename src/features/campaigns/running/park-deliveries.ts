/**
 * Parks the deliveries of paused campaigns, and unparks them when a campaign runs again. Parked deliveries are not in
 * the index that claims read. Otherwise claims would read deliveries that they cannot take, and a paused campaign may
 * have hundreds of thousands of retries in the queue.
 *
 * Parking only saves time. The status of the campaign stops the sending immediately (NOT_HELD in delivery/claim.ts),
 * and parking follows in batches. A batch locks the campaign, as every change of its status does, so that the last
 * batch agrees with the status. Claimed deliveries are skipped: when a worker returns one, a later batch parks it.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { CAMPAIGN_IS_HELD } from '../held.ts';

/** Small enough that a resume waits only briefly for a batch. */
const BATCH_SIZE = 1_000;

/**
 * Each condition has its own index. First attempts are unparked first, so that a resumed campaign continues
 * immediately.
 */
const FIRST_ATTEMPTS = sql<boolean>`attempts = 0`;
const RETRIES = sql<boolean>`attempts > 0`;

const isHeld = sql.raw<boolean>(CAMPAIGN_IS_HELD.text);

/** Parks one batch of each paused campaign. Returns false when nothing is left to park. */
export async function parkPausedDeliveries(db: Db): Promise<boolean> {
  const { rows } = await sql<CamelRow<'campaigns', 'team_id' | 'id'>>`
    select team_id as "teamId", id from campaigns c where ${isHeld} and (
      exists (select from deliveries where ${canBePut(true, sql`c.id`)} and ${FIRST_ATTEMPTS})
      or exists (select from deliveries where ${canBePut(true, sql`c.id`)} and ${RETRIES})
    )
  `.execute(db);
  let hasParked = false;
  for (const { teamId, id } of rows) {
    const parked = await inTransaction(db, async (trx) => {
      const locked = await sql`
        select from campaigns where team_id = ${teamId} and id = ${id} and ${isHeld} for update skip locked
      `.execute(trx);
      return locked.rows.length > 0 ? setParked(trx, id, true) : 0;
    });
    if (parked > 0) hasParked = true;
  }
  return hasParked;
}

/** Unparks one batch of a running campaign, whose row the caller has locked. Returns how many there were. */
export async function unparkDeliveries(trx: Db, campaignId: string): Promise<number> {
  return setParked(trx, campaignId, false);
}

/** A condition that the campaign has parked deliveries, for statements that have the campaign's ID. */
export function hasParked(campaignId: string): RawBuilder<boolean> {
  return sql`(
    exists (select from deliveries where campaign_id = ${campaignId} and parked and ${FIRST_ATTEMPTS})
    or exists (select from deliveries where campaign_id = ${campaignId} and parked and ${RETRIES})
  )`;
}

/** Deliveries of the campaign that still have to be changed and that no worker has claimed. */
function canBePut(parked: boolean, campaignId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`campaign_id = ${campaignId} and parked = ${!parked} and leased_by is null`;
}

async function setParked(trx: Db, campaignId: string, parked: boolean): Promise<number> {
  const first = await setParkedOf(trx, campaignId, parked, FIRST_ATTEMPTS, BATCH_SIZE);
  if (first === BATCH_SIZE) return first;
  return first + (await setParkedOf(trx, campaignId, parked, RETRIES, BATCH_SIZE - first));
}

/** Uses SKIP LOCKED, because a worker may hold the row while it waits for others. */
async function setParkedOf(
  trx: Db,
  campaignId: string,
  parked: boolean,
  which: RawBuilder<boolean>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries set parked = ${parked} where ctid = any(array(
      select ctid from deliveries where ${canBePut(parked, sql`${campaignId}`)} and ${which}
      limit ${limit} for update skip locked
    ))
  `.execute(trx);
  return Number(numAffectedRows);
}
