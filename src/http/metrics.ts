/** Numbers for Prometheus at GET /metrics. Labels are route patterns, so their number is bounded. */
import { timingSafeEqual } from 'node:crypto';
import type pg from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { sha256 } from '../platform/crypto.ts';
import type { Db } from '../platform/database.ts';
import { isThisMachine } from '../platform/near-address.ts';
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';
import type { Answer, Exchange } from './exchange.ts';
import { registerJobMetrics } from './job-metrics.ts';

export interface HttpMetrics {
  observe(method: string, route: string, status: number, seconds: number): void;
  /** An open or a click: counted and not timed, for they come by the thousand and are answered on the spot. */
  countVisit(route: string, status: number): void;
  serve(exchange: Exchange): Promise<Answer>;
}

export interface MetricsTools {
  db: Db;
  pool: pg.Pool;
  errors: UnexpectedErrors;
  metricsToken: string | null;
}

export function createHttpMetrics({ db, pool, errors, metricsToken: token }: MetricsTools): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerJobMetrics(registry, db);
  const requests = new Histogram({
    name: 'posthorn_http_request_seconds',
    help: 'Time from the request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const series = new Map<string, { observe(seconds: number): void }>();
  const visits = new Map<string, { labels: { route: string; status: string }; count: number }>();
  registry.registerMetric(
    new Counter({
      name: 'posthorn_visits_total',
      help: 'Requests for pixels and tracked links',
      labelNames: ['route', 'status'],
      registers: [],
      collect() {
        this.reset();
        for (const { labels, count } of visits.values()) this.inc(labels, count);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: 'posthorn_unexpected_errors_total',
      help: 'Errors that no code expected, by where they came from',
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
      help: 'Connections of the HTTP door, by state',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'waited_for' }, pool.waitingCount);
      },
    }),
  );
  return {
    observe(method, route, status, seconds) {
      // Finding the series by its labels costs more than counting.
      const name = `${method} ${route} ${status}`;
      let one = series.get(name);
      if (!one) series.set(name, (one = requests.labels(method, route, String(status))));
      one.observe(seconds);
    },
    countVisit(route, status) {
      const name = `${route} ${status}`;
      const one = visits.get(name);
      if (one) one.count += 1;
      else visits.set(name, { labels: { route, status: String(status) }, count: 1 });
    },
    async serve(exchange) {
      if (!mayRead(exchange, token)) return exchange.answer(404, 'text/plain', 'Not found\n');
      return exchange.answer(200, registry.contentType, await registry.metrics());
    },
  };
}

/** With a token: whoever has it. Without: only a direct connection from this machine, not through a proxy. */
function mayRead(exchange: Exchange, token: string | null): boolean {
  if (token !== null) {
    return timingSafeEqual(sha256(exchange.requestHeader('authorization') ?? ''), sha256(`Bearer ${token}`));
  }
  const forwarded = exchange.requestHeader('x-forwarded-for') ?? exchange.requestHeader('forwarded');
  const address = exchange.incoming.socket.remoteAddress ?? '';
  return forwarded === undefined && isThisMachine(address);
}
