/** The addresses from which mail leaves this server. */
import { isIP } from 'node:net';
import type { Dns } from '../../../mail/auth/dns.ts';
import { listedFormOf } from '../../../mail/auth/blocklists.ts';
import { isPublicAddress } from '../../../platform/network/public-address.ts';
import type { EgressSetting } from '../../instance/facts.ts';
import type { Egress, HealthSettings } from './health-subject.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';

const MAX_ADDRESSES = 8;

/** Mail that is delivered directly leaves from the addresses of MAIL_HOST, and from those of EGRESS_<NAME>. */
export async function findEgresses(
  dns: Dns,
  settings: Pick<HealthSettings, 'mailHost' | 'mailTransport' | 'egresses' | 'directAllowPrivate'>,
): Promise<Egress[]> {
  const ways = settings.egresses.ways.map((way) => findWay(dns, way, settings.directAllowPrivate));
  return (await Promise.all([findDefault(dns, settings), ...ways])).flat();
}

/** Behind NAT the local address is private, and mail leaves from the address that the name has in DNS. */
async function findWay(dns: Dns, way: EgressSetting, allowPrivate: boolean): Promise<Egress[]> {
  const { name } = way;
  if (way.kind === 'relay')
    return [{ name, ehlo: new URL(way.url).hostname, addresses: null, named: null, unanswered: null }];
  const local = listedFormOf(way.localAddress);
  const answer = await dns.host(way.localName);
  const named = answer.kind === 'found' ? answer.records.slice(0, MAX_ADDRESSES).map(listedFormOf) : [];
  const isOwn = allowPrivate || isPublicAddress(local);
  const addresses = isOwn ? [local] : named;
  const unanswered = answer.kind === 'failed' ? answer.reason : null;
  return [{ name, ehlo: way.localName, addresses, named: isOwn ? named : null, unanswered }];
}

async function findDefault(
  dns: Dns,
  { mailHost, mailTransport }: Pick<HealthSettings, 'mailHost' | 'mailTransport'>,
): Promise<Egress[]> {
  const ehlo = bareHost(mailHost).toLowerCase();
  const egress = { name: 'default', ehlo, named: null, unanswered: null };
  if (mailTransport === 'relay') return [{ ...egress, addresses: null }];
  if (isIP(ehlo) !== 0) return [{ ...egress, addresses: [ehlo] }];
  const answer = await dns.host(ehlo);
  if (answer.kind === 'failed') return [{ ...egress, addresses: [], unanswered: answer.reason }];
  const addresses = answer.kind === 'found' ? answer.records.slice(0, MAX_ADDRESSES).map(listedFormOf) : [];
  return [{ ...egress, addresses }];
}
