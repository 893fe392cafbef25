/**
 * Keeps the leases of one worker: renews them well before they end, shows that the worker lives, and frees the leases
 * of workers that are dead. The time of a renewal counts from before its statement was sent.
 */
import type { Db } from '../../platform/database.ts';
import type { Presence } from '../../platform/presence.ts';
import { findLeaseHolders, freeLeases, renewLeases } from './claim.ts';
import { hasLapsed, readClocks } from './lease.ts';

export interface LeaseKeeper {
  /** What is claimed and not begun may belong to another worker by now. */
  haveLapsed(): boolean;
  renew(): Promise<void>;
  /** True when some were freed. */
  takeOverFromTheDead(): Promise<boolean>;
  /** Frees what this worker has claimed and not sent. */
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
    async takeOverFromTheDead() {
      const dead = await presence.findDead(await findLeaseHolders(db));
      if (dead.length > 0) await freeLeases(db, dead);
      return dead.length > 0;
    },
    async release() {
      // A running renewal locks the rows, and freeing skips locked rows.
      await renewing.catch(() => {});
      await freeLeases(db, [workerId]);
    },
  };
}
