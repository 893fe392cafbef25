/**
 * The claimed deliveries that have not begun, as a value. Pure: satchel.ts keeps it and runs what follows from it.
 *
 *   claimed → (its campaign is being compiled → ) added → its recipient is looked up → ready → begun, leaves
 *   returning: goes back to the queue, because its campaign is held or the lease may have lapsed
 */
import type { LetterRecipient } from '../campaigns/compile-campaign.ts';
import { isUrgent, type Parcel } from './claim.ts';
import { NO_HELD_CAMPAIGNS, type HeldCampaigns } from './held-campaigns.ts';

/** Ready to be sent; a campaign's delivery with the contact it is for. */
export interface ReadyParcel extends Parcel {
  recipientOf: LetterRecipient | null;
}

export interface ClaimedState {
  readonly added: readonly Parcel[];
  /** Of campaigns whose message is being compiled, which may take long: the others pass them. */
  readonly compiling: ReadonlySet<Parcel>;
  /** By priority, the most urgent first. */
  readonly ready: readonly ReadyParcel[];
  /** Still leased to this worker, until the database has them back. */
  readonly returning: readonly Parcel[];
  readonly held: HeldCampaigns;
}

export const NOTHING_CLAIMED: ClaimedState = {
  added: [],
  compiling: new Set(),
  ready: [],
  returning: [],
  held: NO_HELD_CAMPAIGNS,
};

export function isOfCampaign<Some extends Parcel>(parcel: Some): parcel is Some & { campaignId: string } {
  return parcel.campaignId !== null;
}

export function isHeld({ held }: ClaimedState, { campaignId }: Parcel): boolean {
  return campaignId !== null && held.ids.has(campaignId);
}

export function countUrgent({ ready }: ClaimedState): number {
  return ready.filter(isUrgent).length;
}

export function addClaimed(
  state: ClaimedState,
  parcels: readonly Parcel[],
  isCompiling: (parcel: Parcel) => boolean,
): ClaimedState {
  return {
    ...state,
    added: [...state.added, ...parcels.filter((parcel) => !isCompiling(parcel))],
    compiling: new Set([...state.compiling, ...parcels.filter(isCompiling)]),
  };
}

/** Changes nothing when the delivery was put back meanwhile. */
export function endCompiling(state: ClaimedState, parcel: Parcel): ClaimedState {
  if (!state.compiling.has(parcel)) return state;
  const compiling = new Set(state.compiling);
  compiling.delete(parcel);
  return { ...state, added: [...state.added, parcel], compiling };
}

/**
 * The recipients of the campaign deliveries in `asked` were looked up; those without one are not to be sent, and have
 * left the queue. Deliveries that were put back while the lookup ran stay where they are.
 */
export function makeReady(
  state: ClaimedState,
  asked: readonly Parcel[],
  recipients: ReadonlyMap<string, LetterRecipient>,
): ClaimedState {
  const isAsked = new Set(asked);
  const ready: ReadyParcel[] = [...state.ready];
  for (const parcel of state.added) {
    if (!isAsked.has(parcel)) continue;
    const recipientOf = recipients.get(parcel.emailId) ?? null;
    if (recipientOf || !isOfCampaign(parcel)) ready.push({ ...parcel, recipientOf });
  }
  // Urgent mail that was claimed later passes what has not begun.
  ready.sort((a, b) => a.priority - b.priority);
  return returnHeld({ ...state, ready, added: state.added.filter((parcel) => !isAsked.has(parcel)) });
}

export function takeNext(
  state: ClaimedState,
  mayGo: (parcel: Parcel) => boolean,
): [ClaimedState, ReadyParcel | null] {
  const at = state.ready.findIndex(mayGo);
  if (at < 0) return [state, null];
  return [{ ...state, ready: state.ready.toSpliced(at, 1) }, state.ready[at]!];
}

export function putBack(state: ClaimedState, parcel: Parcel): ClaimedState {
  return { ...state, returning: [...state.returning, parcel] };
}

/** Everything that has not begun. */
export function putBackAll(state: ClaimedState): [ClaimedState, Parcel[]] {
  const all = [...state.ready, ...state.added, ...state.compiling];
  const { held } = state;
  return [{ ...NOTHING_CLAIMED, held, returning: [...state.returning, ...all] }, all];
}

/** The first `count` of those that were returning are in the queue again. */
export function endReturn(state: ClaimedState, count: number): ClaimedState {
  return { ...state, returning: state.returning.slice(count) };
}

export function holdCampaigns(state: ClaimedState, held: HeldCampaigns): ClaimedState {
  return returnHeld({ ...state, held });
}

function returnHeld(state: ClaimedState): ClaimedState {
  const back = state.ready.filter((parcel) => isHeld(state, parcel));
  if (back.length === 0) return state;
  const ready = state.ready.filter((parcel) => !isHeld(state, parcel));
  return { ...state, ready, returning: [...state.returning, ...back] };
}
