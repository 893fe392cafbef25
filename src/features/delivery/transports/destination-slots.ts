/**
 * Limits the connections to a destination over all processes. Each connection needs a slot, which is a row in the
 * database that its process leases (platform/due/due.ts) and that is deleted when it is free. So an email over an open
 * connection costs nothing, and an email that needs a new connection shares two small statements with others.
 *
 * While the database is unavailable, connections are opened without a slot: each process keeps its own limit, and mail
 * does not wait for the bookkeeping.
 */
import { createBatcher } from '../../../platform/database/batcher.ts';
import { statement, type Db } from '../../../platform/database/database.ts';
import { freeLeases, giveBack, type LeasedTable } from '../../../platform/due/due.ts';
import type { LeaseHolder } from '../../../platform/due/lease-holder.ts';
import { LEASE_SECONDS } from '../../../platform/due/lease-state.ts';
import type { Log } from '../../../platform/log.ts';
import type { Row } from '../../../platform/database/rows.ts';

const SLOT_LEASES: LeasedTable<'destination' | 'slot'> = {
  name: 'destination_connections',
  key: { destination: 'text', slot: 'smallint' },
  holder: 'worker_id',
  endsAt: 'expires_at',
  whenFreed: 'is-deleted',
};
/** Slots that are released within this time share a statement. */
const RELEASE_DELAY_MS = 50;

export interface Slot {
  destination: string;
  /** Null if the database was unavailable. */
  no: number | null;
}

export interface DestinationSlots {
  /** Returns null when all `most` slots are taken. */
  acquire(destination: string, most: number): Promise<Slot | null>;
  release(slot: Slot): void;
  close(): Promise<void>;
}

interface Wanted {
  workerId: string;
  destination: string;
  most: number;
}

/** Slots are tried in random order, so that two processes seldom choose the same one. */
const acquireTogether = createBatcher<Wanted, number | null>({
  keyOf: ({ workerId }) => workerId,
  nameOf: ({ destination }) => destination,
  async work(db, wanted) {
    const rows = await statement<Row<'destination_connections', 'destination' | 'slot'>>(db)`
      insert into destination_connections as c (destination, slot, worker_id, expires_at)
      select w.destination, free.slot, ${wanted[0].workerId}::uuid, now() + make_interval(secs => ${LEASE_SECONDS})
      from unnest(
        ${wanted.map(({ destination }) => destination)}::text[], ${wanted.map(({ most }) => most)}::smallint[]
      ) as w (destination, most)
      cross join lateral (
        select no::smallint as slot from generate_series(1, w.most) as no
        where not exists (
          select from destination_connections t
          where t.destination = w.destination and t.slot = no and t.expires_at > now()
        )
        order by random() limit 1
      ) free
      order by w.destination
      on conflict (destination, slot) do update set worker_id = excluded.worker_id, expires_at = excluded.expires_at
        where c.expires_at <= now()
      returning destination, slot`;
    const found = new Map(rows.map(({ destination, slot }) => [destination, slot]));
    return wanted.map(({ destination }) => found.get(destination) ?? null);
  },
});

export function createDestinationSlots(db: Db, leases: LeaseHolder, log: Log): DestinationSlots {
  const workerId = leases.id;
  const held = new Set<Slot>();
  let released: Slot[] = [];
  let releaseTimer: NodeJS.Timeout | undefined;

  const warn = (error: unknown) =>
    log.warn({ err: error }, 'delivery worker: slots of destinations cannot be updated');

  async function flushReleased(): Promise<void> {
    clearTimeout(releaseTimer);
    releaseTimer = undefined;
    const slots = released;
    released = [];
    await giveBack(db, SLOT_LEASES, workerId, slots.map(toLeaseKey));
  }

  const endHold = leases.hold({ table: SLOT_LEASES, listKnown: () => [...held].map(toLeaseKey) });
  return {
    async acquire(destination, most) {
      try {
        const no = await leases.claim(() => acquireTogether(db, { workerId, destination, most }));
        if (no === null) return null;
        const slot = { destination, no };
        held.add(slot);
        return slot;
      } catch (error) {
        warn(error);
        return { destination, no: null };
      }
    },
    release(slot) {
      if (slot.no === null) return;
      held.delete(slot);
      released.push(slot);
      releaseTimer ??= setTimeout(() => void flushReleased().catch(warn), RELEASE_DELAY_MS).unref();
    },
    async close() {
      endHold();
      clearTimeout(releaseTimer);
      try {
        await leases.waitForRenewal();
        await freeLeases(db, SLOT_LEASES, [workerId]);
      } catch (error) {
        warn(error);
      }
    },
  };
}

function toLeaseKey({ destination, no }: Slot) {
  return { destination, slot: no };
}
