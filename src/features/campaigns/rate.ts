/** How many may go in a minute: what was not used is not saved up, so that a pause is not followed by a burst. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';

interface Limited {
  teamId: number;
  id: string;
  ratePerMinute: number | null;
  /** Up to when what the rate allows was used; null at the start and after a pause. */
  rateUsedTo: Date | null;
}

/** What can come together at most, in the time it takes the rate to allow it. */
const BURST_MS = 1_000;
const MINUTE_MS = 60_000;

export function allowedByRate(campaign: Limited, now: Date): number {
  if (campaign.ratePerMinute === null) return Infinity;
  return Math.floor((now.getTime() - usedTo(campaign, now)) / msForOne(campaign.ratePerMinute) + 1e-6);
}

export async function useRate(trx: Db, campaign: Limited, count: number, now: Date): Promise<void> {
  if (campaign.ratePerMinute === null || count === 0) return;
  const used = new Date(usedTo(campaign, now) + count * msForOne(campaign.ratePerMinute));
  await sql`
    update campaigns set rate_used_to = ${used} where team_id = ${campaign.teamId} and id = ${campaign.id}
  `.execute(trx);
}

/** The first one goes at once. */
function usedTo({ ratePerMinute, rateUsedTo }: Limited, now: Date): number {
  const one = msForOne(ratePerMinute!);
  const oldest = now.getTime() - Math.max(one, BURST_MS);
  // It is never used ahead: a later time is from before the clock was set back.
  const used = rateUsedTo === null || rateUsedTo > now ? now.getTime() - one : rateUsedTo.getTime();
  return Math.max(used, oldest);
}

function msForOne(ratePerMinute: number): number {
  return MINUTE_MS / ratePerMinute;
}
