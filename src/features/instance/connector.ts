/**
 * Opens connections to addresses that others name, such as the endpoints of webhooks. When private addresses are not
 * allowed, the resolved address is checked at each connection, so a host name cannot lead to a private network by
 * changing its DNS records later.
 */
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { Dns } from '../../mail/auth/dns.ts';
import { isPrivateHost, isPublicAddress } from '../../platform/network/public-address.ts';

const CONNECT_TIMEOUT_MS = 10_000;

class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

export function createConnector(dns: Dns, allowPrivate: boolean): buildConnector.connector {
  const findAddresses = callbackify(async (hostname: string): Promise<LookupAddress[]> => {
    const answer = await dns.host(hostname);
    if (answer.kind !== 'found') throw Object.assign(new Error('Host not found'), { code: 'ENOTFOUND' });
    const allowed = allowPrivate ? answer.records : answer.records.filter(isPublicAddress);
    if (allowed.length === 0) throw new PrivateAddressError();
    return allowed.map((address) => ({ address, family: isIP(address) }));
  });
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    // Node then asks for all addresses and uses the first that connects.
    autoSelectFamily: true,
    lookup: (hostname, _options, callback) => findAddresses(hostname, callback),
  });
  return (options, callback) => {
    // An IP address in the URL is not resolved, so the lookup would not check it.
    if (!allowPrivate && isPrivateHost(options.hostname)) return callback(new PrivateAddressError(), null);
    return connect(options, callback);
  };
}
