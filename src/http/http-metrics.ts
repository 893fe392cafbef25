/** Metrics of HTTP requests. Labels are route patterns, so their number is bounded. */
import { Counter, Histogram } from 'prom-client';
import type { Metrics } from '../platform/telemetry/metrics.ts';

export interface HttpMetrics {
  observe(method: string, route: string, status: number, seconds: number): void;
  /** Counts an open or a click without its duration, because there are thousands of them and all are fast. */
  countVisit(route: string, status: number): void;
}

export function createHttpMetrics({ registry }: Pick<Metrics, 'registry'>): HttpMetrics {
  const requests = new Histogram({
    name: 'posthorn_http_request_seconds',
    help: 'Time from request to response',
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
  return {
    observe(method, route, status, seconds) {
      // prom-client's lookup by labels costs more than counting, so the series are cached.
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
  };
}
