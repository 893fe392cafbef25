/**
 * The batches of recipients that running campaigns have, as a queue. A worker leases a batch (platform/due/due.ts), and
 * nobody else sends to its recipients until the worker has finished it, given it back, or died. Recipients to whom something has happened are in
 * the ledger, so a batch that was given back continues where it was.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { isFree, LEASE_END, type LeasedTable } from '../../../platform/due/due.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import type { Variant } from '../../content/versions/variants.ts';
import { withVariant } from '../variants.ts';
import type { CampaignKey } from './advance-campaign.ts';
import { allowedByRate, useRate } from './rate.ts';

/**
 * A campaign has at most this many deliveries in the queue that were not tried, so that a pause has little to hold. Those
 * that a warm-up holds back for another day do not count: they must not stop the mail to other providers.
 */
export const MAX_WAITING = 1_000;

/** Batches of workers that have died are freed. Their emails may be on their way, so they keep `released_at` and the IDs. */
export const BATCH_LEASES: LeasedTable<'team_id' | 'campaign_id' | 'no'> = {
  name: 'campaign_batches',
  key: { team_id: 'integer', campaign_id: 'uuid', no: 'integer' },
  holder: 'leased_by',
  endsAt: 'leased_until',
  whenFreed: 'has-no-end',
};

export type BatchKey = CamelRow<'campaign_batches', 'team_id' | 'campaign_id' | 'no'>;

/** What all recipients of a batch have in common. */
export interface LeasedBatch
  extends BatchKey, CamelRow<'campaign_batches', 'contact_book_id' | 'due_at' | 'variant'> {
  /** When it was taken. The IDs of its emails begin with this time. */
  releasedAt: Date;
  /** The domain that signs, and its name. */
  domainId: Row<'domains'>['id'];
  domain: Row<'domains'>['name'];
  topicId: Row<'campaigns'>['topic_id'];
  tracksOpens: boolean;
  tracksClicks: boolean;
  /** How many recipients are read at a time. */
  batchSize: number;
  /** True if the campaign has failed before. */
  hasFailed: boolean;
  /** How many addresses get a copy of each email. */
  copies: number;
  /** How many of its deliveries are in the queue, due, and were not tried. */
  waiting: number;
  /** The recipients that may be sent to now. */
  recipients: WaitingRecipient[];
  /** False if the rate of the campaign leaves some of its recipients for later. */
  isWhole: boolean;
}

export interface WaitingRecipient {
  contactId: Row<'contacts'>['id'];
  addressKey: Row<'contacts'>['email_key'];
}

/** A condition that a batch `b` of the running campaign `c` can be leased now. */
const CAN_BE_LEASED = sql<boolean>`(
  ${isFree('b')} and (b.due_at is null or b.due_at <= now())
  and case when c.variants is null then true
    when c.test_sent_at is null then b.variant is not null
    else b.variant is null and c.winner is not null end
)`;

const IS_RUNNING = sql<boolean>`
  c.status = 'RUNNING' and c.audience_ready and c.deleted_at is null and (c.next_try_at is null or c.next_try_at <= now())`;

/** Finds the running campaigns that have a batch to lease. */
export async function findLeasable(db: Db): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select c.team_id as "teamId", c.id from campaigns c
    where ${IS_RUNNING} and ${notClosed} and exists (
      select from campaign_batches b where b.team_id = c.team_id and b.campaign_id = c.id and ${CAN_BE_LEASED}
    )
    order by c.id
  `.execute(db);
  return rows;
}

interface CampaignFacts
  extends
    CampaignKey,
    CamelRow<
      'campaigns',
      | 'domain_id'
      | 'topic_id'
      | 'winner'
      | 'sender'
      | 'rate_per_minute'
      | 'rate_used_to'
      | 'has_released'
      | 'track_opens'
      | 'track_clicks'
      | 'batch_size'
    > {
  variants: Variant[] | null;
  hasFailed: boolean;
  copies: number;
  waiting: number;
  now: Date;
}

/** Returns null when the campaign has nothing that may be sent now, or another process was faster. */
export async function leaseBatch(db: Db, workerId: string, key: CampaignKey): Promise<LeasedBatch | null> {
  return inTransaction(db, async (trx) => {
    const campaign = await lockCampaign(trx, key);
    if (!campaign || campaign.waiting >= MAX_WAITING) return null;
    const allowed = allowedByRate(campaign, campaign.now);
    if (allowed < 1) return null;
    const batch = await takeBatch(trx, workerId, campaign);
    if (!batch) return null;
    const waiting = await readWaiting(trx, batch);
    const recipients = waiting.slice(0, allowed);
    await useRate(trx, campaign, recipients.length, campaign.now);
    if (!campaign.hasReleased) await setReleased(trx, key);
    return { ...batch, recipients, isWhole: recipients.length === waiting.length };
  });
}

/**
 * Locks the campaign against changes of its content, and against other processes if it has a rate. A pause does not wait
 * for it.
 */
async function lockCampaign(trx: Db, { teamId, id }: CampaignKey): Promise<CampaignFacts | null> {
  const { rows } = await sql<CampaignFacts>`
    select c.team_id as "teamId", c.id, c.domain_id as "domainId", c.topic_id as "topicId", c.sender, c.variants, c.winner,
      c.rate_per_minute as "ratePerMinute", c.rate_used_to as "rateUsedTo", c.has_released as "hasReleased",
      c.track_opens as "trackOpens", c.track_clicks as "trackClicks",
      c.batch_size as "batchSize", c.failures > 0 as "hasFailed",
      cardinality(c.cc_addresses) + cardinality(c.bcc_addresses) as copies, clock_timestamp() as now,
      (select count(*) from (
        select from deliveries d where d.campaign_id = c.id and d.attempts = 0 and not d.parked and d.due_at <= now()
        limit ${MAX_WAITING}
      ) queued) as waiting
    from campaigns c
    where c.team_id = ${teamId} and c.id = ${id} and ${IS_RUNNING}
  `.execute(trx);
  const campaign = rows[0];
  if (!campaign || (campaign.ratePerMinute === null && campaign.hasReleased)) return campaign ?? null;
  const locked = await sql<CamelRow<'campaigns', 'rate_used_to'>>`
    select rate_used_to as "rateUsedTo" from campaigns c
    where team_id = ${teamId} and id = ${id} and ${IS_RUNNING} for update skip locked
  `.execute(trx);
  return locked.rows[0] ? { ...campaign, ...locked.rows[0] } : null;
}

type TakenBatch = Omit<LeasedBatch, 'recipients' | 'isWhole'>;

async function takeBatch(trx: Db, workerId: string, campaign: CampaignFacts): Promise<TakenBatch | null> {
  const { teamId, id, winner, topicId, batchSize, hasFailed, copies, waiting } = campaign;
  const { rows } = await sql<
    BatchKey & CamelRow<'campaign_batches', 'contact_book_id' | 'due_at' | 'variant' | 'released_at'>
  >`
    update campaign_batches b set leased_by = ${workerId}, leased_until = ${LEASE_END},
      released_at = coalesce(released_at, date_trunc('milliseconds', clock_timestamp()))
    where (b.team_id, b.campaign_id, b.no) = (
      select b.team_id, b.campaign_id, b.no from campaign_batches b
      join campaigns c on c.team_id = b.team_id and c.id = b.campaign_id
      where b.team_id = ${teamId} and b.campaign_id = ${id} and ${CAN_BE_LEASED}
      order by b.due_at, b.no limit 1 for update of b skip locked
    )
    returning b.team_id as "teamId", b.campaign_id as "campaignId", b.no, b.contact_book_id as "contactBookId",
      b.due_at as "dueAt", coalesce(b.variant, ${winner}::smallint) as variant, b.released_at as "releasedAt"
  `.execute(trx);
  const batch = rows[0];
  if (!batch) return null;
  const { domainId } = withVariant(campaign, batch.variant);
  const { rows: domains } = await sql<CamelRow<'domains', 'name' | 'open_tracking' | 'click_tracking'>>`
    select name, open_tracking as "openTracking", click_tracking as "clickTracking" from domains
    where team_id = ${teamId} and id = ${domainId}
  `.execute(trx);
  const domain = domains[0];
  return {
    ...batch,
    releasedAt: batch.releasedAt!,
    domainId,
    domain: domain?.name ?? '',
    topicId,
    tracksOpens: campaign.trackOpens ?? domain?.openTracking ?? false,
    tracksClicks: campaign.trackClicks ?? domain?.clickTracking ?? false,
    batchSize,
    hasFailed,
    copies,
    waiting,
  };
}

/** Looks up each address by its key. The planner would read all of the ledger for each batch. */
async function readWaiting(trx: Db, { teamId, campaignId, no }: BatchKey): Promise<WaitingRecipient[]> {
  const { rows } = await sql<WaitingRecipient>`
    select w.contact_id as "contactId", w.address_key as "addressKey"
    from campaign_batches b cross join unnest(b.contact_ids, b.address_keys) with ordinality as w (contact_id, address_key, at)
    left join lateral (
      select true as is_there from campaign_recipients
      where team_id = ${teamId} and campaign_id = ${campaignId} and address_key = w.address_key limit 1
    ) l on true
    where b.team_id = ${teamId} and b.campaign_id = ${campaignId} and b.no = ${no} and l.is_there is null
    order by w.at
  `.execute(trx);
  return rows;
}

async function setReleased(trx: Db, { teamId, id }: CampaignKey): Promise<void> {
  await sql`update campaigns set has_released = true where team_id = ${teamId} and id = ${id}`.execute(trx);
}

/** All recipients of the batch are in the ledger, so the campaign has recovered if it had failed. */
export async function finishBatch(db: Db, workerId: string, batch: LeasedBatch): Promise<void> {
  await sql`
    delete from campaign_batches b where ${isBatch(batch)} and leased_by = ${workerId}
  `.execute(db);
  if (!batch.hasFailed) return;
  await sql`
    update campaigns set failures = 0, failing_since = null, next_try_at = null
    where team_id = ${batch.teamId} and id = ${batch.campaignId} and status = 'RUNNING'
  `.execute(db);
}

/** No email of the batch can be on its way, so its other recipients get new IDs later. */
export async function giveBackBatch(db: Db, workerId: string, batch: BatchKey): Promise<void> {
  await sql`
    update campaign_batches b set leased_by = null, leased_until = null, released_at = null
    where ${isBatch(batch)} and leased_by = ${workerId}
  `.execute(db);
}

function isBatch({ teamId, campaignId, no }: BatchKey): RawBuilder<boolean> {
  return sql<boolean>`b.team_id = ${teamId} and b.campaign_id = ${campaignId} and b.no = ${no}`;
}

/** Returns those of the teams that are closed. */
export async function findClosedTeams(db: Db, teamIds: readonly number[]): Promise<number[]> {
  if (teamIds.length === 0) return [];
  const { rows } = await sql<Row<'teams', 'id'>>`
    select id from teams where id = any(${teamIds}::integer[]) and closed_at is not null
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Gives back everything that this worker has leased, once nothing of it is on its way. */
export async function giveBackAllBatches(db: Db, workerId: string): Promise<void> {
  await sql`
    update campaign_batches set leased_by = null, leased_until = null, released_at = null where leased_by = ${workerId}
  `.execute(db);
}
