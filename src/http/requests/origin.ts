/**
 * Rejects requests from other sites (CSRF). Browsers send headers that no page can forge: `Origin` (RFC 6454) with
 * every request that may change something, and `Sec-Fetch-Site`.
 */
import { AppError } from '../../platform/errors.ts';
import type { Exchange } from './exchange.ts';

export function refuseForeignOrigin(exchange: Exchange, baseUrl: string): void {
  if (exchange.requestHeader('sec-fetch-site') === 'same-origin') return;
  if (isOwnOrigin(exchange.requestHeader('origin'), exchange.requestHeader('host'), baseUrl)) return;
  throw new AppError('FORBIDDEN', 'This request was rejected because it comes from another site.');
}

/**
 * Our origins are that of BASE_URL and that of the requested host. The scheme is ignored, because a proxy may change
 * it.
 */
function isOwnOrigin(origin: string | undefined, host: string | undefined, baseUrl: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { host: originHost, protocol, origin: whole } = new URL(origin);
  if (whole === new URL(baseUrl).origin) return true;
  return /^https?:$/.test(protocol) && host !== undefined && originHost === host.toLowerCase();
}
