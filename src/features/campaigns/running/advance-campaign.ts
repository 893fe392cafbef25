/**
 * The next step of a running campaign: write its audience, release recipients while the queue has space, or end it. Each
 * step is one transaction that locks the campaign row.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { recordCampaignEvent } from '../../audience/campaign-use/record-campaign.ts';
import { awaitsWinner, decideIfDue, endTest, isTesting } from '../ab-test/ab-test.ts';
import { clearDiscarded, lockExcluded, writeAudience } from '../audience.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from '../campaign-row.ts';
import { hasParked, unparkDeliveries } from './park-deliveries.ts';
import { allowedByRate, useRate } from './rate.ts';
import { releaseRecipients } from './release.ts';
import { findProblem, pause } from '../states.ts';

/** Small enough that a pause has little to hold back, large enough that the queue never runs empty. */
const MAX_WAITING = 1_000;
/** How often a campaign that waits shows that a runner looks at it. Stalled work is found by this. */
const SHOW_EVERY_MS = 20_000;

export type CampaignKey = CamelRow<'campaigns', 'team_id' | 'id'>;

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
      | 'failures'
      | 'checked_at'
    > {
  /** The time of the database. */
  now: Date;
}

/**
 * 'waits' means that it needs space in the queue, its rate, or another process to finish; 'held', that an operator
 * holds all that is left of it, that an A/B test waits for its winner, or the campaign for the local time of its next
 * recipient.
 */
export type Step = 'released' | 'moved' | 'waits' | 'held';

/** Takes the first step that the campaign needs. A step that is not needed returns null. */
export async function advanceCampaign(db: Db, key: CampaignKey): Promise<Step> {
  return inTransaction(db, async (trx) => {
    const campaign = await lockCampaign(trx, key, 'RUNNING');
    if (!campaign) return 'waits';
    const step =
      (await pauseIfImpossible(trx, campaign)) ??
      (await writeNextAudience(trx, campaign)) ??
      (await continueSending(trx, campaign, await countWaiting(trx, campaign.id)));
    await showProgress(trx, campaign, step);
    return step;
  });
}

/** A campaign that only waits may fail again with its next step, so its failures are kept. */
async function showProgress(trx: Db, campaign: RunningCampaign, step: Step): Promise<void> {
  const { teamId, id, failures, checkedAt, now } = campaign;
  const hasRecovered = failures > 0 && step !== 'waits';
  if (!hasRecovered && checkedAt && now.getTime() - checkedAt.getTime() < SHOW_EVERY_MS) return;
  await sql`
    update campaigns set checked_at = ${now}, next_try_at = null,
      failures = case when ${hasRecovered} then 0 else failures end,
      failing_since = case when ${hasRecovered} then null else failing_since end
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
}

async function continueSending(trx: Db, campaign: RunningCampaign, queue: QueueOfCampaign): Promise<Step> {
  return (
    (await unparkNext(trx, campaign, queue)) ??
    (await endIfAllReleased(trx, campaign, queue)) ??
    (await waitForWinner(trx, campaign)) ??
    waitForLocalTime(campaign) ??
    (await releaseNext(trx, campaign, queue))
  );
}

async function pauseIfImpossible(trx: Db, campaign: RunningCampaign): Promise<Step | null> {
  const problem = await findProblem(trx, campaign);
  if (!problem) return null;
  await pause(trx, campaign.teamId, campaign.id, problem);
  return 'moved';
}

async function writeNextAudience(trx: Db, campaign: RunningCampaign): Promise<Step | null> {
  if (campaign.audienceReady) return null;
  if (await clearDiscarded(trx, campaign)) return 'moved';
  if (!(await lockExcluded(trx, campaign))) return 'waits';
  if (await writeAudience(trx, campaign)) await recordCampaignEvent(trx, campaign, 'campaign.started');
  return 'moved';
}

/** A campaign does not end before this is done: nobody would unpark its retries then. */
async function unparkNext(
  trx: Db,
  { id }: RunningCampaign,
  { isParked }: QueueOfCampaign,
): Promise<Step | null> {
  if (!isParked) return null;
  return (await unparkDeliveries(trx, id)) > 0 ? 'released' : 'waits';
}

async function endIfAllReleased(
  trx: Db,
  campaign: RunningCampaign,
  { waiting, held }: QueueOfCampaign,
): Promise<Step | null> {
  if (!campaign.releasedAll) return null;
  if (waiting > 0) return 'waits';
  if (held > 0) return 'held';
  const hasMoreAfterTest = isTesting(campaign) && (await endTest(trx, campaign));
  if (!hasMoreAfterTest) await end(trx, campaign);
  return 'moved';
}

async function waitForWinner(trx: Db, campaign: RunningCampaign): Promise<Step | null> {
  if (!awaitsWinner(campaign)) return null;
  return (await decideIfDue(trx, campaign, campaign.now)) ? 'moved' : 'held';
}

function waitForLocalTime({ nextDueAt, now }: RunningCampaign): Step | null {
  return nextDueAt && nextDueAt > now ? 'held' : null;
}

async function releaseNext(trx: Db, campaign: RunningCampaign, { waiting }: QueueOfCampaign): Promise<Step> {
  const { batchSize, now } = campaign;
  const allowed = allowedByRate(campaign, now);
  const count = Math.min(batchSize, recipientsFor(campaign, MAX_WAITING - waiting), allowed);
  // Refilling for every email that leaves would cost more than the email.
  const refill = recipientsFor(campaign, MAX_WAITING / 4);
  if (count < Math.min(batchSize, refill, allowed) || count < 1) return 'waits';
  const released = await releaseRecipients(trx, campaign, count);
  await useRate(trx, campaign, released, now);
  return released > 0 ? 'released' : 'moved';
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
export async function lockCampaign(
  trx: Db,
  { teamId, id }: CampaignKey,
  status: string,
): Promise<RunningCampaign | null> {
  const { rows } = await sql<RunningCampaign>`
    select ${CAMPAIGN_COLUMNS}, c.audience_book as "audienceBook", c.audience_after as "audienceAfter",
      c.audience_ready as "audienceReady", c.released_to as "releasedTo", c.released_all as "releasedAll",
      c.rate_used_to as "rateUsedTo", c.released_due_at as "releasedDueAt", c.next_due_at as "nextDueAt",
      c.failures, c.checked_at as "checkedAt", clock_timestamp() as now
    from campaigns c
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
