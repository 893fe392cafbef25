/** The addresses from which mail leaves this server. */
import { isIP } from 'node:net';
import type { Dns } from '../../../mail/auth/dns.ts';
import { listedFormOf } from '../../../mail/auth/blocklists.ts';
import type { Egress, HealthSettings } from './health-subject.ts';

const MAX_ADDRESSES = 8;

/** Mail that is delivered directly leaves from the addresses of MAIL_HOST. */
export async function findEgresses(
  dns: Dns,
  { mailHost, mailTransport }: Pick<HealthSettings, 'mailHost' | 'mailTransport'>,
): Promise<Egress[]> {
  const ehlo = mailHost.replaceAll(/^\[|\]$/g, '').toLowerCase();
  const egress = { name: 'default', ehlo, unanswered: null };
  if (mailTransport === 'relay') return [{ ...egress, addresses: null }];
  if (isIP(ehlo) !== 0) return [{ ...egress, addresses: [ehlo] }];
  const answer = await dns.host(ehlo);
  if (answer.kind === 'failed') return [{ ...egress, addresses: [], unanswered: answer.reason }];
  const addresses = answer.kind === 'found' ? answer.records.slice(0, MAX_ADDRESSES).map(listedFormOf) : [];
  return [{ ...egress, addresses }];
}
