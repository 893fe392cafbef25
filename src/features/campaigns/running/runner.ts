/**
 * The campaign runner starts due campaigns and takes the steps of those that run (advance-campaign.ts). Any number of
 * processes may run it: each step is one transaction that locks the campaign row, so a step happens once and
 * completely, even if a process is killed.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { DiskSpace } from '../../../platform/disk-space.ts';
import type { Log } from '../../../platform/log.ts';
import { withGrowingGaps } from '../../../platform/concurrency/growing-gap.ts';
import { createWakeableTimer } from '../../../platform/concurrency/wakeable-timer.ts';
import { runUntilClosed } from '../../../platform/concurrency/work-loop.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import { advanceCampaign, lockCampaign, type CampaignKey, type Step } from './advance-campaign.ts';
import { clearDeletedCampaigns } from './clear-deleted.ts';
import { parkPausedDeliveries } from './park-deliveries.ts';
import { noteFailure } from './failures.ts';
import { findProblem, pause } from '../states.ts';

/** Polling interval while the last deliveries of a campaign are in the queue. */
const WAIT_SLEEP_MS = 250;
const LONGEST_SLEEP_MS = 5_000;
/** How long the runner waits after it found nothing to park, unless a campaign is paused. */
const PARK_INTERVAL_MS = 1_000;
const AFTER_ERROR = { firstMs: 500, longestMs: 30_000 };

export interface CampaignRunner {
  wake(): void;
  close(): Promise<void>;
}

/** Calls `wakeDeliveryWorkers` when a campaign has something for them. */
export function startCampaignRunner(
  { db, log, disk }: { db: Db; log: Log; disk: DiskSpace },
  wakeDeliveryWorkers: () => void,
): CampaignRunner {
  let closing = false;
  const timer = createWakeableTimer();

  const tidying = createTidying({ db, log });
  const tools = { db, log };

  /** Returns how long to sleep in milliseconds, or 0 when there may be more to do now. */
  async function workOnce(): Promise<number> {
    const hasTidied = await tidying.run();
    // An audience takes space.
    if ((await disk.fullSince()) !== null) return LONGEST_SLEEP_MS;
    const started = await startDueCampaigns(tools);
    const running = await findRunning(db);
    let hasMoved = hasTidied || started > 0;
    let isWaiting = false;
    for (const campaign of running) {
      if (closing) break;
      const step = await advanceOrWait(tools, campaign);
      if (step === 'released' || step === 'moved') wakeDeliveryWorkers();
      if (step === 'released' || step === 'moved') hasMoved = true;
      if (step === 'waits') isWaiting = true;
    }
    if (hasMoved) return 0;
    return isWaiting ? WAIT_SLEEP_MS : untilNextStart(db);
  }

  const working = runUntilClosed(workOnce, {
    timer,
    isClosing: () => closing,
    afterError: AFTER_ERROR,
    onFailure: (failure) => log.error(failure, 'campaigns: cannot continue yet'),
  });
  return {
    wake() {
      tidying.parkNow();
      timer.wake();
    },
    async close() {
      closing = true;
      timer.wake();
      await working;
    },
  };
}

interface RunnerTools {
  db: Db;
  log: Log;
}

/** What paused and deleted campaigns have left behind. A failure of it must not stop the campaigns that run. */
function createTidying({ db, log }: RunnerTools) {
  let parkAtMs = 0;

  async function parkIfDue(): Promise<boolean> {
    if (performance.now() < parkAtMs) return false;
    parkAtMs = performance.now() + PARK_INTERVAL_MS;
    const hasMore = await parkPausedDeliveries(db);
    if (hasMore) parkAtMs = 0;
    return hasMore;
  }

  const park = withGrowingGaps(parkIfDue, AFTER_ERROR, (error, failures) =>
    log.error({ err: error, failures }, 'campaigns: deliveries of paused campaigns cannot be parked yet'),
  );
  const clear = withGrowingGaps(
    () => clearDeletedCampaigns(db),
    AFTER_ERROR,
    (error, failures) =>
      log.error({ err: error, failures }, 'campaigns: deleted campaigns cannot be removed yet'),
  );
  return {
    /** Returns whether there may be more to do now. */
    async run(): Promise<boolean> {
      const hasCleared = (await clear()) ?? false;
      return (await park()) || hasCleared;
    },
    parkNow() {
      parkAtMs = 0;
    },
  };
}

/** One failing campaign must not delay the others. It is tried again at `next_try_at`, so the loop need not wait. */
async function advanceOrWait(tools: RunnerTools, campaign: CampaignKey): Promise<Step> {
  try {
    return await advanceCampaign(tools.db, campaign);
  } catch (error) {
    await noteFailure(tools, campaign, error);
    return 'held';
  }
}

async function startDueCampaigns(tools: RunnerTools): Promise<number> {
  const due = await findDue(tools.db);
  for (const campaign of due) {
    try {
      await startCampaign(tools.db, campaign);
    } catch (error) {
      await noteFailure(tools, campaign, error);
    }
  }
  return due.length;
}

/** A failing campaign is tried again at `next_try_at`. */
const MAY_BE_TRIED = sql`(next_try_at is null or next_try_at <= now())`;

async function findRunning(db: Db): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select team_id as "teamId", id from campaigns
    where status = 'RUNNING' and ${MAY_BE_TRIED} and ${notClosed} order by id
  `.execute(db);
  return rows;
}

async function findDue(db: Db): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select team_id as "teamId", id from campaigns
    where status = 'SCHEDULED' and scheduled_at <= now() and deleted_at is null and ${MAY_BE_TRIED} and ${notClosed}
    order by scheduled_at
  `.execute(db);
  return rows;
}

/** Pauses a campaign that cannot run, with the reason. */
async function startCampaign(db: Db, key: CampaignKey): Promise<void> {
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

/** Returns at most LONGEST_SLEEP_MS, in case a notification is lost. */
export async function untilNextStart(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(at) - clock_timestamp()) * 1000)::float8 as ms
    from campaigns cross join lateral (select greatest(next_try_at, case
      when status = 'SCHEDULED' then scheduled_at
      when test_sent_at is not null and winner is null and decide_by <> 'person'
        then test_sent_at + make_interval(mins => decide_after_minutes)
    end)) as next (at)
    where status in ('SCHEDULED', 'RUNNING') and deleted_at is null and ${notClosed}
  `.execute(db);
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, rows[0]!.ms ?? Infinity) + 1);
}
