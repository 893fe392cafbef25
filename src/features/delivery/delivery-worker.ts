/**
 * The delivery worker claims due deliveries, sends them and records the outcome of each.
 * - Duplicates: a process has at most 50 deliveries in flight, from the first byte sent to the commit of the
 *   outcome (`delivery-worker-state.ts`). After a `kill -9` only these can be sent again, with the same
 *   Message-ID. Recording an outcome is retried until the database accepts it (`write-outcomes.ts`).
 * - Leases (platform/due/due.ts): the worker claims more than it has in flight, so that sending does not wait for the
 *   database. A worker that stalls for longer than its lease puts back everything that has not started.
 * - Order: urgent mail is claimed and started first. 10 of the 50 slots in flight are reserved for it.
 * - Shutdown: attempts in flight are finished. Deliveries that are only claimed return to the queue immediately.
 * The decisions are pure functions with unit tests. This file reads the queue and the clock and applies them.
 */
import type { Db } from '../../platform/database/database.ts';
import type { DatabaseClock } from '../../platform/database/database-clock.ts';
import type { Log } from '../../platform/log.ts';
import { now, type Tracer } from '../../platform/telemetry/tracing.ts';
import { freeLeases } from '../../platform/due/due.ts';
import type { LeaseHolder } from '../../platform/due/lease-holder.ts';
import { runUntilClosed } from '../../platform/concurrency/work-loop.ts';
import { createWakeableTimer } from '../../platform/concurrency/wakeable-timer.ts';
import type { CampaignRenderer } from '../campaigns/campaign-renderer.ts';
import { BATCH_LEASES, giveBackAllBatches } from '../campaigns/running/lease-batches.ts';
import { releaseDueEmails } from '../sending/emails/release.ts';
import { isSuppressed } from '../sending/suppressions/suppressions.ts';
import { claimDeliveries, DELIVERY_LEASES, isUrgent, toLeaseKey, untilNextDelivery } from './claim.ts';
import { mayBegin, planClaim } from './delivery-worker-state.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { writeOutcomes } from './write-outcomes.ts';
import { createCrowdedDestinations, type CrowdedDestinations } from './crowded-destinations.ts';
import { createClaimWindow, measureClaimWindow, noteBegun } from './claim-window.ts';
import { createCampaignBatches, type CampaignBatches } from './campaign-batches.ts';
import { createClaimedDeliveries, type ClaimedDeliveries } from './claimed-deliveries.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import type { DeliverySigner } from './sign-delivery.ts';
import { traceClaim } from './trace-deliveries.ts';
import type { Transport } from './transports/transport.ts';

/** In case a notification is lost. */
const RELOAD_CAMPAIGNS_MS = 5_000;
/** Limits the delay when a notification is lost. */
const LONGEST_SLEEP_MS = 5_000;
const SHORTEST_SLEEP_MS = 10;
/** Polling interval while a server is full or backing off, or the claimed messages use too much memory. */
const HELD_UP_SLEEP_MS = 250;
const AFTER_ERROR = { firstMs: 500, longestMs: 5_000 };

export interface DeliveryWorkerTools {
  db: Db;
  log: Log;
  /** One line for each attempt. */
  mailLog: Log;
  metrics: DeliveryMetrics;
  leases: LeaseHolder;
  clock: DatabaseClock;
  /** The worker claims nothing while its claimed messages exceed this size. */
  claimedBytes: number;
  /** Resolves to true while nothing may be claimed. */
  mustWait(): Promise<boolean>;
  signer: DeliverySigner;
  transport: Transport;
  renderer: CampaignRenderer;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  /** Called when a batch of a campaign is finished. It may have been the last one. */
  onBatchFinished(): void;
  /** False while nothing new should be sent for campaigns. */
  mayLeaseBatches(): Promise<boolean>;
}

export interface DeliveryWorker {
  wake(): void;
  /** Stops claimed deliveries of a campaign that is now held from starting. */
  campaignChanged(campaignId: string, status: string): void;
  /** Call this when notifications may have been missed. */
  reloadCampaigns(): void;
  /** Finishes attempts in flight and returns claimed deliveries to the queue. */
  close(): Promise<void>;
}

export async function startDeliveryWorker(tools: DeliveryWorkerTools): Promise<DeliveryWorker> {
  const { db, log, leases, transport, tracer } = tools;
  const { id } = leases;
  const timer = createWakeableTimer();
  const batches = createCampaignBatches({
    db,
    log,
    workerId: id,
    isHeld: (campaignId) => claimed.isHeld({ campaignId }),
    onFinished: tools.onBatchFinished,
  });
  const claimed = createClaimedDeliveries(db, id, { renderer: tools.renderer, batches }, timer.wake);
  const sending = createSending(tools, { claimed, batches }, timer.wake);
  let isClosing = false;

  const endHold = holdLeases(leases, { claimed, batches, sending }, timer.wake);
  await claimed.reloadCampaigns();
  const reloadCampaigns = () =>
    void claimed.reloadCampaigns().catch((error: unknown) => {
      if (!isClosing) log.warn({ err: error }, 'delivery worker: held campaigns cannot be read');
    });
  const reloading = setInterval(reloadCampaigns, RELOAD_CAMPAIGNS_MS);
  const own = { id, claimed, batches, leases, sending, crowded: createCrowdedDestinations(db, log) };
  const { claimedBytes, mustWait, mayLeaseBatches } = tools;
  const shared = { db, log, tracer, claimedBytes, mustWait, mayLeaseBatches, transport, ...own };
  const working = runUntilClosed(() => workOnce(shared), {
    timer,
    isClosing: () => isClosing,
    afterError: AFTER_ERROR,
    onFailure: (failure) => log.error(failure, 'delivery worker: the queue cannot be read'),
  });
  return {
    wake: timer.wake,
    campaignChanged(campaignId, status) {
      claimed.campaignChanged(campaignId, status);
      timer.wake();
    },
    reloadCampaigns,
    async close() {
      isClosing = true;
      const drained = sending.inFlight.drain();
      timer.wake();
      await working;
      await drained;
      clearInterval(reloading);
      await own.crowded.close();
      endHold();
      // A running renewal locks rows, and freeing skips locked rows.
      await leases.waitForRenewal();
      await freeLeases(db, DELIVERY_LEASES, [id]);
      await giveBackAllBatches(db, id);
      await transport.close();
    },
  };
}

/** Deliveries of batches are not in the queue: the lease of their batch covers them. */
function holdLeases(
  leases: LeaseHolder,
  { claimed, batches, sending }: { claimed: ClaimedDeliveries; batches: CampaignBatches; sending: Sending },
  wake: () => void,
): () => void {
  const ends = [
    leases.hold({
      table: DELIVERY_LEASES,
      listKnown: () =>
        [...claimed.list(), ...sending.inFlight.list()].filter(({ fromBatch }) => !fromBatch).map(toLeaseKey),
      onLapse: sending.putBackIfLapsed,
      onFreed: wake,
    }),
    leases.hold({
      table: BATCH_LEASES,
      listKnown: () =>
        batches
          .listLeased()
          .map(({ teamId, campaignId, no }) => ({ team_id: teamId, campaign_id: campaignId, no })),
      onRenewed: batches.giveUpClosed,
      onFreed: wake,
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Starts claimed deliveries as far as `mayBegin` and the transport allow. */
interface Sending {
  inFlight: InFlight;
  /** Number of deliveries to claim ahead. */
  ahead(): number;
  putBackIfLapsed(): void;
  fill(): void;
}

function createSending(
  { db, log, mailLog, metrics, tracer, clock, leases, signer, transport, renderer }: DeliveryWorkerTools,
  { claimed, batches }: { claimed: ClaimedDeliveries; batches: CampaignBatches },
  wake: () => void,
): Sending {
  let claimWindow = createClaimWindow(performance.now());
  const inFlight = createInFlight({
    log,
    mailLog,
    metrics,
    tracer,
    clock,
    attempt: {
      isSuppressed: ({ teamId, recipient }) => isSuppressed(db, teamId, recipient),
      renderer,
      signer,
      transport,
      isHeld: claimed.isHeld,
    },
    async write(batch) {
      await writeOutcomes(db, log, batch);
      batches.finish(batch.map(({ delivery }) => delivery));
    },
    putBack: claimed.putBack,
    fill() {
      fill();
      if (claimed.size() < ahead() / 2) wake();
    },
  });

  function ahead(): number {
    claimWindow = measureClaimWindow(claimWindow, performance.now());
    return claimWindow.ahead;
  }

  function putBackIfLapsed(): void {
    if (!leases.haveLapsed()) return;
    inFlight.returned(claimed.putBackAll());
    batches.giveUpAll();
  }

  /** Returns deliveries that other processes can send and this one cannot. */
  function putBackTaken(): void {
    const taken = transport.takenElsewhere?.({ isUrgent: false }) ?? [];
    const takenFromUrgent = transport.takenElsewhere?.({ isUrgent: true }) ?? [];
    if (taken.length + takenFromUrgent.length === 0) return;
    const back = claimed.putBackTaken((delivery) =>
      (isUrgent(delivery) ? takenFromUrgent : taken).includes(delivery.recipientDomain),
    );
    inFlight.returned(back);
  }

  function fill(): void {
    putBackIfLapsed();
    putBackTaken();
    for (;;) {
      const { urgent, bulk } = mayBegin(inFlight.state());
      if (!urgent) return;
      const unavailable = transport.unavailableTo({ isUrgent: false });
      const unavailableToUrgent = transport.unavailableTo({ isUrgent: true });
      if (unavailable === 'all' || unavailableToUrgent === 'all') return;
      const delivery = claimed.next((candidate) =>
        isUrgent(candidate)
          ? !unavailableToUrgent.includes(candidate.recipientDomain)
          : bulk && !unavailable.includes(candidate.recipientDomain),
      );
      if (!delivery) return;
      claimWindow = noteBegun(claimWindow);
      inFlight.begin(delivery);
    }
  }

  return { inFlight, ahead, putBackIfLapsed, fill };
}

interface WorkTools extends Pick<
  DeliveryWorkerTools,
  'db' | 'log' | 'tracer' | 'claimedBytes' | 'transport' | 'mustWait' | 'mayLeaseBatches'
> {
  id: string;
  claimed: ClaimedDeliveries;
  batches: CampaignBatches;
  leases: LeaseHolder;
  sending: Sending;
  crowded: CrowdedDestinations;
}

/**
 * One round: release scheduled emails, claim due deliveries and start attempts. Returns how long to sleep in milliseconds,
 * or 0 when more may be due now.
 */
async function workOnce(tools: WorkTools): Promise<number> {
  const { db, log, tracer, id, claimedBytes, transport, claimed, batches, leases, sending, crowded } = tools;
  const { inFlight } = sending;
  if (await tools.mustWait()) return LONGEST_SLEEP_MS;
  if (leases.haveLapsed()) {
    sending.putBackIfLapsed();
    await leases.renew();
  }
  await claimed.advance();
  await batches.settle();
  const { released, nextInMs } = await releaseDueEmails(db);
  const plan = planClaim(inFlight.state(), {
    ready: claimed.size(),
    readyUrgent: claimed.urgentSize(),
    ahead: sending.ahead(),
    mostBytes: claimedBytes,
    unavailable: transport.unavailableTo({ isUrgent: false }),
    unavailableToUrgent: transport.unavailableTo({ isUrgent: true }),
  });
  const begunAtMs = performance.now();
  const startedAt = tracer ? now() : 0;
  const deliveries =
    plan.count > 0 ? await leases.claim(() => claimDeliveries(db, id, plan.count, plan)) : [];
  if (tracer) await traceClaim({ db, log, tracer }, deliveries, { startedAt, endedAt: now() });
  const claimMs = performance.now() - begunAtMs;
  const space = plan.urgentOnly ? 0 : plan.count - deliveries.length;
  const ofBatches =
    space > 0 && (await tools.mayLeaseBatches())
      ? await leases.claim(() => batches.take(space, plan.except))
      : [];
  inFlight.claimed(deliveries);
  claimed.add([...deliveries, ...ofBatches]);
  await claimed.advance();
  sending.fill();
  crowded.update(plan, claimMs);
  const count = deliveries.length + ofBatches.length;
  if (released > 0 || (plan.count > 0 && count >= plan.count)) return 0;
  if (plan.isHeldUp || batches.areWaiting()) return HELD_UP_SLEEP_MS;
  const nextDeliveryMs = claimed.size() > 0 ? null : await untilNextDelivery(db);
  const nextMs = Math.min(
    LONGEST_SLEEP_MS,
    nextInMs ?? Infinity,
    nextDeliveryMs ?? Infinity,
    crowded.againInMs(),
  );
  // Another worker may hold the lock on a due delivery, so never poll faster than this.
  return Math.max(SHORTEST_SLEEP_MS, nextMs);
}
