/**
 * The campaign runner starts due campaigns, writes their audience, releases recipients while the queue has
 * space and ends finished campaigns. Any number of processes may run it: each step is one transaction that
 * locks the campaign row, so a step happens once and completely, even if a process is killed.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { CamelRow } from '../../platform/rows.ts';
import { createWakeableTimer } from '../../platform/wakeable-timer.ts';
import { notClosed } from '../instance/closed-teams.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign-row.ts';
import { clearDeletedCampaigns } from './clear-deleted.ts';
import { awaitsWinner, decideIfDue, endTest, isTesting } from './ab-test.ts';
import { lockExcluded, clearDiscarded, writeAudience } from './audience.ts';
import { allowedByRate, useRate } from './rate.ts';
import { hasParked, parkPausedDeliveries, unparkDeliveries } from './park-deliveries.ts';
import { releaseRecipients } from './release.ts';
import { findProblem, pause } from './states.ts';
import { recordCampaignEvent } from '../audience/campaign-use/record-campaign.ts';

/** Small enough that a pause has little to hold back, large enough that the queue never runs empty. */
const MAX_WAITING = 1_000;
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

interface RunningCampaign
  extends
    CampaignRow,
    CamelRow<
      'campaigns',
      | 'audience_book'
      | 'audience_after'
      | 'audience_ready'
      | 'released_to'
      | 'released_all'
      | 'rate_used_to'
      | 'released_due_at'
      | 'next_due_at'
    > {
  tracked: { opens: boolean; clicks: boolean };
  /** The time of the database. */
  now: Date;
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

  async function work(): Promise<void> {
    while (!closing) {
      try {
        const hasCleared = await clearDeletedCampaigns(db);
        const hasParkedSome = await park();
        const started = await startDueCampaigns(db);
        const running = await findRunning(db);
        let hasMoved = hasCleared || hasParkedSome || started > 0;
        let isWaiting = false;
        for (const campaign of running) {
          if (closing) break;
          const step = await advance(db, campaign).catch((error: unknown) => {
            // One failing campaign must not delay the others.
            log.error({ err: error, campaignId: campaign.id }, 'campaigns: a campaign cannot continue yet');
            return 'waits' as const;
          });
          if (step === 'released') wakeDeliveryWorkers();
          if (step === 'released' || step === 'moved') hasMoved = true;
          if (step === 'waits') isWaiting = true;
        }
        if (!hasMoved) await sleep(isWaiting ? FULL_SLEEP_MS : await untilNextStart(db));
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

type CampaignKey = CamelRow<'campaigns', 'team_id' | 'id'>;

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

/**
 * 'waits' means that it needs space in the queue, its rate, or another process to finish; 'held', that an operator
 * holds all that is left of it, that an A/B test waits for its winner, or the campaign for the local time of its next
 * recipient.
 */
type Step = 'released' | 'moved' | 'waits' | 'held';

/** Performs one step. */
async function advance(db: Db, key: CampaignKey): Promise<Step> {
  return inTransaction(db, async (trx) => {
    const campaign = await lockCampaign(trx, key, 'RUNNING');
    if (!campaign) return 'waits';
    const problem = await findProblem(trx, campaign);
    if (problem) {
      await pause(trx, campaign.teamId, campaign.id, problem);
      return 'moved';
    }
    if (!campaign.audienceReady) {
      if (await clearDiscarded(trx, campaign)) return 'moved';
      if (!(await lockExcluded(trx, campaign))) return 'waits';
      if (await writeAudience(trx, campaign)) await recordCampaignEvent(trx, campaign, 'campaign.started');
      return 'moved';
    }
    const { waiting, held, isParked } = await countWaiting(trx, campaign.id);
    // A campaign does not end before this is done: nobody would unpark its retries then.
    if (isParked) return (await unparkDeliveries(trx, campaign.id)) > 0 ? 'released' : 'waits';
    if (campaign.releasedAll) {
      if (waiting > 0) return 'waits';
      if (held > 0) return 'held';
      if (!isTesting(campaign) || !(await endTest(trx, campaign))) await end(trx, campaign);
      return 'moved';
    }
    if (awaitsWinner(campaign)) return (await decideIfDue(trx, campaign, campaign.now)) ? 'moved' : 'held';
    if (campaign.nextDueAt && campaign.nextDueAt > campaign.now) return 'held';
    const allowed = allowedByRate(campaign, campaign.now);
    const count = Math.min(campaign.batchSize, recipientsFor(campaign, MAX_WAITING - waiting), allowed);
    // Refilling for every email that leaves would cost more than the email.
    const refill = recipientsFor(campaign, MAX_WAITING / 4);
    if (count < Math.min(campaign.batchSize, refill, allowed) || count < 1) return 'waits';
    const released = await releaseRecipients(trx, campaign, count);
    await useRate(trx, campaign, released, campaign.now);
    return released > 0 ? 'released' : 'moved';
  });
}

/**
 * How many recipients need this many deliveries: each has one, and one for each copy. At least one recipient, so that
 * a campaign with very many copies goes on.
 */
function recipientsFor({ cc, bcc }: CampaignRow, deliveries: number): number {
  const count = Math.floor(deliveries / (1 + cc.length + bcc.length));
  return deliveries > 0 ? Math.max(1, count) : 0;
}

/** Returns null when another process holds the lock or the status has changed. */
async function lockCampaign(
  trx: Db,
  { teamId, id }: CampaignKey,
  status: string,
): Promise<RunningCampaign | null> {
  const { rows } = await sql<RunningCampaign>`
    select ${CAMPAIGN_COLUMNS}, c.audience_book as "audienceBook", c.audience_after as "audienceAfter",
      c.audience_ready as "audienceReady", c.released_to as "releasedTo", c.released_all as "releasedAll",
      c.rate_used_to as "rateUsedTo", c.released_due_at as "releasedDueAt", c.next_due_at as "nextDueAt", clock_timestamp() as now, json_build_object(
        'opens', coalesce(c.track_opens, d.open_tracking, false),
        'clicks', coalesce(c.track_clicks, d.click_tracking, false)
      ) as tracked
    from campaigns c left join domains d on d.team_id = c.team_id and d.id = c.domain_id
    where c.team_id = ${teamId} and c.id = ${id} and c.status = ${status} and c.deleted_at is null
    for update of c skip locked
  `.execute(trx);
  return rows[0] ?? null;
}

interface QueueOfCampaign {
  waiting: number;
  held: number;
  /** True when a pause has left parked deliveries, retries included. */
  isParked: boolean;
}

/**
 * Counts deliveries without an attempt. This is a separate statement after the lock: the locking statement may
 * see the campaign row of a concurrent release, but not yet its rows in the queue. Held deliveries do not use up
 * the space in the queue, but the campaign does not end before them.
 */
async function countWaiting(trx: Db, id: string): Promise<QueueOfCampaign> {
  const { rows } = await sql<QueueOfCampaign>`
    select count(*) filter (where due_at < 'infinity') as waiting, count(*) filter (where due_at = 'infinity') as held,
      ${hasParked(id)} as "isParked"
    from deliveries where campaign_id = ${id} and attempts = 0
  `.execute(trx);
  return rows[0]!;
}

/** Every recipient had a first attempt or was skipped. Retries continue independently. */
async function end(trx: Db, campaign: RunningCampaign): Promise<void> {
  const { teamId, id } = campaign;
  await sql`
    update campaigns set status = 'SENT', sent_at = now(), updated_at = now() where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  await recordCampaignEvent(trx, campaign, 'campaign.sent');
}
