/**
 * Takes visits at once and writes them together, four times a second: an open costs its visitor no query, and ten
 * thousand of them cost the database as much as a few.
 *
 * - While the database is away the visits wait in memory (waiting-visits.ts), so nobody who opens or clicks notices.
 * - A killed process loses the visits that it had not written. One that is told to stop writes them first.
 * - A visit that the database refuses is logged and dropped, without those that were written in the same batch.
 */
import type { Db } from '../../platform/database.ts';
import { isRefusal } from '../../platform/database-errors.ts';
import type { Log } from '../../platform/log.ts';
import type { VisitRequest } from './judge-visit.ts';
import type { ClickLink, EmailRef } from './links.ts';
import { recordVisits, type Visits } from './visits.ts';
import {
  addClick,
  addOpen,
  AT_ONCE,
  putBack,
  putBackEarly,
  takeDue,
  type WaitingVisit,
  type WaitingVisits,
} from './waiting-visits.ts';

export interface VisitRecorder {
  opened(email: EmailRef, request: VisitRequest): void;
  clicked(link: ClickLink, request: VisitRequest): void;
  /** Writes everything that waits. */
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 250;
const AWAY_AGAIN_MS = 1_000;

export function createVisitRecorder(db: Db, log: Log): VisitRecorder {
  const waiting: WaitingVisits = new Map();
  let writing: Promise<void> | null = null;
  let restUntilMs = 0;

  async function writeOrRest(): Promise<void> {
    const nowMs = performance.now();
    if (waiting.size === 0 || nowMs < restUntilMs) return;
    try {
      await writeDue({ db, log, waiting }, nowMs);
    } catch (error) {
      restUntilMs = performance.now() + AWAY_AGAIN_MS;
      log.warn({ err: error, emails: waiting.size }, 'visits: not written, kept for the next time');
    }
  }

  const timer = setInterval(() => {
    writing ??= writeOrRest().finally(() => (writing = null));
  }, WRITE_EVERY_MS);

  return {
    opened: (email, request) => addOpen(waiting, email, request, performance.now()),
    clicked: (link, request) => addClick(waiting, link, request, performance.now()),
    async close() {
      clearInterval(timer);
      await writing;
      await writeDue({ db, log, waiting }, Infinity).catch((error: unknown) =>
        log.error({ err: error, emails: waiting.size }, 'visits: lost, because they could not be written'),
      );
    },
  };
}

interface WriteTools {
  db: Db;
  log: Log;
  waiting: WaitingVisits;
}

/** What is put back comes last, so each visit is taken once. */
async function writeDue(tools: WriteTools, nowMs: number): Promise<void> {
  for (let left = tools.waiting.size; left > 0; left -= AT_ONCE) {
    const batch = takeDue(tools.waiting, nowMs);
    if (batch.length === 0) return;
    await writeBatch(tools, batch, performance.now());
  }
}

async function writeBatch(tools: WriteTools, batch: WaitingVisit[], nowMs: number): Promise<void> {
  const { db, waiting } = tools;
  const ofEmail = new Map<Visits, WaitingVisit>(batch.map((one) => [one, one]));
  let early: Visits[];
  try {
    early = await recordVisits(db, batch);
  } catch (error) {
    if (isRefusal(error)) return writeApart(tools, batch, nowMs, error);
    for (const one of batch) putBack(waiting, one);
    throw error;
  }
  for (const one of early) putBackEarly(waiting, ofEmail.get(one)!, nowMs);
}

/** In halves, until the one that is refused stands alone. */
async function writeApart(
  tools: WriteTools,
  batch: WaitingVisit[],
  nowMs: number,
  error: unknown,
): Promise<void> {
  if (batch.length === 1) {
    const { emailId } = batch[0]!;
    tools.log.error({ err: error, emailId }, 'visits: lost, because they cannot be written');
    return;
  }
  const middle = Math.floor(batch.length / 2);
  const second = batch.slice(middle);
  try {
    await writeBatch(tools, batch.slice(0, middle), nowMs);
  } catch (failure) {
    for (const one of second) putBack(tools.waiting, one);
    throw failure;
  }
  await writeBatch(tools, second, nowMs);
}
