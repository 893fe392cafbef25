/**
 * What a courier has claimed and not begun. Letters of campaigns pass through it with care: each gets the person it is
 * for before it may go, and goes back into the queue when its campaign must wait.
 */
import type { LetterRecipient } from '../campaigns/compile-campaign.ts';
import type { CampaignLetters } from '../campaigns/letters.ts';
import type { Db } from '../../platform/database.ts';
import { findHeldCampaigns, isUrgent, returnParcels, type Parcel } from './claim.ts';
import { createHeldCampaigns } from './held-campaigns.ts';

/** Ready for the wire; of a campaign, with the person it is for. */
export interface ReadyParcel extends Parcel {
  recipientOf: LetterRecipient | null;
}

export interface Satchel {
  /** How many are ready. */
  size(): number;
  /** How many of them are urgent. */
  urgentSize(): number;
  /** The next one that may go. */
  next(mayGo: (parcel: Parcel) => boolean): ReadyParcel | undefined;
  add(parcels: Parcel[]): void;
  /** Gives back what must wait, and makes ready what was added. Called before anything more is claimed. */
  sortOut(): Promise<void>;
  putBack(parcel: Parcel): void;
  /** All that has not begun; what somebody else has by now stays with him. */
  putBackAll(): Parcel[];
  isHeld(parcel: Parcel): boolean;
  /** What was heard of a campaign. */
  campaignChanged(campaignId: string, status: string): void;
  reloadCampaigns(): Promise<void>;
}

export function createSatchel(
  db: Db,
  courierId: string,
  letters: CampaignLetters,
  onSomethingToSort: () => void,
): Satchel {
  const held = createHeldCampaigns(() => findHeldCampaigns(db));
  let added: Parcel[] = [];
  /** Of campaigns whose letter is being compiled, which may take long: the others pass them. */
  const compiling = new Set<Parcel>();
  let ready: ReadyParcel[] = [];
  /** Still leased to us. */
  let returning: Parcel[] = [];

  function isHeld({ campaignId }: Parcel): boolean {
    return campaignId !== null && held.has(campaignId);
  }

  function putAside(): void {
    if (!ready.some(isHeld)) return;
    returning.push(...ready.filter(isHeld));
    ready = ready.filter((parcel) => !isHeld(parcel));
    onSomethingToSort();
  }

  /** What is given back twice could have been claimed again in between, and would lose its lease: so first of all. */
  async function giveBack(): Promise<void> {
    if (returning.length === 0) return;
    // Others may come while these are on their way.
    const back = [...returning];
    await returnParcels(db, courierId, back);
    returning = returning.slice(back.length);
  }

  async function addCompiled(parcel: Parcel, compiled: Promise<void>): Promise<void> {
    compiling.add(parcel);
    await compiled;
    // It may have been put back meanwhile.
    if (!compiling.delete(parcel)) return;
    added.push(parcel);
    onSomethingToSort();
  }

  async function makeReady(): Promise<void> {
    if (added.length === 0) return;
    // Others may come while these are asked about.
    const asked = new Set(added);
    const ofCampaigns = added.filter(isOfCampaign);
    const going = ofCampaigns.length > 0 ? await letters.address(ofCampaigns) : new Map();
    for (const parcel of added.filter((one) => asked.has(one))) {
      const recipientOf: LetterRecipient | null = going.get(parcel.emailId) ?? null;
      if (recipientOf || !isOfCampaign(parcel)) ready.push({ ...parcel, recipientOf });
    }
    added = added.filter((parcel) => !asked.has(parcel));
    // What comes later and is more urgent passes those that have not begun.
    ready.sort((a, b) => a.priority - b.priority);
    putAside();
  }

  return {
    size: () => ready.length,
    urgentSize: () => ready.filter(isUrgent).length,
    next(mayGo) {
      const at = ready.findIndex(mayGo);
      return at < 0 ? undefined : ready.splice(at, 1)[0];
    },
    add(parcels) {
      for (const parcel of parcels) {
        const compiled = isOfCampaign(parcel) ? letters.prepare(parcel) : null;
        if (compiled) void addCompiled(parcel, compiled);
        else added.push(parcel);
      }
    },
    async sortOut() {
      await giveBack();
      await makeReady();
    },
    putBack(parcel) {
      returning.push(parcel);
      onSomethingToSort();
    },
    putBackAll() {
      const all = [...ready, ...added, ...compiling];
      ready = [];
      added = [];
      compiling.clear();
      returning.push(...all);
      if (all.length > 0) onSomethingToSort();
      return all;
    },
    isHeld,
    campaignChanged(campaignId, status) {
      held.note(campaignId, status);
      putAside();
    },
    async reloadCampaigns() {
      await held.reload();
      putAside();
    },
  };
}

export function isOfCampaign<Some extends Parcel>(parcel: Some): parcel is Some & { campaignId: string } {
  return parcel.campaignId !== null;
}
