/**
 * Decides under which hosts this instance is served. A site of someone else whose name leads here must not show our
 * dashboard, nor send requests to it from the browsers of a private network (DNS rebinding).
 * - Known are the hosts of BASE_URL and MAIL_HOST, ALLOWED_HOSTS, and localhost. IP addresses are known too, because no
 *   site can choose them.
 * - Without BASE_URL every host is served, so that a new instance can be opened by any name of its machine. Links never
 *   follow the Host header.
 * - /healthz is served under any host, because load balancers choose their own.
 * - The paths with which email apps find the servers are also served under the domains of the teams.
 * - Only Host counts. X-Forwarded-Host is not read anywhere.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { namedHosts } from './host-header.ts';

export interface HostSettings {
  baseUrl: string;
  isBaseUrlSet: boolean;
  mailHost: string;
  /** `*` allows all. */
  allowedHosts: readonly string[];
}

/** Returns the first host of a request for this path that is not ours; null if all are ours. */
export type FindForeignHost = (incoming: IncomingMessage, path: string) => string | null;

const HEALTH_PATH = '/healthz';

export function createHostCheck({
  baseUrl,
  isBaseUrlSet,
  mailHost,
  allowedHosts,
}: HostSettings): FindForeignHost {
  if (!isBaseUrlSet || allowedHosts.includes('*')) return () => null;
  const known = new Set(['localhost', new URL(baseUrl).hostname, mailHost, ...allowedHosts].map(toName));

  function isForeign(name: string): boolean {
    return !known.has(name) && isIP(name) === 0 && !name.endsWith('.localhost');
  }
  return (incoming, path) =>
    path === HEALTH_PATH ? null : (namedHosts(incoming).map(toName).find(isForeign) ?? null);
}

/** A dot at the end of a name changes nothing. */
function toName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
