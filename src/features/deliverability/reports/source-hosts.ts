/** The host names of sources that are only known by their network, by reverse DNS. They are hints, and anyone can lie. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Dns } from '../../../mail/auth/dns.ts';
import { DAY_MS } from '../../../platform/durations.ts';

const MOST_LOOKED_UP = 20;
const MOST_KEPT = 2_000;
const LONGEST_MS = 2_000;
const MAX_NAME = 253;

interface Kept {
  until: number;
  host: Promise<string | null>;
}

const kept = new Map<string, Kept>();

/** Returns what is known in time, by address. */
export async function findHosts(dns: Dns, addresses: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const looking = addresses.slice(0, MOST_LOOKED_UP).map(async (address) => {
    const host = await findHost(dns, address);
    if (host !== null) found.set(address, host);
  });
  const stopping = new AbortController();
  const late = wait(LONGEST_MS, undefined, { ref: false, signal: stopping.signal }).catch(() => {});
  await Promise.race([Promise.all(looking), late]);
  stopping.abort();
  return found;
}

function findHost(dns: Dns, address: string): Promise<string | null> {
  const known = kept.get(address);
  if (known && known.until > Date.now()) return known.host;
  if (kept.size >= MOST_KEPT) kept.clear();
  const host = dns
    .ptr(address)
    .then((answer) =>
      answer.kind === 'found'
        ? (answer.records[0]?.toLowerCase().replace(/\.$/, '').slice(0, MAX_NAME) ?? null)
        : null,
    )
    .catch(() => null);
  kept.set(address, { until: Date.now() + DAY_MS, host });
  return host;
}
