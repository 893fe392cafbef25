/**
 * What moves campaigns: starts those whose time has come, writes their audience down, lets people go as far as the
 * queue has room, and ends those that are through. Any number of processes may do it: each step is one transaction
 * that holds the campaign's row, so it is done once, wholly or not at all, whoever is killed when.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { createSleeper } from '../../platform/sleeper.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign-row.ts';
import { clearDeletedCampaigns } from './clear-deleted.ts';
import { writeAudience } from './audience.ts';
import { allowedByRate, useRate } from './rate.ts';
import { releaseRecipients } from './release.ts';
import { findProblem, pause } from './states.ts';
import { tellCampaign } from './tell.ts';

/** So few of a campaign wait in the queue that a pause has little to hold back, and so many that it never runs dry. */
const MOST_WAITING = 1_000;
/** How often a full queue is looked at again. */
const FULL_SLEEP_MS = 40;
const LONGEST_SLEEP_MS = 5_000;
const AFTER_ERROR_MS = 500;

export interface CampaignRunner {
  wake(): void;
  close(): Promise<void>;
}

interface LiveCampaign extends CampaignRow {
  audienceBook: number;
  audienceAfter: string;
  audienceReady: boolean;
  releasedTo: string;
  releasedAll: boolean;
  rateUsedTo: Date | null;
  domain: string | null;
  /** The database's time. */
  now: Date;
}

/** `wakeCouriers` after something was put into the queue. */
export function startCampaignRunner(
  { db, log }: { db: Db; log: Log },
  wakeCouriers: () => void,
): CampaignRunner {
  let closing = false;
  const { sleep, wake } = createSleeper();

  async function work(): Promise<void> {
    while (!closing) {
      try {
        const hasCleared = await clearDeletedCampaigns(db);
        const started = await startDueCampaigns(db);
        const live = await findRunning(db);
        let hasMoved = hasCleared || started > 0;
        for (const campaign of live) {
          if (closing) break;
          const step = await advance(db, campaign).catch((error: unknown) => {
            // One that fails must not hold up the others.
            log.error({ err: error, campaignId: campaign.id }, 'campaigns: one cannot go on yet');
            return 'waits';
          });
          if (step === 'released') wakeCouriers();
          if (step !== 'waits') hasMoved = true;
        }
        if (!hasMoved) await sleep(live.length > 0 ? FULL_SLEEP_MS : await untilNextStart(db));
      } catch (error) {
        log.error({ err: error }, 'campaigns: cannot go on yet');
        await sleep(AFTER_ERROR_MS);
      }
    }
  }

  const working = work();
  return {
    wake,
    async close() {
      closing = true;
      wake();
      await working;
    },
  };
}

interface CampaignKey {
  teamId: number;
  id: string;
}

async function findRunning(db: Db): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select team_id as "teamId", id from campaigns where status = 'RUNNING' order by id
  `.execute(db);
  return rows;
}

/** One that cannot run is paused instead, and says why. */
async function startDueCampaigns(db: Db): Promise<number> {
  const { rows } = await sql<CampaignKey>`
    select team_id as "teamId", id from campaigns
    where status = 'SCHEDULED' and scheduled_at <= now() and deleted_at is null order by scheduled_at
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

/** At most so long that a lost hint is made up for. */
export async function untilNextStart(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(scheduled_at) - clock_timestamp()) * 1000)::float8 as ms
    from campaigns where status = 'SCHEDULED' and deleted_at is null
  `.execute(db);
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, rows[0]!.ms ?? Infinity) + 1);
}

/** One step of one campaign. `waits`: for room in the queue, for its rate, or for another process. */
async function advance(db: Db, key: CampaignKey): Promise<'released' | 'moved' | 'waits'> {
  return inTransaction(db, async (trx) => {
    const campaign = await lockCampaign(trx, key, 'RUNNING');
    if (!campaign) return 'waits';
    const problem = await findProblem(trx, campaign);
    if (problem || campaign.domain === null) {
      await pause(trx, campaign.teamId, campaign.id, problem);
      return 'moved';
    }
    if (!campaign.audienceReady) {
      if (await writeAudience(trx, campaign)) await tellCampaign(trx, campaign, 'campaign.started');
      return 'moved';
    }
    const waiting = await countWaiting(trx, campaign.id);
    if (campaign.releasedAll) {
      if (waiting > 0) return 'waits';
      await end(trx, campaign);
      return 'moved';
    }
    const allowed = allowedByRate(campaign, campaign.now);
    const count = Math.min(campaign.batchSize, MOST_WAITING - waiting, allowed);
    // A small refill for every letter that leaves would cost more than the letter.
    if (count < Math.min(campaign.batchSize, MOST_WAITING / 4, allowed) || count < 1) return 'waits';
    const released = await releaseRecipients(trx, { ...campaign, domain: campaign.domain }, count);
    await useRate(trx, campaign, released, campaign.now);
    return released > 0 ? 'released' : 'moved';
  });
}

/** Null when another process has it, or it is in another state by now. */
async function lockCampaign(
  trx: Db,
  { teamId, id }: CampaignKey,
  status: string,
): Promise<LiveCampaign | null> {
  const { rows } = await sql<LiveCampaign>`
    select ${CAMPAIGN_COLUMNS}, c.audience_book as "audienceBook", c.audience_after as "audienceAfter",
      c.audience_ready as "audienceReady", c.released_to as "releasedTo", c.released_all as "releasedAll",
      c.rate_used_to as "rateUsedTo", clock_timestamp() as now,
      (select d.name from domains d where d.team_id = c.team_id and d.id = c.domain_id) as domain
    from campaigns c
    where c.team_id = ${teamId} and c.id = ${id} and c.status = ${status} and c.deleted_at is null
    for update of c skip locked
  `.execute(trx);
  return rows[0] ?? null;
}

/**
 * Those that had no attempt yet. Asked in a statement of its own, once the campaign is ours: the one that locks it can
 * meet what another process has just released in the campaign's row, and not yet in the queue.
 */
async function countWaiting(trx: Db, id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from deliveries where campaign_id = ${id} and attempts = 0
  `.execute(trx);
  return rows[0]!.count;
}

/** Everyone had a first attempt or was skipped; what was put off goes on by itself. */
async function end(trx: Db, campaign: LiveCampaign): Promise<void> {
  const { teamId, id } = campaign;
  await sql`
    update campaigns set status = 'SENT', sent_at = now(), updated_at = now() where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  await tellCampaign(trx, campaign, 'campaign.sent');
}
