/**
 * Renews one worker's leases well before they end, shows that the worker is alive and frees the leases of dead workers.
 * A renewal counts from the time before its statement was sent. It does not cover the deliveries of a claim that is
 * still running, so a renewal during a claim counts from the time before the claim.
 */
import type { Db } from '../../platform/database/database.ts';
import type { Presence } from '../../platform/database/presence.ts';
import { findBatchHolders, freeBatches, giveBackAllBatches } from '../campaigns/running/lease-batches.ts';
import type { CampaignBatches } from './campaign-batches.ts';
import { findLeaseHolders, freeLeases, renewLeases, type DeliveryKey } from './claim.ts';
import { hasLapsed, readClocks, type Clocks } from './lease.ts';

export interface LeaseKeeper {
  /** True when another worker may own the claimed deliveries that have not started. */
  haveLapsed(): boolean;
  renew(): Promise<void>;
  /** Runs a claim, so that renewals take it into account. */
  claim<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Returns true when leases were freed. */
  freeLeasesOfDeadWorkers(): Promise<boolean>;
  /** Frees all leases of this worker. Nothing may be in flight. */
  release(): Promise<void>;
}

export function createLeaseKeeper(
  db: Db,
  presence: Presence,
  workerId: string,
  listKnown: () => DeliveryKey[],
  batches: Pick<CampaignBatches, 'renew'>,
): LeaseKeeper {
  let renewedAt = readClocks();
  let renewing = Promise.resolve();
  let claimingSince: Clocks | null = null;
  return {
    haveLapsed: () => hasLapsed(renewedAt, readClocks()),
    async renew() {
      const begunAt = claimingSince ?? readClocks();
      renewing = renewLeases(db, workerId, listKnown());
      await renewing;
      await batches.renew();
      renewedAt = begunAt;
    },
    async claim(work) {
      claimingSince = readClocks();
      try {
        return await work();
      } finally {
        claimingSince = null;
      }
    },
    async freeLeasesOfDeadWorkers() {
      const holders = [...(await findLeaseHolders(db)), ...(await findBatchHolders(db))];
      const dead = await presence.findDead([...new Set(holders)]);
      if (dead.length > 0) {
        await freeLeases(db, dead);
        await freeBatches(db, dead);
      }
      return dead.length > 0;
    },
    async release() {
      // A running renewal locks rows, and freeing skips locked rows.
      await renewing.catch(() => {});
      await freeLeases(db, [workerId]);
      await giveBackAllBatches(db, workerId);
    },
  };
}
