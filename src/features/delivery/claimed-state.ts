/**
 * The claimed deliveries that have not started, as an immutable value. claimed-deliveries.ts keeps the value
 * and does the work that follows from it.
 *   claimed → (its campaign is compiled →) added → its recipient is looked up → ready → started, removed
 *   returning: goes back to the queue, because its campaign is held or its lease may have expired
 */
import type { CampaignRecipient } from '../campaigns/compile-campaign.ts';
import { isUrgent, type ClaimedDelivery } from './claim.ts';
import { NO_HELD_CAMPAIGNS, type HeldCampaigns } from './held-campaigns.ts';

/** Ready to be sent. A campaign delivery also has the contact that it is for. */
export interface ReadyDelivery extends ClaimedDelivery {
  recipientOf: CampaignRecipient | null;
}

export interface ClaimedState {
  readonly added: readonly ClaimedDelivery[];
  /** Deliveries whose campaign is being compiled. Compiling may be slow, so other deliveries overtake them. */
  readonly compiling: ReadonlySet<ClaimedDelivery>;
  /** Sorted by priority, most urgent first. */
  readonly ready: readonly ReadyDelivery[];
  /** Leased to this worker until the database confirms the return. */
  readonly returning: readonly ClaimedDelivery[];
  readonly held: HeldCampaigns;
}

export const NOTHING_CLAIMED: ClaimedState = {
  added: [],
  compiling: new Set(),
  ready: [],
  returning: [],
  held: NO_HELD_CAMPAIGNS,
};

export function isOfCampaign<Some extends ClaimedDelivery>(
  delivery: Some,
): delivery is Some & { campaignId: string } {
  return delivery.campaignId !== null;
}

export function isHeld({ held }: ClaimedState, { campaignId }: Pick<ClaimedDelivery, 'campaignId'>): boolean {
  return campaignId !== null && held.ids.has(campaignId);
}

export function countUrgent({ ready }: ClaimedState): number {
  return ready.filter(isUrgent).length;
}

export function addClaimed(
  state: ClaimedState,
  deliveries: readonly ClaimedDelivery[],
  isCompiling: (delivery: ClaimedDelivery) => boolean,
): ClaimedState {
  return {
    ...state,
    added: [...state.added, ...deliveries.filter((delivery) => !isCompiling(delivery))],
    compiling: new Set([...state.compiling, ...deliveries.filter(isCompiling)]),
  };
}

/** Does nothing if the delivery was put back in the meantime. */
export function endCompiling(state: ClaimedState, delivery: ClaimedDelivery): ClaimedState {
  if (!state.compiling.has(delivery)) return state;
  const compiling = new Set(state.compiling);
  compiling.delete(delivery);
  return { ...state, added: [...state.added, delivery], compiling };
}

/**
 * Moves the deliveries of `lookedUp` to `ready` once their recipients are known. A campaign delivery without a
 * recipient must not be sent; the lookup has removed it from the queue. Deliveries that were put back during
 * the lookup are skipped.
 */
export function makeReady(
  state: ClaimedState,
  lookedUp: readonly ClaimedDelivery[],
  recipients: ReadonlyMap<string, CampaignRecipient>,
): ClaimedState {
  const isLookedUp = new Set(lookedUp);
  const ready: ReadyDelivery[] = [...state.ready];
  for (const delivery of state.added) {
    if (!isLookedUp.has(delivery)) continue;
    const recipientOf = delivery.fromBatch?.recipient ?? recipients.get(delivery.emailId) ?? null;
    if (recipientOf || !isOfCampaign(delivery)) ready.push({ ...delivery, recipientOf });
  }
  // Urgent mail that was claimed later overtakes deliveries that have not started.
  ready.sort((a, b) => a.priority - b.priority);
  return returnHeld({ ...state, ready, added: state.added.filter((delivery) => !isLookedUp.has(delivery)) });
}

export function takeNext(
  state: ClaimedState,
  mayGo: (delivery: ClaimedDelivery) => boolean,
): [ClaimedState, ReadyDelivery | null] {
  const at = state.ready.findIndex(mayGo);
  if (at < 0) return [state, null];
  return [{ ...state, ready: state.ready.toSpliced(at, 1) }, state.ready[at]!];
}

export function putBack(state: ClaimedState, delivery: ClaimedDelivery): ClaimedState {
  return { ...state, returning: [...state.returning, delivery] };
}

/** Puts everything that has not started back into the queue. */
export function putBackAll(state: ClaimedState): [ClaimedState, ClaimedDelivery[]] {
  const all = [...state.ready, ...state.added, ...state.compiling];
  const { held } = state;
  return [{ ...NOTHING_CLAIMED, held, returning: [...state.returning, ...all] }, all];
}

/** Puts the ready deliveries for which `isTaken` is true back into the queue. */
export function putBackTaken(
  state: ClaimedState,
  isTaken: (delivery: ClaimedDelivery) => boolean,
): [ClaimedState, ClaimedDelivery[]] {
  const back = state.ready.filter(isTaken);
  if (back.length === 0) return [state, []];
  const ready = state.ready.filter((delivery) => !isTaken(delivery));
  return [{ ...state, ready, returning: [...state.returning, ...back] }, back];
}

/** The first `count` returning deliveries are back in the queue. */
export function endReturn(state: ClaimedState, count: number): ClaimedState {
  return { ...state, returning: state.returning.slice(count) };
}

export function holdCampaigns(state: ClaimedState, held: HeldCampaigns): ClaimedState {
  return returnHeld({ ...state, held });
}

function returnHeld(state: ClaimedState): ClaimedState {
  const back = state.ready.filter((delivery) => isHeld(state, delivery));
  if (back.length === 0) return state;
  const ready = state.ready.filter((delivery) => !isHeld(state, delivery));
  return { ...state, ready, returning: [...state.returning, ...back] };
}
