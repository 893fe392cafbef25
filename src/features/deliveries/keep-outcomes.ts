/**
 * Outcomes are written down sooner or later: one that is lost would be a letter sent twice. While the database is away
 * they wait; and where it will not take one of them, the others do not wait for that one.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from '../../platform/database.ts';
import { isRefusal } from '../../platform/database-errors.ts';
import type { Log } from '../../platform/log.ts';
import { withoutWords } from './attempt.ts';
import { recordOutcomes, type Outcome } from './outcomes.ts';

const AFTER_ERROR_MS = 500;

export async function keepOutcomes(db: Db, log: Log, batch: Outcome[]): Promise<void> {
  for (;;) {
    try {
      return await recordOutcomes(db, batch);
    } catch (error) {
      log.error({ err: error }, 'courier: outcomes not written yet');
      if (isRefusal(error)) return void (await Promise.all(batch.map((one) => keepAlone(db, log, one))));
      await wait(AFTER_ERROR_MS);
    }
  }
}

async function keepAlone(db: Db, log: Log, outcome: Outcome): Promise<void> {
  let told = outcome;
  for (;;) {
    try {
      return await recordOutcomes(db, [told]);
    } catch (error) {
      log.error({ err: error, emailId: outcome.parcel.emailId }, 'courier: an outcome not written yet');
      if (isRefusal(error)) told = { ...outcome, attempt: withoutWords(outcome.attempt) };
      await wait(AFTER_ERROR_MS);
    }
  }
}
