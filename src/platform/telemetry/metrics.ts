/**
 * The metrics of a process. Each component adds its own to the registry, and `/metrics` shows all of them. Labels have
 * a fixed set of values, so that the number of series is bounded.
 */
import type pg from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { UnexpectedErrors } from './unexpected-errors.ts';

/**
 * Figures from the database are kept for at least a second before they are read again, and for long enough that
 * reading takes at most a twentieth of the time.
 */
const MIN_FRESH_MS = 1_000;
const FRESH_TIMES_READING = 20;
/** A busy database must not delay a scrape. The figures are left out until they have been read. */
const MAX_WAIT_MS = 3_000;

export interface Metrics {
  registry: Registry;
  /** Shows the connections of a pool. */
  watchPool(name: string, pool: pg.Pool): void;
  /** Shows the use of a limited resource: how many are busy, and how many wait. */
  watchThreads(name: string, use: () => { busy: number; waiting: number }): void;
}

export function createMetrics(errors: UnexpectedErrors): Metrics {
  const registry = new Registry();
  const pools = new Map<string, pg.Pool>();
  const threads = new Map<string, () => { busy: number; waiting: number }>();
  registry.registerMetric(
    new Counter({
      name: 'posthorn_unexpected_errors_total',
      help: 'Unexpected errors, by source',
      labelNames: ['where'],
      registers: [],
      collect() {
        this.reset();
        for (const [where, count] of errors.counts()) this.inc({ where }, count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_database_connections',
      help: 'Database connections of this process, by pool and state',
      labelNames: ['pool', 'state'],
      registers: [],
      collect() {
        for (const [name, pool] of pools) {
          this.set({ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount);
          this.set({ pool: name, state: 'idle' }, pool.idleCount);
          this.set({ pool: name, state: 'waited_for' }, pool.waitingCount);
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_threads',
      help: 'Work for the worker threads of this process, by pool and state',
      labelNames: ['pool', 'state'],
      registers: [],
      collect() {
        for (const [name, use] of threads) {
          const { busy, waiting } = use();
          this.set({ pool: name, state: 'busy' }, busy);
          this.set({ pool: name, state: 'waiting' }, waiting);
        }
      },
    }),
  );
  return {
    registry,
    watchPool: (name, pool) => void pools.set(name, pool),
    watchThreads: (name, use) => void threads.set(name, use),
  };
}

/**
 * Adds memory, CPU, event loop and garbage collection. Collecting these costs time even without scrapes, so only a
 * process whose metrics can be read adds them.
 */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  // These are gauges with the suffix of a counter, which `promtool check metrics` rejects.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
}

/**
 * Reads figures at most once at a time and keeps them for a while. Returns null while they cannot be read or are
 * late, so that the other metrics are still shown.
 */
export function readSometimes<Figures>(read: () => Promise<Figures>): () => Promise<Figures | null> {
  let reading: Promise<Figures | null> | null = null;
  let last: { figures: Figures | null; freshUntilMs: number } | null = null;
  return async () => {
    const startedAt = performance.now();
    if (last && startedAt < last.freshUntilMs) return last.figures;
    reading ??= read()
      .catch(() => null)
      .then((figures) => {
        const now = performance.now();
        const freshMs = Math.max(MIN_FRESH_MS, (now - startedAt) * FRESH_TIMES_READING);
        last = { figures, freshUntilMs: now + freshMs };
        reading = null;
        return figures;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS, null)));
    return Promise.race([reading, late]).finally(() => clearTimeout(timer));
  };
}
