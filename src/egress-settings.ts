/** The settings EGRESS_<NAME> and EGRESS_POOL_<NAME>, whose names the operator chooses. */
import { isIP } from 'node:net';
import type { Egresses, EgressRoute } from './features/instance/facts.ts';
import { nameInSetting } from './platform/names-in-settings.ts';
import { optional, readHostName, readRelayUrl } from './read-setting.ts';

type Read = <Value>(name: string, reader: (text: string | undefined) => Value) => Value | undefined;

export function readEgresses(
  env: Record<string, string | undefined>,
  read: Read,
  problems: string[],
): Egresses {
  const egresses: Egresses = { ways: [], pools: {} };
  for (const name of Object.keys(env).toSorted()) {
    const [, pool, given = ''] = /^EGRESS_(POOL_)?([A-Z0-9_]{1,32})$/.exec(name) ?? [];
    if (!given) continue;
    const key = nameInSetting(given);
    if (pool) {
      const members = read(name, optional(readEgressPool));
      if (members) egresses.pools[key] = members;
    } else {
      const route = read(name, optional(readEgress));
      if (route) egresses.ways.push({ ...route, name: key });
    }
  }
  for (const [name, members] of Object.entries(egresses.pools))
    for (const { egress } of members)
      if (!egresses.ways.some((way) => way.name === egress))
        problems.push(
          `EGRESS_POOL_${name.toUpperCase().replaceAll('-', '_')} names "${egress}", but no EGRESS_ setting has that name`,
        );
  return egresses;
}

/** `direct:192.0.2.7#mail2.example.com`, or the URL of a relay. */
function readEgress(text: string): EgressRoute {
  const direct = /^direct:([0-9a-fA-F.:]+)#([^#\s]+)$/.exec(text);
  if (!direct && !/^smtps?:/.test(text))
    throw new Error('must be direct:<local IP>#<host name>, or the URL of a relay');
  if (!direct) return { kind: 'relay', url: readRelayUrl(text) };
  const [, localAddress = '', localName = ''] = direct;
  if (isIP(localAddress) === 0) throw new Error(`must have an IP address; "${localAddress}" is none`);
  return { kind: 'direct', localAddress, localName: readHostName(localName) };
}

/** `a:3,b:1`: names of EGRESS_<NAME> with their weights. */
function readEgressPool(text: string): { egress: string; weight: number }[] {
  return text.split(',').map((part) => {
    const [, egress = '', weight = '1'] = /^\s*([a-z0-9_-]{1,32})(?::(\d{1,4}))?\s*$/i.exec(part) ?? [];
    if (!egress || Number(weight) === 0)
      throw new Error(`must be a list such as first:3,second:1; "${part.trim()}" is not valid`);
    return { egress: nameInSetting(egress), weight: Number(weight) };
  });
}
