import { isHeldStatus } from '../campaigns/held.ts';

/** The campaigns whose deliveries must wait, as far as this process knows. The caller keeps the value. */
export interface HeldCampaigns {
  readonly ids: ReadonlySet<string>;
  /** Number of notifications seen. A list that was read before the latest notification is out of date. */
  readonly notifications: number;
}

export const NO_HELD_CAMPAIGNS: HeldCampaigns = { ids: new Set(), notifications: 0 };

/** Applies a notification that a campaign changed its status. */
export function setCampaignStatus(
  { ids, notifications }: HeldCampaigns,
  campaignId: string,
  status: string,
): HeldCampaigns {
  const next = new Set(ids);
  if (isHeldStatus(status)) next.add(campaignId);
  else next.delete(campaignId);
  return { ids: next, notifications: notifications + 1 };
}

/** Returns null when a notification arrived after `before`; the caller must then read the list again. */
export function replaceHeldCampaigns(
  held: HeldCampaigns,
  before: HeldCampaigns,
  found: readonly string[],
): HeldCampaigns | null {
  return held.notifications === before.notifications
    ? { ids: new Set(found), notifications: held.notifications }
    : null;
}
