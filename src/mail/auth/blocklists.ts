/** Asks DNS blocklists about addresses and domains (RFC 5782). */
import { isIPv6 } from 'node:net';
import type { Dns } from './dns.ts';
import { reverseLabelsOf } from './dns.ts';

export interface BlocklistZone {
  zone: string;
  /** Whether the list has IP addresses or domains. */
  lists: 'addresses' | 'domains';
}

export type BlocklistAnswer =
  | { kind: 'clear' }
  | { kind: 'listed'; codes: string[] }
  /** The list did not answer the question, for example because it refuses public resolvers. */
  | { kind: 'unusable'; reason: string };

/**
 * Answers of Spamhaus and others that are no listing: https://www.spamhaus.org/faqs/dnsbl-usage/ for 127.255.255.x.
 * URIBL and SURBL answer 127.0.0.1 to resolvers that they block.
 */
const REFUSALS: Record<string, string> = {
  '127.255.255.252': 'the name of the zone is mistyped',
  '127.255.255.254': 'it does not answer public DNS servers; use a DNS server of your own, or a key',
  '127.255.255.255': 'it was asked too often',
  '127.0.0.1': 'it does not answer this DNS server',
};

export async function askBlocklist(
  dns: Dns,
  { zone, lists }: BlocklistZone,
  subject: string,
): Promise<BlocklistAnswer> {
  const labels = lists === 'addresses' ? reverseLabelsOf(subject) : subject.toLowerCase().replace(/\.$/, '');
  const answer = await dns.a(`${labels}.${zone}`);
  if (answer.kind === 'none') return { kind: 'clear' };
  if (answer.kind === 'failed') return { kind: 'unusable', reason: 'it did not respond' };
  const refusal = answer.records.find((code) => isRefusal(code));
  if (refusal !== undefined)
    return { kind: 'unusable', reason: REFUSALS[refusal] ?? `it answered ${refusal}, which is an error` };
  const codes = answer.records.filter((code) => code.startsWith('127.')).toSorted();
  // A resolver that invents addresses for names that do not exist would list everything.
  if (codes.length === 0)
    return {
      kind: 'unusable',
      reason: `it answered ${answer.records[0]}, which is not an answer of a blocklist`,
    };
  return { kind: 'listed', codes };
}

/** The zones that have the subject. Those that do not answer are left out. */
export async function findListings(
  dns: Dns,
  zones: BlocklistZone[],
  lists: BlocklistZone['lists'],
  subject: string,
): Promise<string[]> {
  const asked = zones.filter((zone) => zone.lists === lists);
  const answers = await Promise.all(asked.map((zone) => askBlocklist(dns, zone, subject).catch(() => null)));
  return asked.flatMap(({ zone }, at) => (answers[at]?.kind === 'listed' ? [zone] : []));
}

function isRefusal(code: string): boolean {
  return code.startsWith('127.255.255.') || code === '127.0.0.1';
}

/** Lists have single IPv6 addresses or networks; IPv4 addresses in IPv6 form are looked up as IPv4. */
export function listedFormOf(address: string): string {
  return isIPv6(address) ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address;
}
