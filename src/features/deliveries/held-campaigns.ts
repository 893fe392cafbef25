/** The campaigns whose letters must wait, as far as this process has heard. */
export interface HeldCampaigns {
  has(campaignId: string): boolean;
  /** What a notification said. */
  note(campaignId: string, status: string): void;
  /** Looks anew; what is heard meanwhile is not overwritten by what was read before it. */
  reload(): Promise<void>;
}

const HELD = new Set(['SCHEDULED', 'PAUSED']);

export function createHeldCampaigns(find: () => Promise<string[]>): HeldCampaigns {
  let ids = new Set<string>();
  let notes = 0;
  return {
    has: (campaignId) => ids.has(campaignId),
    note(campaignId, status) {
      notes += 1;
      if (HELD.has(status)) ids.add(campaignId);
      else ids.delete(campaignId);
    },
    async reload() {
      for (;;) {
        const before = notes;
        const found = await find();
        if (before !== notes) continue;
        ids = new Set(found);
        return;
      }
    },
  };
}
