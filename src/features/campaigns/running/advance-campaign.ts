/**
 * The next step of a running campaign: write its audience, or end it. Delivery workers send its batches in between
 * (lease-batches.ts). Each step is one transaction that locks the campaign row.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { recordCampaignEvent } from '../../audience/campaign-use/record-campaign.ts';
import { awaitsWinner, decideIfDue, endTest, isTesting } from '../ab-test/ab-test.ts';
import { clearDiscarded, lockExcluded, writeAudience } from '../audience.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from '../campaign-row.ts';
import { hasParked, unparkDeliveries } from './park-deliveries.ts';
import { findProblem, pause } from '../states.ts';

/** How often a campaign that waits shows that a runner looks at it. Stalled work is found by this. */
const SHOW_EVERY_MS = 20_000;

export type CampaignKey = CamelRow<'campaigns', 'team_id' | 'id'>;

interface RunningCampaign
  extends
    CampaignRow,
    CamelRow<'campaigns', 'audience_book' | 'audience_after' | 'audience_ready' | 'failures' | 'checked_at'> {
  /** The time of the database. */
  now: Date;
}

/**
 * 'sending' means that workers have batches to send; 'waits', that its last deliveries are in the queue or another
 * process has locked it; 'held', that an operator holds all that is left of it, or that an A/B test waits for its winner.
 */
export type Step = 'released' | 'moved' | 'sending' | 'waits' | 'held';

/** Takes the first step that the campaign needs. A step that is not needed returns null. */
export async function advanceCampaign(db: Db, key: CampaignKey): Promise<Step> {
  return inTransaction(db, async (trx) => {
    const campaign = await lockCampaign(trx, key, 'RUNNING');
    if (!campaign) return 'waits';
    const step =
      (await pauseIfImpossible(trx, campaign)) ??
      (await writeNextAudience(trx, campaign)) ??
      (await continueSending(trx, campaign, await findQueue(trx, campaign)));
    await showProgress(trx, campaign, step);
    return step;
  });
}

/** A campaign that only waits may fail again with its next step, and so may its next batch. The failures are kept. */
async function showProgress(trx: Db, campaign: RunningCampaign, step: Step): Promise<void> {
  const { teamId, id, failures, checkedAt, now } = campaign;
  const hasRecovered = failures > 0 && step !== 'waits' && step !== 'sending';
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
    (await waitForWinner(trx, campaign)) ??
    waitForBatches(queue) ??
    (await endIfAllTried(trx, campaign, queue))
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

async function waitForWinner(trx: Db, campaign: RunningCampaign): Promise<Step | null> {
  if (!awaitsWinner(campaign)) return null;
  return (await decideIfDue(trx, campaign, campaign.now)) ? 'moved' : 'held';
}

function waitForBatches({ hasBatches }: QueueOfCampaign): Step | null {
  return hasBatches ? 'sending' : null;
}

async function endIfAllTried(
  trx: Db,
  campaign: RunningCampaign,
  { isWaiting, isHeld }: QueueOfCampaign,
): Promise<Step> {
  if (isWaiting) return 'waits';
  if (isHeld) return 'held';
  const hasMoreAfterTest = isTesting(campaign) && (await endTest(trx, campaign));
  if (!hasMoreAfterTest) await end(trx, campaign);
  return 'moved';
}

/** Returns null when another process holds the lock or the status has changed. */
export async function lockCampaign(
  trx: Db,
  { teamId, id }: CampaignKey,
  status: string,
): Promise<RunningCampaign | null> {
  const { rows } = await sql<RunningCampaign>`
    select ${CAMPAIGN_COLUMNS}, c.audience_book as "audienceBook", c.audience_after as "audienceAfter",
      c.audience_ready as "audienceReady", c.failures, c.checked_at as "checkedAt", clock_timestamp() as now
    from campaigns c
    where c.team_id = ${teamId} and c.id = ${id} and c.status = ${status} and c.deleted_at is null
    for update of c skip locked
  `.execute(trx);
  return rows[0] ?? null;
}

interface QueueOfCampaign {
  /** False once all recipients, or all in the A/B test that is being sent, are in the ledger. */
  hasBatches: boolean;
  isWaiting: boolean;
  /** True when an operator holds something. Known only if nothing else is waiting. */
  isHeld: boolean;
  /** True when a pause has left parked deliveries, retries included. */
  isParked: boolean;
}

/**
 * Looks for deliveries without an attempt. The campaign does not end before them, even if they are held. During a warm-up
 * there may be very many, so they are not counted.
 */
async function findQueue(trx: Db, campaign: RunningCampaign): Promise<QueueOfCampaign> {
  const { teamId, id } = campaign;
  const untried = sql`select from deliveries where campaign_id = ${id} and attempts = 0`;
  const { rows } = await sql<QueueOfCampaign>`
    select waits as "isWaiting", not waits and exists (${untried}) as "isHeld", ${hasParked(id)} as "isParked", exists (
        select from campaign_batches where team_id = ${teamId} and campaign_id = ${id}
          and ${isTesting(campaign) ? sql`variant is not null` : sql`true`}
      ) as "hasBatches"
    from (select exists (${untried} and due_at < 'infinity') as waits) as queue
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
