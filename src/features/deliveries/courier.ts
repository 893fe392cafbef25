/**
 * The delivery worker: claims due deliveries from the queue, sends them, and records what came of each.
 *
 * - What can go out twice: at most 50 deliveries of a process are in flight, from the first byte of the message to the
 *   commit of the outcome (`delivery-worker-state.ts`). After a `kill -9` only those can be sent again, with the same
 *   Message-ID. An outcome is written until the database takes it (`keep-outcomes.ts`), never dropped.
 * - Leases: a claimed delivery is leased to this worker for 20 s and the lease is renewed every 5 s. More are claimed
 *   ahead than are in flight, so that sending does not wait for the database. A worker that stood still for longer than
 *   its lease puts back everything that has not begun; the leases of a dead worker are freed by the others.
 * - Order: urgent mail is claimed and begun first, and has 10 of the 50 places in flight to itself.
 * - Closing: what is in flight is finished, what is only claimed goes back to the queue at once.
 *
 * The decisions are pure functions with unit tests; this file only reads the queue and the clock and runs them.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../platform/database.ts';
import type { DatabaseClock } from '../../platform/database-clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Presence } from '../../platform/presence.ts';
import { createSleeper, type Sleeper } from '../../platform/sleeper.ts';
import type { CampaignLetters } from '../campaigns/letters.ts';
import { releaseDueEmails } from '../emails/release.ts';
import { isSuppressed } from '../suppressions/suppressions.ts';
import { claimDeliveries, isUrgent, untilNextDelivery } from './claim.ts';
import { mayBegin, planClaim } from './delivery-worker-state.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { keepOutcomes } from './keep-outcomes.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import { createReach, measureReach, noteBegun } from './reach.ts';
import { createSatchel, type Satchel } from './satchel.ts';
import type { LetterSealer } from './seal-letter.ts';
import type { Transport } from './transport.ts';

const UPKEEP_MS = 5_000;
/** A notification may get lost; nothing waits longer than this for it. */
const LONGEST_SLEEP_MS = 5_000;
const SHORTEST_SLEEP_MS = 10;
/** How soon to look again while a server is full or resting, or too much is claimed. */
const HELD_UP_SLEEP_MS = 250;
const AFTER_ERROR_MS = 500;

export interface CourierTools {
  db: Db;
  log: Log;
  presence: Presence;
  clock: DatabaseClock;
  sealer: LetterSealer;
  transport: Transport;
  letters: CampaignLetters;
}

export interface Courier {
  wake(): void;
  /** A campaign changed its status: what is claimed of one that is held now does not begin any more. */
  campaignChanged(campaignId: string, status: string): void;
  /** Notifications may have been missed. */
  reloadCampaigns(): void;
  /** Finishes what is in flight, gives back what was only claimed. */
  close(): Promise<void>;
}

export async function startCourier(tools: CourierTools): Promise<Courier> {
  const { db, log, presence, transport } = tools;
  const id = randomUUID();
  const sleeper = createSleeper();
  const satchel = createSatchel(db, id, tools.letters, sleeper.wake);
  const leases = createLeaseKeeper(db, presence, id);
  const sending = createSending(tools, satchel, leases, sleeper.wake);
  let isClosing = false;

  async function upkeep(): Promise<void> {
    try {
      sending.putBackIfLapsed();
      await leases.renew();
      await presence.show([id]);
      await satchel.reloadCampaigns();
      if (await leases.takeOverFromTheDead()) sleeper.wake();
    } catch (error) {
      if (!isClosing) log.warn({ err: error }, 'courier: upkeep');
    }
  }

  await presence.show([id]);
  await satchel.reloadCampaigns();
  void upkeep();
  const timer = setInterval(() => void upkeep(), UPKEEP_MS);
  const working = work({ db, log, id, transport, satchel, leases, sending, sleeper }, () => isClosing);
  return {
    wake: sleeper.wake,
    campaignChanged(campaignId, status) {
      satchel.campaignChanged(campaignId, status);
      sleeper.wake();
    },
    reloadCampaigns: () =>
      void satchel
        .reloadCampaigns()
        .catch((error: unknown) => log.warn({ err: error }, 'courier: held campaigns')),
    async close() {
      isClosing = true;
      const drained = sending.inFlight.drain();
      sleeper.wake();
      await working;
      await drained;
      clearInterval(timer);
      await leases.release();
      await transport.close();
    },
  };
}

/** Begins claimed deliveries as far as `mayBegin` and the transport let them. */
interface Sending {
  inFlight: InFlight;
  /** How many to claim ahead. */
  ahead(): number;
  putBackIfLapsed(): void;
  fill(): void;
}

function createSending(
  { db, log, clock, sealer, transport, letters }: CourierTools,
  satchel: Satchel,
  leases: LeaseKeeper,
  wake: () => void,
): Sending {
  let reach = createReach(performance.now());
  const inFlight = createInFlight({
    log,
    clock,
    attempt: {
      isSuppressed: ({ teamId, recipient }) => isSuppressed(db, teamId, recipient),
      letters,
      sealer,
      transport,
      isHeld: satchel.isHeld,
    },
    write: (batch) => keepOutcomes(db, log, batch),
    putBack: satchel.putBack,
    fill() {
      fill();
      if (satchel.size() < ahead() / 2) wake();
    },
  });

  function ahead(): number {
    reach = measureReach(reach, performance.now());
    return reach.ahead;
  }

  function putBackIfLapsed(): void {
    if (leases.haveLapsed()) inFlight.returned(satchel.putBackAll());
  }

  function fill(): void {
    putBackIfLapsed();
    for (;;) {
      const { urgent, bulk } = mayBegin(inFlight.state());
      if (!urgent) return;
      const closed = transport.closedTo({ isUrgent: false });
      const closedToUrgent = transport.closedTo({ isUrgent: true });
      if (closed === 'all' || closedToUrgent === 'all') return;
      const parcel = satchel.next((one) =>
        isUrgent(one)
          ? !closedToUrgent.includes(one.recipientDomain)
          : bulk && !closed.includes(one.recipientDomain),
      );
      if (!parcel) return;
      reach = noteBegun(reach);
      inFlight.begin(parcel);
    }
  }

  return { inFlight, ahead, putBackIfLapsed, fill };
}

interface WorkTools extends Pick<CourierTools, 'db' | 'log' | 'transport'> {
  id: string;
  satchel: Satchel;
  leases: LeaseKeeper;
  sending: Sending;
  sleeper: Sleeper;
}

/** The loop: release what was scheduled, claim what is due, begin what may begin, sleep until something is due. */
async function work(tools: WorkTools, isClosing: () => boolean): Promise<void> {
  const { log, sleeper } = tools;
  while (!isClosing()) {
    try {
      const sleepMs = await workOnce(tools);
      if (sleepMs > 0) await sleeper.sleep(sleepMs);
    } catch (error) {
      log.error({ err: error }, 'courier: the queue cannot be read');
      await sleeper.sleep(AFTER_ERROR_MS);
    }
  }
}

/** How long to sleep; 0 when more may be due now. */
async function workOnce({ db, id, transport, satchel, leases, sending }: WorkTools): Promise<number> {
  const { inFlight } = sending;
  if (leases.haveLapsed()) {
    sending.putBackIfLapsed();
    await leases.renew();
  }
  await satchel.sortOut();
  const { released, nextInMs } = await releaseDueEmails(db);
  const plan = planClaim(inFlight.state(), {
    ready: satchel.size(),
    readyUrgent: satchel.urgentSize(),
    ahead: sending.ahead(),
    closed: transport.closedTo({ isUrgent: false }),
    closedToUrgent: transport.closedTo({ isUrgent: true }),
  });
  const parcels = plan.count > 0 ? await claimDeliveries(db, id, plan.count, plan) : [];
  inFlight.claimed(parcels);
  satchel.add(parcels);
  await satchel.sortOut();
  sending.fill();
  if (released > 0 || (plan.count > 0 && parcels.length === plan.count)) return 0;
  if (plan.isHeldUp) return HELD_UP_SLEEP_MS;
  const nextDeliveryMs = satchel.size() > 0 ? null : await untilNextDelivery(db);
  const nextMs = Math.min(LONGEST_SLEEP_MS, nextInMs ?? Infinity, nextDeliveryMs ?? Infinity);
  // A due delivery may be locked by another worker just now.
  return Math.max(SHORTEST_SLEEP_MS, nextMs);
}
