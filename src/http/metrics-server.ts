/** METRICS_PORT: serves /metrics and /healthz of a process without the HTTP door. */
import type { Db } from '../platform/database/database.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { createHealthPage, createMetricsPage, type PageHandler } from './metrics-page.ts';
import { Exchange, type Answer } from './requests/exchange.ts';
import { openHttpServer, type HttpServer, type HttpServerOptions } from './server.ts';

interface MetricsServerTools extends HttpServerOptions {
  db: Db;
  disk: DiskSpace;
  metrics: Metrics;
  token: string | null;
}

export function openMetricsServer(tools: MetricsServerTools): Promise<HttpServer> {
  const pages: Record<string, PageHandler> = {
    '/metrics': createMetricsPage(tools.metrics, tools.token),
    '/healthz': createHealthPage(tools),
  };
  async function answer(exchange: Exchange): Promise<Answer> {
    const page = exchange.method === 'GET' || exchange.method === 'HEAD' ? pages[exchange.path] : undefined;
    if (!page) return exchange.answer(404, 'text/plain', 'Not found\n');
    return page(exchange).catch(() => exchange.answer(503, 'text/plain', 'Unavailable\n'));
  }
  return openHttpServer(async (incoming, outgoing) => {
    const exchange = new Exchange(incoming);
    const answered = await answer(exchange);
    await exchange.send(outgoing, answered);
  }, tools);
}
