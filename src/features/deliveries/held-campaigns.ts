/** The campaigns whose deliveries must wait, as far as this process knows. Pure: the caller keeps the value. */
export interface HeldCampaigns {
  readonly ids: ReadonlySet<string>;
  /** How many notifications were noted: what was read before one of them is out of date. */
  readonly notes: number;
}

const HELD = new Set(['SCHEDULED', 'PAUSED']);

export const NO_HELD_CAMPAIGNS: HeldCampaigns = { ids: new Set(), notes: 0 };

/** A notification said that a campaign changed its status. */
export function noteCampaign(
  { ids, notes }: HeldCampaigns,
  campaignId: string,
  status: string,
): HeldCampaigns {
  const next = new Set(ids);
  if (HELD.has(status)) next.add(campaignId);
  else next.delete(campaignId);
  return { ids: next, notes: notes + 1 };
}

/** Null when a notification came since `before`: the list may be older than it, and has to be read again. */
export function takeReadList(
  held: HeldCampaigns,
  before: HeldCampaigns,
  found: readonly string[],
): HeldCampaigns | null {
  return held.notes === before.notes ? { ids: new Set(found), notes: held.notes } : null;
}
