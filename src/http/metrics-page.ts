/** GET /metrics for Prometheus, and GET /healthz. */
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sha256 } from '../platform/crypto.ts';
import { ping, type Db } from '../platform/database/database.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import { AppError } from '../platform/errors.ts';
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

/** Monitors are promised a response within 3 s. */
const HEALTH_TIMEOUT_MS = 2_000;

/**
 * Serves health checks. Concurrent checks share one query. A query that does not end in time is left alone, and the next
 * check begins another one, on another connection.
 */
export function createHealthPage({ db, disk }: { db: Db; disk: DiskSpace }): PageHandler {
  let checking: Promise<void> | null = null;
  async function check(): Promise<void> {
    await ping(db, HEALTH_TIMEOUT_MS);
    await disk.require();
  }
  return async (exchange) => {
    const current = (checking ??= check().finally(() => {
      if (checking === current) checking = null;
    }));
    const timedOut = Symbol('timed out');
    const timer = new AbortController();
    const timeout = wait(HEALTH_TIMEOUT_MS, timedOut, { signal: timer.signal }).catch(() => null);
    if ((await Promise.race([current, timeout]).finally(() => timer.abort())) === timedOut) {
      if (checking === current) checking = null;
      throw new AppError('UNAVAILABLE', 'The database does not respond. Try again in a moment.');
    }
    return exchange.answer(200, 'application/json', '{"status":"ok"}');
  };
}
