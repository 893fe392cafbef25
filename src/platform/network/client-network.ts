/**
 * The network of a client, used as the key of rate limits. For IPv6 it is the /64: a provider gives every customer
 * at least one of those (RFC 6177), so a client can use any number of addresses in it.
 */
import { isIPv6 } from 'node:net';

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;
const MAPPED_IPV4 = '0:0:0:0:0:ffff';

export function networkOf(ip: string): string {
  // Remove the zone of a link-local address.
  const address = ip.split('%', 1)[0]!;
  if (!isIPv6(address)) return ip;
  const groups = toGroups(address);
  if (groups.slice(0, 6).join(':') === MAPPED_IPV4) return toIpv4(groups.slice(6));
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

/** Returns all eight groups without leading zeros. */
function toGroups(address: string): string[] {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = [], back = []] = shortest.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(GROUPS - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back];
}

function toIpv4(groups: string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 0xff])
    .join('.');
}
