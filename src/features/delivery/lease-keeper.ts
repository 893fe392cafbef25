/**
 * Renews one worker's leases well before they end, shows that the worker is alive and frees the leases of dead
 * workers. A renewal counts from the time before its statement was sent.
 */
import type { Db } from '../../platform/database.ts';
import type { Presence } from '../../platform/presence.ts';
import { findLeaseHolders, freeLeases, renewLeases } from './claim.ts';
import { hasLapsed, readClocks } from './lease.ts';

export interface LeaseKeeper {
  /** True when another worker may own the claimed deliveries that have not started. */
  haveLapsed(): boolean;
  renew(): Promise<void>;
  /** Returns true when leases were freed. */
  freeLeasesOfDeadWorkers(): Promise<boolean>;
  /** Frees the leases of deliveries that this worker has claimed and not sent. */
  release(): Promise<void>;
}

export function createLeaseKeeper(db: Db, presence: Presence, workerId: string): LeaseKeeper {
  let renewedAt = readClocks();
  let renewing = Promise.resolve();
  return {
    haveLapsed: () => hasLapsed(renewedAt, readClocks()),
    async renew() {
      const begunAt = readClocks();
      renewing = renewLeases(db, workerId);
      await renewing;
      renewedAt = begunAt;
    },
    async freeLeasesOfDeadWorkers() {
      const dead = await presence.findDead(await findLeaseHolders(db));
      if (dead.length > 0) await freeLeases(db, dead);
      return dead.length > 0;
    },
    async release() {
      // A running renewal locks rows, and freeing skips locked rows.
      await renewing.catch(() => {});
      await freeLeases(db, [workerId]);
    },
  };
}
