/** Logs stalled jobs, stalled work of teams, and teams that a move has left closed. */
import { findInterruptedMoves } from '../features/account/team-move/interrupted-moves.ts';
import { findStalledWork } from '../features/account/notices/stalled-work.ts';
import type { Db } from '../platform/database/database.ts';
import { readJobBacklog } from '../platform/jobs/job-backlog.ts';
import type { Log } from '../platform/log.ts';

const CHECK_EVERY_MS = 60_000;

export interface StalledWatch {
  close(): Promise<void>;
}

/** The first check is after a minute, when work that waited while no process ran is moving again. */
export function watchStalledWork(db: Db, log: Log, everyMs = CHECK_EVERY_MS): StalledWatch {
  async function check(): Promise<void> {
    try {
      const lines = await readJobBacklog(db);
      for (const { job, queue, waiting, since, hasStalled } of lines) {
        if (hasStalled) log.warn({ job, queue, waiting, since }, 'jobs: jobs of this kind make no progress');
      }
      for (const { teamId, kind, id, name, since, concerns } of await findStalledWork(db, null, lines)) {
        if (concerns === 'operator')
          log.warn({ teamId, kind, id, name, since }, 'jobs: work of a team makes no progress');
      }
      for (const { id: teamId, since } of await findInterruptedMoves(db))
        log.warn({ teamId, since }, 'teams: a move has stopped halfway, and the team is closed');
    } catch (error) {
      log.warn({ err: error }, 'jobs: stalled work cannot be looked up');
    }
  }

  let checking = Promise.resolve();
  const timer = setInterval(() => {
    checking = check();
  }, everyMs);
  return {
    async close() {
      clearInterval(timer);
      await checking;
    },
  };
}
