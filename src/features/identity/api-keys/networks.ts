/** IP addresses and networks (CIDR) that a key may be used from. */
import { BlockList, isIP } from 'node:net';

export function isNetwork(given: string): boolean {
  return parseNetwork(given) !== null;
}

function parseNetwork(given: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | null {
  const [address = '', prefix, ...rest] = given.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const most = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(bits >= 0 && bits <= most)) return null;
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Returns a function that tells whether an address is in one of the networks. */
export function networkFilter(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const parsed = parseNetwork(network);
    if (parsed) list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return (ip) => {
    const version = isIP(ip);
    return version !== 0 && list.check(ip, version === 6 ? 'ipv6' : 'ipv4');
  };
}
