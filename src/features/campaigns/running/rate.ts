/** Limits the emails per minute. An unused allowance is not saved up, so no burst follows a pause. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { MINUTE_MS } from '../../../platform/durations.ts';

interface RateLimited {
  teamId: number;
  id: string;
  ratePerMinute: number | null;
  /** Time up to which the rate is used. Null at the start and after a pause. */
  rateUsedTo: Date | null;
}

/** Allowance that can accumulate, as time. */
const BURST_MS = 1_000;

export function allowedByRate(campaign: RateLimited, now: Date): number {
  if (campaign.ratePerMinute === null) return Infinity;
  return Math.floor((now.getTime() - usedTo(campaign, now)) / msPerEmail(campaign.ratePerMinute) + 1e-6);
}

export async function useRate(trx: Db, campaign: RateLimited, count: number, now: Date): Promise<void> {
  if (campaign.ratePerMinute === null || count === 0) return;
  const used = new Date(usedTo(campaign, now) + count * msPerEmail(campaign.ratePerMinute));
  await sql`
    update campaigns set rate_used_to = ${used} where team_id = ${campaign.teamId} and id = ${campaign.id}
  `.execute(trx);
}

/** Starts one interval in the past, so that the first email leaves immediately. */
function usedTo({ ratePerMinute, rateUsedTo }: RateLimited, now: Date): number {
  const intervalMs = msPerEmail(ratePerMinute!);
  const oldest = now.getTime() - Math.max(intervalMs, BURST_MS);
  // A time in the future can only come from before the clock was set back.
  const used = rateUsedTo === null || rateUsedTo > now ? now.getTime() - intervalMs : rateUsedTo.getTime();
  return Math.max(used, oldest);
}

function msPerEmail(ratePerMinute: number): number {
  return MINUTE_MS / ratePerMinute;
}
