/** A resolver for many messages from the same place, each of which asks for the same records. */
import type { Dns, DnsAnswer } from './dns.ts';
import { createMemory } from './remember.ts';

type Ask<Item> = (name: string) => Promise<DnsAnswer<Item>>;

export function rememberDns(dns: Dns): Dns {
  return {
    txt: remember(dns.txt),
    mx: remember(dns.mx),
    a: remember(dns.a),
    aaaa: remember(dns.aaaa),
    cname: remember(dns.cname),
    host: dns.host,
  };
}

function remember<Item>(ask: Ask<Item>): Ask<Item> {
  const memory = createMemory<DnsAnswer<Item>>();
  return (name) => memory(name.toLowerCase(), () => ask(name));
}
