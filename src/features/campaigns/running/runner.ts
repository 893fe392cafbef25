/**
 * The campaign runner starts due campaigns and takes the steps of those that run (advance-campaign.ts). Any number of
 * processes may run it: each step is one transaction that locks the campaign row, so a step happens once and
 * completely, even if a process is killed.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import { createWakeableTimer } from '../../../platform/concurrency/wakeable-timer.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import { advanceCampaign, lockCampaign, type CampaignKey, type Step } from './advance-campaign.ts';
import { clearDeletedCampaigns } from './clear-deleted.ts';
import { parkPausedDeliveries } from './park-deliveries.ts';
import { findProblem, pause } from '../states.ts';

/** Polling interval while the queue is full. */
const FULL_SLEEP_MS = 40;
const LONGEST_SLEEP_MS = 5_000;
/** How long the runner waits after it found nothing to park, unless a campaign is paused. */
const PARK_INTERVAL_MS = 1_000;
const AFTER_ERROR_MS = 500;

export interface CampaignRunner {
  wake(): void;
  close(): Promise<void>;
}

/** Calls `wakeDeliveryWorkers` after recipients were released. */
export function startCampaignRunner(
  { db, log }: { db: Db; log: Log },
  wakeDeliveryWorkers: () => void,
): CampaignRunner {
  let closing = false;
  let parkAtMs = 0;
  const { sleep, wake } = createWakeableTimer();

  async function park(): Promise<boolean> {
    if (performance.now() < parkAtMs) return false;
    parkAtMs = performance.now() + PARK_INTERVAL_MS;
    const hasMore = await parkPausedDeliveries(db);
    if (hasMore) parkAtMs = 0;
    return hasMore;
  }

  /** Returns how long to sleep in milliseconds, or 0 when there may be more to do now. */
  async function workOnce(): Promise<number> {
    const hasCleared = await clearDeletedCampaigns(db);
    const hasParkedSome = await park();
    const started = await startDueCampaigns(db);
    const running = await findRunning(db);
    let hasMoved = hasCleared || hasParkedSome || started > 0;
    let isWaiting = false;
    for (const campaign of running) {
      if (closing) break;
      const step = await advanceOrWait(campaign);
      if (step === 'released') wakeDeliveryWorkers();
      if (step === 'released' || step === 'moved') hasMoved = true;
      if (step === 'waits') isWaiting = true;
    }
    if (hasMoved) return 0;
    return isWaiting ? FULL_SLEEP_MS : untilNextStart(db);
  }

  /** One failing campaign must not delay the others. */
  function advanceOrWait(campaign: CampaignKey): Promise<Step> {
    return advanceCampaign(db, campaign).catch((error: unknown) => {
      log.error({ err: error, campaignId: campaign.id }, 'campaigns: a campaign cannot continue yet');
      return 'waits';
    });
  }

  async function work(): Promise<void> {
    while (!closing) {
      try {
        const sleepMs = await workOnce();
        if (sleepMs > 0) await sleep(sleepMs);
      } catch (error) {
        log.error({ err: error }, 'campaigns: cannot continue yet');
        await sleep(AFTER_ERROR_MS);
      }
    }
  }

  const working = work();
  return {
    wake() {
      parkAtMs = 0;
      wake();
    },
    async close() {
      closing = true;
      wake();
      await working;
    },
  };
}

async function findRunning(db: Db): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select team_id as "teamId", id from campaigns where status = 'RUNNING' and ${notClosed} order by id
  `.execute(db);
  return rows;
}

/** Pauses a campaign that cannot run, with the reason. */
async function startDueCampaigns(db: Db): Promise<number> {
  const { rows } = await sql<CampaignKey>`
    select team_id as "teamId", id from campaigns
    where status = 'SCHEDULED' and scheduled_at <= now() and deleted_at is null and ${notClosed} order by scheduled_at
  `.execute(db);
  for (const key of rows) {
    await inTransaction(db, async (trx) => {
      const campaign = await lockCampaign(trx, key, 'SCHEDULED');
      if (!campaign || campaign.scheduledAt! > campaign.now) return;
      const problem = await findProblem(trx, campaign);
      if (problem) await pause(trx, campaign.teamId, campaign.id, problem);
      else
        await sql`
          update campaigns set status = 'RUNNING', begun_at = coalesce(begun_at, now()), rate_used_to = null,
            updated_at = now()
          where team_id = ${campaign.teamId} and id = ${campaign.id}
        `.execute(trx);
    });
  }
  return rows.length;
}

/** Returns at most LONGEST_SLEEP_MS, in case a notification is lost. */
export async function untilNextStart(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(at) - clock_timestamp()) * 1000)::float8 as ms
    from campaigns cross join lateral (select case
      when status = 'SCHEDULED' then scheduled_at
      when test_sent_at is not null and winner is null and decide_by <> 'person'
        then test_sent_at + make_interval(mins => decide_after_minutes)
      else next_due_at
    end) as next (at)
    where status in ('SCHEDULED', 'RUNNING') and deleted_at is null and ${notClosed}
  `.execute(db);
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, rows[0]!.ms ?? Infinity) + 1);
}
