/**
 * Runs whose step cannot be done. What someone can mend, such as a template that was deleted, holds the run until it is
 * mended. Anything else is retried with growing gaps, and ends the run when it has failed for about a day.
 *
 * Held runs are tried each minute, and seldom if they are many, so that a broken step costs little. The first one that
 * goes on releases the others.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, isServerFault } from '../../../platform/errors.ts';
import { groupBy } from '../../../platform/group-by.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { recordEvents } from '../../events/record-events.ts';
import { countRuns } from '../runs/count-runs.ts';
import { endRuns } from '../runs/end-runs.ts';
import { HELD } from '../runs/held-runs.ts';
import { RUN_COLUMNS, shownIds, type RunRow } from '../runs/run-row.ts';
import type { Advanced } from './advanced.ts';

const MOST_ATTEMPTS = 12;
const FIRST_RETRY_S = 10;
const LONGEST_RETRY_S = 6 * 60 * 60;
const LONGEST_HELD_S = 60;
/** Of one automation. */
const HELD_TRIED_PER_S = 5;
const MOST_COUNTED = 20_000;
const RELEASED_AT_ONCE = 1_000;

export function canBeMended(error: unknown): error is AppError {
  return error instanceof AppError && !isServerFault(error);
}

/** The transaction must be as it was before the step. */
export function holdAt({ run, held }: Advanced, error: AppError, now: Date): void {
  run.attempts = Math.min(run.attempts + 1, 32_000);
  run.heldBy = error.message.slice(0, 500);
  run.waitingFor = null;
  run.dueAt = now;
  held.push(error.message);
}

/** Sets when the held runs are tried again, and tells of those that are held for the first time. */
export async function noteHeld(trx: Db, advanced: Advanced[]): Promise<void> {
  const held = advanced.filter((each) => each.held.length > 0);
  for (const [automationId, ofOne] of groupBy(held, ({ run }) => run.automationId)) {
    const { teamId } = ofOne[0]!.run;
    await sql`
      update automation_runs r set due_at = now()
        + make_interval(secs => least(${FIRST_RETRY_S} * 2 ^ least(attempts - 1, 20), greatest(${LONGEST_HELD_S}, crowd.size / ${HELD_TRIED_PER_S})))
      from (
        select count(*)::float8 as size from (
          select from automation_runs where team_id = ${teamId} and automation_id = ${automationId} and ${HELD}
          limit ${MOST_COUNTED}
        ) counted
      ) crowd
      where r.team_id = ${teamId} and r.id = any(${ofOne.map(({ run }) => run.id)}::uuid[]) and r.status = 'ACTIVE'
    `.execute(trx);
    for (const { run, held: messages } of ofOne)
      if (run.attempts === 1) await tellOfFailure(trx, run, messages[0]!);
  }
}

/** What held a run that goes on is mended, and so it is for the runs that it held too. */
export async function releaseHeld(trx: Db, before: RunRow[], advanced: Advanced[]): Promise<void> {
  const released = new Set<string>();
  for (const [at, { teamId, automationId, step, heldBy, attempts }] of before.entries()) {
    const key = JSON.stringify([automationId, step, heldBy]);
    if (attempts === 0 || heldBy === null || advanced[at]!.done.length === 0 || released.has(key)) continue;
    released.add(key);
    await sql`
      update automation_runs set due_at = now() where (team_id, id) in (
        select team_id, id from automation_runs
        where team_id = ${teamId} and automation_id = ${automationId} and ${HELD} and held_by = ${heldBy}
          and step = ${step} and due_at > now()
        limit ${RELEASED_AT_ONCE} for update skip locked
      )
    `.execute(trx);
  }
}

/** For a run that failed in a transaction of its own. */
export async function retryLater(
  { db, log }: { db: Db; log: Log },
  { teamId, id }: { teamId: number; id: string },
  error: unknown,
): Promise<void> {
  const isHeld = canBeMended(error);
  const message = error instanceof Error ? error.message : String(error);
  if (!isHeld) log.error({ err: error, runId: encodeId('run', id) }, 'automations: a step failed');
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<RunRow>`
      update automation_runs r set attempts = least(attempts + 1, 32000),
        due_at = now() + make_interval(secs => least(${isHeld ? LONGEST_HELD_S : LONGEST_RETRY_S}, ${FIRST_RETRY_S} * 2 ^ least(attempts, 20))),
        held_by = ${isHeld ? message.slice(0, 500) : 'error'}
      where team_id = ${teamId} and id = ${id} and status = 'ACTIVE'
      returning ${RUN_COLUMNS}
    `.execute(trx);
    const run = rows[0];
    if (!run) return;
    const { automationId, contactId } = run;
    if (run.attempts === 1 || (!isHeld && run.attempts >= MOST_ATTEMPTS))
      await tellOfFailure(trx, run, isHeld ? message : 'The step failed unexpectedly.');
    if (isHeld || run.attempts < MOST_ATTEMPTS) return;
    await countRuns(trx, [{ teamId, automationId, step: run.step ?? '', name: 'failed' }]);
    await endRuns(trx, [{ teamId, id, automationId, contactId, status: 'FAILED', reason: 'error' }]);
  });
}

async function tellOfFailure(trx: Db, run: RunRow, error: string): Promise<void> {
  const { teamId, automationId, contactId, step } = run;
  await recordEvents(trx, teamId, [
    {
      type: 'automation.step.failed',
      subjectId: automationId,
      contactIds: [contactId],
      notice: { ...shownIds(run), step, error },
    },
  ]);
}
