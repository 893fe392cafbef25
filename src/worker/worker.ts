/** The worker door: does the jobs that the other doors left behind, and what falls due by the clock. */
import { openDatabase } from '../platform/database.ts';
import { startJobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { createHandlers, schedule } from './handlers.ts';

export interface Worker {
  close(): Promise<void>;
}

const CONCURRENT_JOBS = 4;
/** One for each job, and for the queue's own: listening, presence, fetching. */
const CONNECTIONS = CONCURRENT_JOBS + 4;

export async function openWorker(databaseUrl: string, log: Log): Promise<Worker> {
  const database = openDatabase(databaseUrl, {
    connections: CONNECTIONS,
    onError: (error) => log.warn({ reason: error.message }, 'worker: database connection lost'),
  });
  const jobs = await startJobs(database.pool, log, createHandlers(database.db), schedule, CONCURRENT_JOBS);
  return {
    async close() {
      await jobs.close();
      await database.close();
    },
  };
}
