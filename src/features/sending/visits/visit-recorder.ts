/**
 * Accepts visits immediately and writes them in batches four times a second. An open needs no separate query,
 * and ten thousand of them cost the database as much as a few.
 * - While the database is unavailable or the disk is full, visits wait in memory (waiting-visits.ts), so visitors notice nothing.
 * - A killed process loses the visits that it has not written. A normal shutdown writes them first.
 * - Visits of a team that is moving to another instance wait in memory too.
 * - A visit that the database rejects is logged and dropped; the rest of its batch is written.
 */
import { growingGapMs } from '../../../platform/concurrency/growing-gap.ts';
import type { Db } from '../../../platform/database/database.ts';
import { isRefusal, isTeamClosed } from '../../../platform/database/database-errors.ts';
import type { DiskSpace } from '../../../platform/disk-space.ts';
import type { Log } from '../../../platform/log.ts';
import type { VisitRequest } from './classify-visitor.ts';
import type { ClickLink, EmailRef } from '../../content/links/links.ts';
import { recordVisits, type EarlyVisits } from './visits.ts';
import {
  addClick,
  addOpen,
  BATCH_SIZE,
  putBack,
  putBackEarly,
  putBackUnknown,
  takeDue,
  type WaitingVisit,
  type WaitingVisits,
} from './waiting-visits.ts';

export interface VisitRecorder {
  opened(email: EmailRef, request: VisitRequest): void;
  clicked(link: ClickLink, request: VisitRequest): void;
  /** Writes all waiting visits. */
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 250;
const AFTER_ERROR = { firstMs: 1_000, longestMs: 5_000 };

export function createVisitRecorder(db: Db, log: Log, disk: DiskSpace): VisitRecorder {
  const waiting: WaitingVisits = new Map();
  let writing: Promise<void> | null = null;
  let retryAtMs = 0;
  let failures = 0;

  async function tryToWrite(): Promise<void> {
    const nowMs = performance.now();
    if (waiting.size === 0 || nowMs < retryAtMs) return;
    if ((await disk.fullSince()) !== null) return;
    try {
      await writeDue({ db, log, waiting }, nowMs);
      failures = 0;
    } catch (error) {
      failures += 1;
      retryAtMs = performance.now() + growingGapMs(failures, AFTER_ERROR);
      log.warn({ err: error, failures, emails: waiting.size }, 'visits: could not be recorded yet');
    }
  }

  const timer = setInterval(() => {
    writing ??= tryToWrite().finally(() => (writing = null));
  }, WRITE_EVERY_MS);

  return {
    opened: (email, request) => addOpen(waiting, email, request, performance.now()),
    clicked: (link, request) => addClick(waiting, link, request, performance.now()),
    async close() {
      clearInterval(timer);
      await writing;
      await writeDue({ db, log, waiting }, Infinity).catch((error: unknown) =>
        log.error({ err: error, emails: waiting.size }, 'visits: lost, because they could not be recorded'),
      );
    },
  };
}

interface WriteTools {
  db: Db;
  log: Log;
  waiting: WaitingVisits;
}

/** Visits that are put back go to the end, so each is tried once. */
async function writeDue(tools: WriteTools, nowMs: number): Promise<void> {
  for (let left = tools.waiting.size; left > 0; left -= BATCH_SIZE) {
    const batch = takeDue(tools.waiting, nowMs);
    if (batch.length === 0) return;
    await writeBatch(tools, batch, performance.now());
  }
}

async function writeBatch(tools: WriteTools, batch: WaitingVisit[], nowMs: number): Promise<void> {
  const { db, waiting } = tools;
  let early: EarlyVisits<WaitingVisit>;
  try {
    early = await recordVisits(db, batch);
  } catch (error) {
    if (isRefusal(error) || isTeamClosed(error)) return writeInHalves(tools, batch, nowMs, error);
    for (const visits of batch) putBack(waiting, visits);
    throw error;
  }
  for (const visits of early.untried) putBackEarly(waiting, visits, nowMs);
  for (const visits of early.unknown) putBackUnknown(waiting, visits, nowMs);
}

/** Splits the batch in half until the rejected visit is alone. */
async function writeInHalves(
  tools: WriteTools,
  batch: WaitingVisit[],
  nowMs: number,
  error: unknown,
): Promise<void> {
  if (batch.length === 1 && isTeamClosed(error)) {
    putBack(tools.waiting, batch[0]!);
    return;
  }
  if (batch.length === 1) {
    const { emailId } = batch[0]!;
    tools.log.error({ err: error, emailId }, 'visits: lost, because they could not be recorded');
    return;
  }
  const middle = Math.floor(batch.length / 2);
  const second = batch.slice(middle);
  try {
    await writeBatch(tools, batch.slice(0, middle), nowMs);
  } catch (failure) {
    for (const visits of second) putBack(tools.waiting, visits);
    throw failure;
  }
  await writeBatch(tools, second, nowMs);
}
