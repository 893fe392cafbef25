/**
 * GET /internal/tls-allowed?domain=…: whether a proxy in front may get a certificate for a host (`ask` of Caddy). The
 * answer comes from memory, because the proxy asks at every handshake with a host that is new to it.
 */
import type { HostDirectory } from '../features/deliverability/link-hosts/host-directory.ts';
import type { Facts } from '../features/instance/facts.ts';
import { isLocalNetwork } from '../platform/network/local-address.ts';
import type { PageHandler } from './metrics-page.ts';
import type { Exchange } from './requests/exchange.ts';

export const TLS_ALLOWED_PATH = '/internal/tls-allowed';

interface TlsTools {
  facts: Pick<Facts, 'baseUrl' | 'mailHost'>;
  linkHosts: Pick<HostDirectory, 'find'>;
}

export function createTlsAllowedPage({ facts, linkHosts }: TlsTools): PageHandler {
  const ours = [new URL(facts.baseUrl).hostname, facts.mailHost].map((host) => host.toLowerCase());
  return async (exchange) => {
    const say = (status: number, text: string) =>
      exchange.answer(status, 'text/plain; charset=utf-8', `${text}\n`);
    // To everyone else, this page does not exist.
    if (!isDirectAndLocal(exchange)) return say(404, 'Not found');
    const { searchParams } = new URL(exchange.incoming.url ?? '/', 'http://localhost');
    const host = (searchParams.get('domain') ?? '').toLowerCase().replace(/\.$/, '');
    if (host === '') return say(400, 'The parameter domain is missing.');
    // A host whose DNS does not lead here would only cost failed orders.
    const isAllowed = ours.includes(host) || linkHosts.find(host)?.isReady === true;
    return isAllowed ? say(200, 'allowed') : say(404, 'not allowed');
  };
}

/** A request that a proxy passes on from outside comes from the proxy's address, but says so. */
function isDirectAndLocal(exchange: Exchange): boolean {
  const forwarded = exchange.requestHeader('x-forwarded-for') ?? exchange.requestHeader('forwarded');
  return forwarded === undefined && isLocalNetwork(exchange.incoming.socket.remoteAddress ?? '');
}
