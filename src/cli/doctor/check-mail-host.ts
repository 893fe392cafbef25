/** Looks up MAIL_HOST and its reverse DNS, by which other mail servers judge this one. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Config } from '../../config.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { bareHost } from '../../platform/network/bare-host.ts';
import { isPublicAddress } from '../../platform/network/public-address.ts';
import { failure, passed, warning, type DoctorFinding } from './finding.ts';

export async function checkMailHost({ mailHost, mailTransport }: Config, dns: Dns): Promise<DoctorFinding[]> {
  const name = bareHost(mailHost);
  if (mailTransport === 'sandbox') return [passed('MAIL_HOST', name)];
  if (isIP(name) !== 0 || !name.includes('.')) {
    const words = `other mail servers reject email from a server named ${name}`;
    return [warning('MAIL_HOST', words, 'Set MAIL_HOST to the public host name of this machine.')];
  }
  const found = await dns.host(name);
  // Mail through a relay does not need the name, but reports about that mail cannot come back without it.
  const report = mailTransport === 'direct' ? failure : warning;
  if (found.kind === 'failed')
    return [report('MAIL_HOST', `${name} cannot be looked up: ${found.reason}`, 'Check DNS_SERVERS.')];
  if (found.kind === 'none') {
    const words = `${name} has no address, so other servers reject its email and cannot return bounces`;
    return [
      report('MAIL_HOST', words, `Create an A record for ${name} with the public address of this machine.`),
    ];
  }
  const addresses = found.records;
  const isDirect = mailTransport === 'direct';
  const reverse = isDirect
    ? await Promise.all(addresses.map((address) => checkReverse(name, address, dns)))
    : [];
  return [judgeAddresses(name, addresses, ownAddresses()), ...reverse];
}

/**
 * Behind NAT the machine does not know its public address, so addresses are compared only if the machine has a public
 * one.
 */
export function judgeAddresses(name: string, addresses: string[], own: string[]): DoctorFinding {
  const words = `${name} has the address ${addresses.join(', ')}`;
  if (!addresses.some(isPublicAddress))
    return warning(
      'MAIL_HOST',
      `${words}, which is not public`,
      'Other servers cannot connect to it. Use a public address.',
    );
  if (addresses.some((address) => own.includes(address)))
    return passed('MAIL_HOST', `${words}, this machine`);
  if (!own.some(isPublicAddress))
    return passed('MAIL_HOST', `${words} (this machine has no public address of its own to compare)`);
  return warning(
    'MAIL_HOST',
    `${words}, but this machine has ${own.filter(isPublicAddress).join(', ')}`,
    `Change the A and AAAA records of ${name}, or set MAIL_HOST to the name of this machine.`,
  );
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
}

async function checkReverse(name: string, address: string, dns: Dns): Promise<DoctorFinding> {
  const about = 'PTR';
  const advice = `Ask the provider of the address to set its reverse DNS to ${name}.`;
  const found = await dns.ptr(address);
  if (found.kind === 'failed')
    return warning(about, `${address} cannot be looked up: ${found.reason}`, 'Check DNS_SERVERS.');
  if (found.kind === 'none')
    return failure(about, `${address} has no reverse DNS; large providers reject its email`, advice);
  const names = found.records.map((record) => record.replace(/\.$/, '').toLowerCase());
  if (names.includes(name.toLowerCase())) return passed(about, `${address} is ${name}`);
  return warning(about, `${address} is ${names.join(', ')}, not ${name}`, advice);
}
