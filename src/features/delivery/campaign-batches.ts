/**
 * Sends the batches of running campaigns (campaigns/running/lease-batches.ts). The worker leases a batch, takes its
 * recipients slice by slice as deliveries that have no row in the queue, and finishes the batch when each of them has its
 * outcome in the ledger. A batch of a held campaign is given back once nothing of it is in flight (open-batch.ts).
 */
import { inTransaction, type Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { CampaignRecipient } from '../campaigns/compile-campaign.ts';
import type { CampaignKey } from '../campaigns/running/advance-campaign.ts';
import { noteFailure } from '../campaigns/running/failures.ts';
import {
  findClosedTeams,
  findLeasable,
  finishBatch,
  giveBackBatch,
  leaseBatch,
  type BatchKey,
  type LeasedBatch,
} from '../campaigns/running/lease-batches.ts';
import { readBatchRecipients } from '../campaigns/running/read-recipients.ts';
import { releaseRecipients } from '../campaigns/running/release.ts';
import { PRIORITY } from '../sending/emails/priority.ts';
import type { ClaimedDelivery } from './claim.ts';
import { endingOf, finish, leaveOut, openBatch, putBack, takeNext, type OpenBatch } from './open-batch.ts';

export interface CampaignBatches {
  /** True if a campaign has recipients that its rate or the queue left for later. */
  areWaiting(): boolean;
  /** Returns at most `count` deliveries. Recipients at destinations in `except` go into the queue instead. */
  take(count: number, except: readonly string[]): Promise<ClaimedDelivery[]>;
  /** Their attempts did not begin. */
  putBack(deliveries: readonly ClaimedDelivery[]): void;
  /** Their outcomes are recorded. */
  finish(deliveries: readonly ClaimedDelivery[]): void;
  /** The leases may have ended, so nothing more of these batches is taken. */
  giveUpAll(): void;
  /** Ends the batches that are finished or given up. */
  settle(): Promise<void>;
  listLeased(): BatchKey[];
  /** Nothing more is taken for teams that were closed since. */
  giveUpClosed(): Promise<void>;
}

interface BatchTools {
  db: Db;
  log: Log;
  workerId: string;
  isHeld(campaignId: string): boolean;
  /** Called when a batch is finished. It may have been the last one of its campaign. */
  onFinished(): void;
}

export function createCampaignBatches(tools: BatchTools): CampaignBatches {
  const { db, workerId, isHeld } = tools;
  const open = new Map<LeasedBatch, OpenBatch>();
  const queue = createLeaseQueue(tools);
  const isUsable = ({ leased, waiting, isGivenUp }: OpenBatch) =>
    waiting.length > 0 && !isGivenUp && !isHeld(leased.campaignId);

  async function leaseNext(): Promise<OpenBatch | null> {
    const leased = await queue.lease();
    if (!leased) return null;
    const batch = openBatch(leased);
    open.set(leased, batch);
    return batch;
  }

  function forEachOf(
    deliveries: readonly ClaimedDelivery[],
    change: (batch: OpenBatch, one: CampaignRecipient) => void,
  ) {
    for (const { fromBatch } of deliveries) {
      const batch = fromBatch && open.get(fromBatch.batch);
      if (batch) change(batch, fromBatch.recipient);
    }
  }

  return {
    areWaiting: queue.areWaiting,
    async take(count, except) {
      const taken: ClaimedDelivery[] = [];
      while (taken.length < count) {
        const batch = [...open.values()].find(isUsable) ?? (await leaseNext());
        if (!batch) break;
        taken.push(...(await takeSlice(tools, batch, count - taken.length, except)));
      }
      return taken;
    },
    putBack: (deliveries) =>
      forEachOf(deliveries, (batch, { contactId, address }) =>
        putBack(batch, [{ contactId, addressKey: address.key }]),
      ),
    finish: (deliveries) => forEachOf(deliveries, (batch) => finish(batch, 1)),
    giveUpAll() {
      for (const batch of open.values()) batch.isGivenUp = true;
    },
    async settle() {
      for (const batch of open.values()) {
        const { leased } = batch;
        const ending = endingOf(batch, isHeld(leased.campaignId));
        if (ending === null) continue;
        await (ending === 'finished' ? finishBatch : giveBackBatch)(db, workerId, leased);
        open.delete(leased);
        if (ending === 'finished') tools.onFinished();
      }
    },
    listLeased: () => [...open.keys()],
    async giveUpClosed() {
      const closed = await findClosedTeams(
        db,
        [...open.keys()].map(({ teamId }) => teamId),
      );
      for (const batch of open.values()) if (closed.includes(batch.leased.teamId)) batch.isGivenUp = true;
    },
  };
}

/** Leases from the campaign that was leased from the longest time ago, so that all of them advance. */
function createLeaseQueue({ db, log, workerId, isHeld }: BatchTools) {
  const order = new Map<string, number>();
  let turn = 0;
  let areWaiting = false;

  /** One failing campaign must not delay the others, or other mail. It is tried again later (failures.ts). */
  async function leaseFrom(campaign: CampaignKey): Promise<LeasedBatch | null> {
    try {
      return await leaseBatch(db, workerId, campaign);
    } catch (error) {
      await noteFailure({ db, log }, campaign, error);
      return null;
    }
  }

  return {
    areWaiting: () => areWaiting,
    async lease(): Promise<LeasedBatch | null> {
      const campaigns = (await findLeasable(db)).filter(({ id }) => !isHeld(id));
      areWaiting = campaigns.length > 0;
      campaigns.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
      for (const campaign of campaigns) {
        const leased = await leaseFrom(campaign);
        if (!leased) continue;
        order.set(campaign.id, (turn += 1));
        return leased;
      }
      return null;
    },
  };
}

async function takeSlice(
  { db, log }: BatchTools,
  batch: OpenBatch,
  count: number,
  except: readonly string[],
): Promise<ClaimedDelivery[]> {
  const { leased } = batch;
  const slice = takeNext(batch, count);
  try {
    const recipients = await readBatchRecipients(db, leased, slice);
    const isQueued = ({ address }: CampaignRecipient) => leased.copies > 0 || except.includes(address.domain);
    const queued = recipients.filter(isQueued);
    if (queued.length > 0) await inTransaction(db, (trx) => releaseRecipients(trx, leased, queued));
    const taken = recipients.filter((recipient) => !isQueued(recipient));
    leaveOut(batch, slice.length - taken.length, queued.length);
    return taken.map((recipient) => toDelivery(leased, recipient));
  } catch (error) {
    putBack(batch, slice);
    batch.isGivenUp = true;
    await noteFailure({ db, log }, { teamId: leased.teamId, id: leased.campaignId }, error);
    return [];
  }
}

function toDelivery(batch: LeasedBatch, recipient: CampaignRecipient): ClaimedDelivery {
  const { email, domain } = recipient.address;
  return {
    teamId: batch.teamId,
    emailId: recipient.emailId,
    recipientNo: 0,
    recipient: email,
    recipientDomain: domain,
    domainId: batch.domainId,
    attempts: 0,
    firstTriedAt: null,
    campaignId: batch.campaignId,
    priority: PRIORITY.bulk,
    isLone: true,
    raw: null,
    envelope: null,
    fromBatch: { batch, recipient },
  };
}
