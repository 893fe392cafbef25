/**
 * What is served under the hosts of customers: the links of the team that has the host, and the MTA-STS policy of a
 * domain. Everything else is 404 there: the API, the dashboard, sign-in, forms and the metrics.
 *
 * The probe and the policy are answered for any host. Both only tell what belongs to the host that was asked for, and so
 * no process needs to have read the list of hosts again before a new host works.
 */
import type { IncomingMessage } from 'node:http';
import { findServedPolicy, POLICY_PATH } from '../../features/deliverability/mta-sts/served-policy.ts';
import type { HostDirectory, LinkHost } from '../../features/deliverability/link-hosts/host-directory.ts';
import { answerProbe, PROBE_PATH } from '../../features/deliverability/link-hosts/probe.ts';
import { LINK_PATHS } from '../../features/content/links/links.ts';
import { AppError } from '../../platform/errors.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { hasClearHost, namedHosts } from '../requests/host-header.ts';
import type { FindForeignHost } from '../requests/served-hosts.ts';
import { ARCHIVE_PATH } from './archive.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';

const SERVED_PATHS: string[] = [...Object.values(LINK_PATHS), ARCHIVE_PATH];

type AnswerUnderLinkHost = (exchange: Exchange) => Promise<Answer> | null;

/** Returns null for a request that this has nothing to do with. */
export function createLinkHostAnswerer(
  { db, facts }: PublicTools,
  routes: readonly PublicRoute[],
): AnswerUnderLinkHost {
  const served = routes.filter(({ path }) => SERVED_PATHS.includes(path));

  async function answerPolicy(exchange: Exchange, host: string): Promise<Answer> {
    exchange.routeName = POLICY_PATH;
    requireReading(exchange);
    const policy = await findServedPolicy(db, host, facts.mailHost);
    if (policy === null)
      throw new AppError('NOT_FOUND', `There is no MTA-STS policy for ${host.slice(0, 253)}.`);
    exchange.setHeader('cache-control', 'no-cache');
    return exchange.answer(200, 'text/plain; charset=utf-8', policy);
  }

  async function answerLink(exchange: Exchange, linkHost: LinkHost): Promise<Answer> {
    const route =
      linkHost.purpose === 'links' ? served.find(({ path }) => exchange.path.startsWith(path)) : undefined;
    if (!route) throw new AppError('NOT_FOUND', 'Nothing is served at this address.');
    exchange.routeName = route.path;
    return route.answer(exchange);
  }

  return (exchange) => {
    const { path, linkHost } = exchange;
    if (path.startsWith(PROBE_PATH)) {
      const answer = answerProbe(facts.secret, hostOf(exchange), path.slice(PROBE_PATH.length));
      if (answer !== null) {
        exchange.routeName = PROBE_PATH;
        return Promise.resolve(exchange.answer(200, 'text/plain; charset=utf-8', answer));
      }
    }
    if (path === POLICY_PATH) return answerPolicy(exchange, hostOf(exchange));
    return linkHost ? answerLink(exchange, linkHost) : null;
  };
}

interface FoundHost {
  /** Undefined for a host of ours and for a foreign one. */
  linkHost: LinkHost | undefined;
  servesLinks: boolean;
}

/** A request that names a link host beside another host is only served what belongs to the link host. */
export function createHostFinder({
  linkHosts,
  findForeignHost,
}: {
  linkHosts: Pick<HostDirectory, 'find'>;
  findForeignHost: FindForeignHost;
}): (incoming: IncomingMessage) => FoundHost {
  return (incoming) => {
    if (!hasClearHost(incoming)) return { linkHost: undefined, servesLinks: false };
    for (const host of namedHosts(incoming)) {
      const linkHost = linkHosts.find(host.replace(/\.$/, ''));
      if (linkHost) return { linkHost, servesLinks: linkHost.purpose === 'links' };
    }
    return { linkHost: undefined, servesLinks: findForeignHost(incoming, '') === null };
  };
}

function hostOf({ incoming }: Exchange): string {
  return (namedHosts(incoming)[0] ?? '').replace(/\.$/, '');
}

function requireReading(exchange: Exchange): void {
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return;
  exchange.setHeader('allow', 'GET, HEAD');
  throw new AppError('METHOD_NOT_ALLOWED', 'This path only supports GET, HEAD.');
}
