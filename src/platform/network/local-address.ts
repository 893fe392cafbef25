/**
 * Tells whether the remote address of a socket is this machine or in a private network (RFC 1918, RFC 4193).
 * IPv4-mapped IPv6 addresses, as dual-stack sockets report them, count as IPv4.
 */
import { BlockList, isIP } from 'node:net';
import { bareHost } from './bare-host.ts';

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

/** Whether every machine that opens the URL would connect to itself. */
export function leadsToThisMachine(url: string): boolean {
  const host = bareHost(new URL(url).hostname);
  return host === 'localhost' || host.endsWith('.localhost') || isThisMachine(host);
}

export function isLocalNetwork(address: string): boolean {
  return isIn(thisMachine, address) || isIn(privateNetworks, address);
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
