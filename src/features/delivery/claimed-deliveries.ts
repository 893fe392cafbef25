/**
 * Holds the deliveries that a worker has claimed and not started (claimed-state.ts describes their stages). The
 * recipient of a campaign delivery is looked up just before the delivery becomes ready. A delivery of a held
 * campaign returns to the queue.
 */
import type { CampaignRecipient } from '../campaigns/compile-campaign.ts';
import type { CampaignRenderer } from '../campaigns/campaign-renderer.ts';
import type { Db } from '../../platform/database/database.ts';
import type { CampaignBatches } from './campaign-batches.ts';
import { findHeldCampaigns, returnDeliveries, type ClaimedDelivery } from './claim.ts';
import * as claimed from './claimed-state.ts';
import { isOfCampaign, type ClaimedState, type ReadyDelivery } from './claimed-state.ts';
import { setCampaignStatus, replaceHeldCampaigns, type HeldCampaigns } from './held-campaigns.ts';

export interface ClaimedDeliveries {
  /** Number of ready deliveries. */
  size(): number;
  /** Number of ready deliveries that are urgent. */
  urgentSize(): number;
  /** Removes and returns the first ready delivery that `mayGo` accepts. */
  next(mayGo: (delivery: ClaimedDelivery) => boolean): ReadyDelivery | null;
  add(deliveries: ClaimedDelivery[]): void;
  /** Returns deliveries to the queue and makes added ones ready. Call this before claiming more. */
  advance(): Promise<void>;
  putBack(delivery: ClaimedDelivery): void;
  /** Puts everything that has not started back into the queue, except deliveries that another worker has claimed. */
  putBackAll(): ClaimedDelivery[];
  /** Puts the ready deliveries for which `isTaken` is true back into the queue. */
  putBackTaken(isTaken: (delivery: ClaimedDelivery) => boolean): ClaimedDelivery[];
  isHeld(delivery: Pick<ClaimedDelivery, 'campaignId'>): boolean;
  /** Lists everything that this worker has claimed and not started. */
  list(): ClaimedDelivery[];
  campaignChanged(campaignId: string, status: string): void;
  reloadCampaigns(): Promise<void>;
}

export function createClaimedDeliveries(
  db: Db,
  workerId: string,
  { renderer, batches }: { renderer: CampaignRenderer; batches: Pick<CampaignBatches, 'putBack'> },
  onPendingWork: () => void,
): ClaimedDeliveries {
  let state: ClaimedState = claimed.NOTHING_CLAIMED;

  function enter(next: ClaimedState): void {
    const hasMoreToReturn = next.returning.length > state.returning.length;
    state = next;
    if (hasMoreToReturn) onPendingWork();
  }

  /** Runs before more is claimed. Returning a delivery twice could drop a lease that was claimed in between. */
  async function returnToQueue(): Promise<void> {
    const back = [...state.returning];
    if (back.length === 0) return;
    await returnDeliveries(db, workerId, back);
    batches.putBack(back);
    enter(claimed.endReturn(state, back.length));
  }

  async function makeReady(): Promise<void> {
    const added = state.added;
    if (added.length === 0) return;
    const ofCampaigns = added.filter(isOfCampaign).filter(({ fromBatch }) => !fromBatch);
    const recipients: Map<string, CampaignRecipient> =
      ofCampaigns.length > 0 ? await renderer.address(ofCampaigns) : new Map();
    enter(claimed.makeReady(state, added, recipients));
  }

  async function endCompiling(delivery: ClaimedDelivery, compiled: Promise<void>): Promise<void> {
    await compiled;
    enter(claimed.endCompiling(state, delivery));
    onPendingWork();
  }

  function hold(held: HeldCampaigns): void {
    enter(claimed.holdCampaigns(state, held));
  }

  return {
    size: () => state.ready.length,
    urgentSize: () => claimed.countUrgent(state),
    next(mayGo) {
      const [next, delivery] = claimed.takeNext(state, mayGo);
      enter(next);
      return delivery;
    },
    add(deliveries) {
      const compiling = new Map<ClaimedDelivery, Promise<void>>();
      for (const delivery of deliveries) {
        const compiled = isOfCampaign(delivery) ? renderer.prepare(delivery) : null;
        if (compiled) compiling.set(delivery, compiled);
      }
      enter(claimed.addClaimed(state, deliveries, (delivery) => compiling.has(delivery)));
      for (const [delivery, compiled] of compiling) void endCompiling(delivery, compiled);
    },
    async advance() {
      await returnToQueue();
      await makeReady();
    },
    putBack: (delivery) => enter(claimed.putBack(state, delivery)),
    putBackAll() {
      const [next, all] = claimed.putBackAll(state);
      enter(next);
      return all;
    },
    putBackTaken(isTaken) {
      const [next, back] = claimed.putBackTaken(state, isTaken);
      enter(next);
      return back;
    },
    isHeld: (delivery) => claimed.isHeld(state, delivery),
    list: () => [...state.added, ...state.compiling, ...state.ready, ...state.returning],
    campaignChanged: (campaignId, status) => hold(setCampaignStatus(state.held, campaignId, status)),
    reloadCampaigns: () => reloadHeldCampaigns(db, () => state.held, hold),
  };
}

/** Reads the list again if a notification arrives in the meantime, because the list may not include that change. */
async function reloadHeldCampaigns(
  db: Db,
  current: () => HeldCampaigns,
  hold: (held: HeldCampaigns) => void,
): Promise<void> {
  for (let read: HeldCampaigns | null = null; !read;) {
    const before = current();
    const found = await findHeldCampaigns(db);
    read = replaceHeldCampaigns(current(), before, found);
    if (read) hold(read);
  }
}
