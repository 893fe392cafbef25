/**
 * The deliveries that a worker has claimed and not begun (see claimed-state.ts for their stages). A campaign's delivery
 * gets its recipient just before it may go, and returns to the queue when its campaign is held.
 */
import type { LetterRecipient } from '../campaigns/compile-campaign.ts';
import type { CampaignLetters } from '../campaigns/letters.ts';
import type { Db } from '../../platform/database.ts';
import { findHeldCampaigns, returnParcels, type Parcel } from './claim.ts';
import * as claimed from './claimed-state.ts';
import { isOfCampaign, type ClaimedState, type ReadyParcel } from './claimed-state.ts';
import { noteCampaign, takeReadList, type HeldCampaigns } from './held-campaigns.ts';

export interface Satchel {
  /** How many are ready. */
  size(): number;
  /** How many of them are urgent. */
  urgentSize(): number;
  /** Takes out the first one that may go. */
  next(mayGo: (parcel: Parcel) => boolean): ReadyParcel | null;
  add(parcels: Parcel[]): void;
  /** Returns what must wait, and makes ready what was added. Called before anything more is claimed. */
  sortOut(): Promise<void>;
  putBack(parcel: Parcel): void;
  /** Everything that has not begun; a delivery that another worker has taken over by now stays there. */
  putBackAll(): Parcel[];
  isHeld(parcel: Parcel): boolean;
  /** A notification said that a campaign changed its status. */
  campaignChanged(campaignId: string, status: string): void;
  reloadCampaigns(): Promise<void>;
}

export function createSatchel(
  db: Db,
  courierId: string,
  letters: CampaignLetters,
  onSomethingToSort: () => void,
): Satchel {
  let state: ClaimedState = claimed.NOTHING_CLAIMED;

  function enter(next: ClaimedState): void {
    const hasMoreToReturn = next.returning.length > state.returning.length;
    state = next;
    if (hasMoreToReturn) onSomethingToSort();
  }

  /** Comes first: a delivery that is returned twice could have been claimed again in between, and lose that lease. */
  async function giveBack(): Promise<void> {
    const back = [...state.returning];
    if (back.length === 0) return;
    await returnParcels(db, courierId, back);
    enter(claimed.endReturn(state, back.length));
  }

  async function makeReady(): Promise<void> {
    const asked = state.added;
    if (asked.length === 0) return;
    const ofCampaigns = asked.filter(isOfCampaign);
    const going: Map<string, LetterRecipient> =
      ofCampaigns.length > 0 ? await letters.address(ofCampaigns) : new Map();
    enter(claimed.makeReady(state, asked, going));
  }

  async function endCompiling(parcel: Parcel, compiled: Promise<void>): Promise<void> {
    await compiled;
    enter(claimed.endCompiling(state, parcel));
    onSomethingToSort();
  }

  function hold(held: HeldCampaigns): void {
    enter(claimed.holdCampaigns(state, held));
  }

  return {
    size: () => state.ready.length,
    urgentSize: () => claimed.countUrgent(state),
    next(mayGo) {
      const [next, parcel] = claimed.takeNext(state, mayGo);
      enter(next);
      return parcel;
    },
    add(parcels) {
      const compiling = new Map<Parcel, Promise<void>>();
      for (const parcel of parcels) {
        const compiled = isOfCampaign(parcel) ? letters.prepare(parcel) : null;
        if (compiled) compiling.set(parcel, compiled);
      }
      enter(claimed.addClaimed(state, parcels, (parcel) => compiling.has(parcel)));
      for (const [parcel, compiled] of compiling) void endCompiling(parcel, compiled);
    },
    async sortOut() {
      await giveBack();
      await makeReady();
    },
    putBack: (parcel) => enter(claimed.putBack(state, parcel)),
    putBackAll() {
      const [next, all] = claimed.putBackAll(state);
      enter(next);
      return all;
    },
    isHeld: (parcel) => claimed.isHeld(state, parcel),
    campaignChanged: (campaignId, status) => hold(noteCampaign(state.held, campaignId, status)),
    async reloadCampaigns() {
      for (let read: HeldCampaigns | null = null; !read;) {
        const before = state.held;
        const found = await findHeldCampaigns(db);
        read = takeReadList(state.held, before, found);
        if (read) hold(read);
      }
    },
  };
}
