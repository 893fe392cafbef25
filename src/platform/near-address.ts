/**
 * Who stands near, by the address that a socket names: this machine, or a network that is private to its people
 * (RFC 1918, RFC 4193). IPv4 inside of IPv6, as a socket for both writes it, counts as what it is.
 */
import { BlockList, isIP } from 'node:net';

const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8, 'ipv4');
thisMachine.addAddress('::1', 'ipv6');

const privateNetworks = new BlockList();
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4');
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4');
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4');
privateNetworks.addSubnet('fc00::', 7, 'ipv6');

export function isThisMachine(address: string): boolean {
  return isIn(thisMachine, address);
}

export function isNearby(address: string): boolean {
  return isIn(thisMachine, address) || isIn(privateNetworks, address);
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
