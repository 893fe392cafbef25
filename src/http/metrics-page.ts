/** GET /metrics for Prometheus, and GET /healthz. */
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../platform/crypto.ts';
import { ping, type Db } from '../platform/database/database.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import { isThisMachine } from '../platform/network/local-address.ts';
import { addProcessMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import type { Answer, Exchange } from './requests/exchange.ts';
import { readBearer } from './routing/authenticate.ts';

export type PageHandler = (exchange: Exchange) => Promise<Answer>;

export function createMetricsPage(
  { registry }: Pick<Metrics, 'registry'>,
  token: string | null,
): PageHandler {
  addProcessMetrics(registry);
  return async (exchange) => {
    if (!mayRead(exchange, token)) return exchange.answer(404, 'text/plain', 'Not found\n');
    return exchange.answer(200, registry.contentType, await registry.metrics());
  };
}

/** If METRICS_TOKEN is set, the request needs it. Otherwise only direct connections from this computer are allowed. */
function mayRead(exchange: Exchange, token: string | null): boolean {
  if (token !== null) {
    return timingSafeEqual(sha256(readBearer(exchange.requestHeader('authorization')) ?? ''), sha256(token));
  }
  const forwarded = exchange.requestHeader('x-forwarded-for') ?? exchange.requestHeader('forwarded');
  const address = exchange.incoming.socket.remoteAddress ?? '';
  return forwarded === undefined && isThisMachine(address);
}

/** Serves health checks. Concurrent checks share one query. */
export function createHealthPage({ db, disk }: { db: Db; disk: DiskSpace }): PageHandler {
  let pinging: Promise<void> | null = null;
  return async (exchange) => {
    pinging ??= ping(db).finally(() => (pinging = null));
    await pinging;
    await disk.require();
    return exchange.answer(200, 'application/json', '{"status":"ok"}');
  };
}
