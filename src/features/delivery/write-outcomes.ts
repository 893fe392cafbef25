/**
 * Records outcomes and never gives up, because a lost outcome means a message sent twice. While the database is
 * unavailable all outcomes wait. If the database rejects one of them, the others are recorded without it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { growingGapMs } from '../../platform/concurrency/growing-gap.ts';
import type { Db } from '../../platform/database/database.ts';
import { isRefusal } from '../../platform/database/database-errors.ts';
import type { Log } from '../../platform/log.ts';
import { withoutReplyText } from './transports/attempt.ts';
import { recordOutcomes, type Outcome } from './outcomes.ts';

const AFTER_ERROR = { firstMs: 500, longestMs: 5_000 };
/** An outcome that the database rejects, even without the text of the reply, is rejected every time. */
const AFTER_REFUSAL = { firstMs: 500, longestMs: 60_000 };

export async function writeOutcomes(db: Db, log: Log, batch: Outcome[]): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await recordOutcomes(db, batch);
    } catch (error) {
      log.error({ err: error, failures }, 'delivery worker: outcomes could not be recorded yet');
      if (isRefusal(error)) return void (await Promise.all(batch.map((one) => writeAlone(db, log, one))));
      await wait(growingGapMs(failures, AFTER_ERROR));
    }
  }
}

async function writeAlone(db: Db, log: Log, outcome: Outcome): Promise<void> {
  let toWrite = outcome;
  for (let failures = 1; ; failures += 1) {
    try {
      return await recordOutcomes(db, [toWrite]);
    } catch (error) {
      log.error(
        { err: error, emailId: outcome.delivery.emailId, failures },
        'delivery worker: an outcome could not be recorded yet',
      );
      if (isRefusal(error)) toWrite = { ...outcome, attempt: withoutReplyText(outcome.attempt) };
      await wait(growingGapMs(failures, isRefusal(error) ? AFTER_REFUSAL : AFTER_ERROR));
    }
  }
}
