/** The jobs that wait, as numbers for Prometheus. Asked of the database once for each time that they are read. */
import { Gauge, type Registry } from 'prom-client';
import { findStalledWork, type StalledWork } from '../features/notices/stalled-work.ts';
import { STALLED_KINDS } from '../features/notices/notices.schema.ts';
import type { Db } from '../platform/database.ts';
import { readJobBacklog, type JobLine } from '../platform/job-backlog.ts';

interface Backlog {
  lines: JobLine[];
  stalled: StalledWork[];
}

export function registerJobMetrics(registry: Registry, db: Db): void {
  let reading: Promise<Backlog | null> | null = null;

  async function read(): Promise<Backlog> {
    const lines = await readJobBacklog(db);
    return { lines, stalled: await findStalledWork(db, null, lines) };
  }

  /** Null while the database is away: the other numbers are told all the same. */
  function readOnce(): Promise<Backlog | null> {
    reading ??= read()
      .catch(() => null)
      .finally(() => (reading = null));
    return reading;
  }

  function addGauge(
    name: string,
    help: string,
    label: string,
    set: (gauge: Gauge, backlog: Backlog) => void,
  ) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const backlog = await readOnce();
        gauge.reset();
        if (backlog) set(gauge, backlog);
      },
    });
  }

  addGauge('posthorn_jobs_waiting', 'Jobs that are due and not done, by kind', 'job', (gauge, { lines }) => {
    for (const { job, waiting } of lines) gauge.inc({ job }, waiting);
  });
  addGauge('posthorn_jobs_failed', 'Jobs that are not tried again, by kind', 'job', (gauge, { lines }) => {
    for (const { job, failed } of lines) gauge.inc({ job }, failed);
  });
  addGauge(
    'posthorn_job_oldest_seconds',
    'Age of the oldest waiting job, by kind',
    'job',
    (gauge, { lines }) => {
      for (const [job, seconds] of oldest(lines, ({ job }) => job)) gauge.set({ job }, seconds);
    },
  );
  addGauge(
    'posthorn_stalled_seconds',
    'For how long work of a team has not moved, by kind; 0 when all of it moves',
    'kind',
    (gauge, { stalled }) => {
      const seconds = oldest(stalled, ({ kind }) => kind);
      for (const kind of STALLED_KINDS) gauge.set({ kind }, seconds.get(kind) ?? 0);
    },
  );
}

function oldest<Item extends { since: Date | null }>(
  items: Item[],
  nameOf: (item: Item) => string,
): Map<string, number> {
  const ages = new Map<string, number>();
  for (const item of items) {
    const seconds = item.since ? Math.max(0, (Date.now() - item.since.getTime()) / 1000) : 0;
    ages.set(nameOf(item), Math.max(ages.get(nameOf(item)) ?? 0, seconds));
  }
  return ages;
}
