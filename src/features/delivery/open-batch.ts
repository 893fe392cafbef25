/**
 * A batch of a campaign that a worker has leased, and how far it has got. Everything here is pure except that the batch is
 * changed in place; campaign-batches.ts does the work.
 *   waiting → taken as deliveries → finished, or put back to waiting
 * A batch ends when nothing is taken and nothing waits, or when it is given up.
 */
import type { CampaignRecipient } from '../campaigns/compile-campaign.ts';
import { MAX_WAITING, type LeasedBatch, type WaitingRecipient } from '../campaigns/running/lease-batches.ts';

/** What a delivery has that was taken from a batch. It has no row in the queue. */
export interface FromBatch {
  batch: LeasedBatch;
  recipient: CampaignRecipient;
}

export interface OpenBatch {
  readonly leased: LeasedBatch;
  waiting: WaitingRecipient[];
  /** Deliveries that were taken and have no outcome yet. */
  taken: number;
  /** True if nothing more of it is taken. */
  isGivenUp: boolean;
}

export function openBatch(leased: LeasedBatch): OpenBatch {
  return { leased, waiting: leased.recipients, taken: 0, isGivenUp: false };
}

/** Returns the next recipients, which count as taken. */
export function takeNext(batch: OpenBatch, count: number): WaitingRecipient[] {
  const slice = batch.waiting.slice(0, Math.min(count, batch.leased.batchSize, spaceInQueue(batch.leased)));
  batch.waiting = batch.waiting.slice(slice.length);
  batch.taken += slice.length;
  return slice;
}

/** How many recipients may go into the queue at once, because each has a delivery for every copy. */
function spaceInQueue({ copies, waiting }: LeasedBatch): number {
  return copies === 0 ? Infinity : Math.max(1, Math.floor((MAX_WAITING - waiting) / (1 + copies)));
}

/** Recipients that were skipped, or that are in the queue now. What waits in the queue is limited. */
export function leaveOut(batch: OpenBatch, count: number, queued: number): void {
  const { leased } = batch;
  batch.taken -= count;
  leased.waiting += queued * (1 + leased.copies);
  if (leased.waiting >= MAX_WAITING) batch.isGivenUp = true;
}

export function putBack(batch: OpenBatch, recipients: WaitingRecipient[]): void {
  batch.taken -= recipients.length;
  batch.waiting = [...recipients, ...batch.waiting];
}

export function finish(batch: OpenBatch, count: number): void {
  batch.taken -= count;
}

type BatchEnding = 'finished' | 'given-back';

/** Returns null while the batch goes on. `isHeld` is true while its campaign is paused. */
export function endingOf(batch: OpenBatch, isHeld: boolean): BatchEnding | null {
  if (batch.taken > 0) return null;
  if (batch.waiting.length > 0) return batch.isGivenUp || isHeld ? 'given-back' : null;
  return batch.leased.isWhole ? 'finished' : 'given-back';
}
