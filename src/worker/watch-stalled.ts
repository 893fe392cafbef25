/** Tells the log which jobs and which work of teams do not move. */
import { findStalledWork } from '../features/notices/stalled-work.ts';
import type { Db } from '../platform/database.ts';
import { readJobBacklog } from '../platform/job-backlog.ts';
import type { Log } from '../platform/log.ts';

const LOOK_EVERY_MS = 60_000;

export interface StalledWatch {
  close(): Promise<void>;
}

/** Looks first after a minute: what has waited while nothing ran is moving again by then. */
export function watchStalledWork(db: Db, log: Log, everyMs = LOOK_EVERY_MS): StalledWatch {
  async function look(): Promise<void> {
    try {
      const lines = await readJobBacklog(db);
      for (const { job, queue, waiting, since, hasStalled } of lines) {
        if (hasStalled) log.warn({ job, queue, waiting, since }, 'jobs: jobs of this kind do not move');
      }
      for (const { teamId, kind, id, since, lastError } of await findStalledWork(db, null, lines)) {
        // An endpoint that fails is a matter of its owner.
        if (lastError === null) log.warn({ teamId, kind, id, since }, 'jobs: work of a team does not move');
      }
    } catch (error) {
      log.warn({ err: error }, 'jobs: cannot look for work that does not move');
    }
  }

  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = look();
  }, everyMs);
  return {
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
