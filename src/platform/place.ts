/**
 * From where somebody comes, for whoever counts what one place does. Of IPv6 that is a network of 64 bits: a provider
 * gives every customer at least one of those (RFC 6177), so that a single address of it costs nothing.
 */
import { isIPv6 } from 'node:net';

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;
const MAPPED_IPV4 = '0:0:0:0:0:ffff';

export function placeOf(ip: string): string {
  // The zone of a link-local address is no part of it.
  const address = ip.split('%', 1)[0]!;
  if (!isIPv6(address)) return ip;
  const groups = toGroups(address);
  if (groups.slice(0, 6).join(':') === MAPPED_IPV4) return toIpv4(groups.slice(6));
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

/** All eight, each without leading zeros. */
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
