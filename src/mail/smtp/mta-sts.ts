/**
 * MTA-STS (RFC 8461): a domain publishes over HTTPS which hosts accept its mail, and that they must be reached
 * over TLS with a valid certificate. Only `enforce` binds us; `testing` and `none` leave TLS opportunistic.
 * The ID in the TXT record shows when there is a new policy. A cached policy stays valid until its max_age
 * ends, even if TXT or HTTPS are unavailable. Otherwise an attacker who drops packets could remove it (section
 * 5.1). A domain without a cached policy whose policy cannot be fetched has none.
 */
import type { Dns } from '../auth/dns.ts';
import type { DaneMatch } from './match-tlsa.ts';
import { fetchPolicy, type StsPolicy, type StsWeb } from './mta-sts-policy.ts';

export interface MtaSts {
  /** Returns the policy that applies to mail to this domain now, or null. */
  findPolicy(domain: string): Promise<StsPolicy | null>;
}

export interface HostSecurity {
  tls: 'starttls-required' | 'starttls-if-offered';
  verifyCertificate: boolean;
  servername: string;
  dane?: DaneMatch;
}

interface CachedPolicy {
  policy: StsPolicy | null;
  /** The ID of the fetched policy. */
  id: string | null;
  expiresAt: number;
  checkAgainAt: number;
}

/** Time between two checks of one domain, also after a failed fetch (section 3.3). */
const CHECK_AGAIN_MS = 5 * 60_000;
const MAX_DOMAINS = 20_000;

export function createMtaSts(dns: Dns, web: StsWeb = {}, now: () => number = Date.now): MtaSts {
  const cache = new Map<string, CachedPolicy>();
  const pending = new Map<string, Promise<CachedPolicy>>();

  async function refresh(domain: string, old: CachedPolicy | undefined): Promise<CachedPolicy> {
    const record = await dns.txt(`_mta-sts.${domain}`);
    const at = now();
    const valid = old?.policy && old.expiresAt > at ? old : null;
    const unchanged: CachedPolicy = {
      policy: valid?.policy ?? null,
      id: valid?.id ?? null,
      expiresAt: valid?.expiresAt ?? at,
      checkAgainAt: at + CHECK_AGAIN_MS,
    };
    const id = record.kind === 'found' ? readId(record.records) : null;
    // Fetched again before it expires, so that a domain that is used daily always has a policy (section 3.3).
    const isFresh = valid !== null && valid.expiresAt - at > (valid.policy!.maxAgeSeconds * 1000) / 2;
    if (id === null || (id === valid?.id && isFresh)) return unchanged;

    const fetched = await fetchPolicy(dns, domain, web);
    if ('problem' in fetched) return unchanged;
    return { ...unchanged, policy: fetched, id, expiresAt: at + fetched.maxAgeSeconds * 1000 };
  }

  async function check(domain: string, old: CachedPolicy | undefined): Promise<CachedPolicy> {
    const cached = await refresh(domain, old);
    cache.delete(domain);
    cache.set(domain, cached);
    // A Map keeps the insertion order, so the first key is the one that was checked longest ago.
    if (cache.size > MAX_DOMAINS) cache.delete(cache.keys().next().value!);
    return cached;
  }

  return {
    async findPolicy(domain) {
      let cached = cache.get(domain);
      if (!cached || cached.checkAgainAt <= now()) {
        let request = pending.get(domain);
        if (!request) {
          request = check(domain, cached).finally(() => pending.delete(domain));
          pending.set(domain, request);
        }
        cached = await request;
      }
      return cached.expiresAt > now() ? cached.policy : null;
    },
  };
}

/** Returns how to connect to this host, or null when the policy excludes it. */
export function secureHost(policy: StsPolicy | null, mxName: string): HostSecurity | null {
  if (policy?.mode !== 'enforce')
    return { tls: 'starttls-if-offered', verifyCertificate: false, servername: mxName };
  if (!mayUseHost(policy, mxName)) return null;
  return { tls: 'starttls-required', verifyCertificate: true, servername: mxName };
}

/** Section 4.1: an exact name, or a star in place of one label. */
export function mayUseHost(policy: StsPolicy, mxName: string): boolean {
  const name = mxName.toLowerCase().replace(/\.$/, '');
  const parent = name.slice(name.indexOf('.') + 1);
  return policy.mx.some((pattern) =>
    pattern.startsWith('*.') ? pattern.slice(2) === parent && parent !== name : pattern === name,
  );
}

/** Reads the ID of the only STSv1 record (section 3.1). Several records, or one without an ID, count as none. */
function readId(records: string[]): string | null {
  const ours = records.filter((text) => /^v=STSv1\s*(;|$)/.test(text));
  if (ours.length !== 1) return null;
  return /;\s*id\s*=\s*([A-Za-z0-9]{1,32})\s*(?:;|$)/.exec(ours[0]!)?.[1] ?? null;
}
