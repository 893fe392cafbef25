/** Caches DNS responses, because many messages from one sender need the same records. */
import type { Dns, DnsAnswer } from './dns.ts';
import { createMemoizer } from '../../platform/concurrency/memoize.ts';

type Ask<Item> = (name: string) => Promise<DnsAnswer<Item>>;

export function cacheDns(dns: Dns): Dns {
  return {
    txt: remember(dns.txt),
    mx: remember(dns.mx),
    a: remember(dns.a),
    aaaa: remember(dns.aaaa),
    ptr: remember(dns.ptr),
    cname: remember(dns.cname),
    caa: remember(dns.caa),
    host: dns.host,
  };
}

function remember<Item>(ask: Ask<Item>): Ask<Item> {
  const memory = createMemoizer<DnsAnswer<Item>>();
  return (name) => memory(name.toLowerCase(), () => ask(name));
}
