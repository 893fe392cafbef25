/**
 * MTA-STS (RFC 8461): a domain says over HTTPS which hosts take its mail and that they must be reached under TLS with
 * a certificate of theirs. Only `enforce` binds us; `testing` and `none` leave TLS opportunistic.
 *
 * The TXT record tells by its id when there is a new policy. A policy once seen holds until its max_age ends, even
 * where TXT and HTTPS are silent or gone by then: otherwise whoever can drop packets could take it away (section 5.1).
 * A domain that was never seen with a policy, and whose policy cannot be had, has none.
 */
import type { Dns } from './dns.ts';
import { fetchPolicy, type StsPolicy, type StsWeb } from './mta-sts-policy.ts';

export interface MtaSts {
  /** The policy that binds mail to this domain now, or null. */
  findPolicy(domain: string): Promise<StsPolicy | null>;
}

export interface HostSecurity {
  tls: 'starttls-required' | 'starttls-if-offered';
  verifyCertificate: boolean;
  servername: string;
}

interface Known {
  policy: StsPolicy | null;
  /** Of the version that was fetched, or that could not be. */
  id: string | null;
  expiresAt: number;
  askAgainAt: number;
}

/** Between two questions for one domain; a failed fetch also waits that long (section 3.3). */
const ASK_AGAIN_MS = 5 * 60_000;
const MOST_DOMAINS = 20_000;

export function createMtaSts(dns: Dns, web: StsWeb = {}, now: () => number = Date.now): MtaSts {
  const cache = new Map<string, Known>();
  const underWay = new Map<string, Promise<Known>>();

  async function renew(domain: string, old: Known | undefined): Promise<Known> {
    const record = await dns.txt(`_mta-sts.${domain}`);
    const at = now();
    const held = old?.policy && old.expiresAt > at ? old : null;
    const unchanged: Known = {
      policy: held?.policy ?? null,
      id: held?.id ?? null,
      expiresAt: held?.expiresAt ?? at,
      askAgainAt: at + ASK_AGAIN_MS,
    };
    const id = record.kind === 'found' ? readId(record.records) : null;
    // Fetched again in time, so that a domain that is mailed daily never falls out of its policy (section 3.3).
    const isFresh = held !== null && held.expiresAt - at > (held.policy!.maxAgeSeconds * 1000) / 2;
    if (id === null || (id === held?.id && isFresh)) return unchanged;

    const fetched = await fetchPolicy(dns, domain, web);
    if ('problem' in fetched) return unchanged;
    return { ...unchanged, policy: fetched, id, expiresAt: at + fetched.maxAgeSeconds * 1000 };
  }

  async function ask(domain: string, old: Known | undefined): Promise<Known> {
    const known = await renew(domain, old);
    cache.delete(domain);
    cache.set(domain, known);
    // The one that was asked for longest ago goes first: a Map keeps the order of insertion.
    if (cache.size > MOST_DOMAINS) cache.delete(cache.keys().next().value!);
    return known;
  }

  return {
    async findPolicy(domain) {
      let known = cache.get(domain);
      if (!known || known.askAgainAt <= now()) {
        let question = underWay.get(domain);
        if (!question) {
          question = ask(domain, known).finally(() => underWay.delete(domain));
          underWay.set(domain, question);
        }
        known = await question;
      }
      return known.expiresAt > now() ? known.policy : null;
    },
  };
}

/** How this host is to be reached, or null where the policy rules it out. */
export function secureHost(policy: StsPolicy | null, mxName: string): HostSecurity | null {
  if (policy?.mode !== 'enforce')
    return { tls: 'starttls-if-offered', verifyCertificate: false, servername: mxName };
  if (!mayUseHost(policy, mxName)) return null;
  return { tls: 'starttls-required', verifyCertificate: true, servername: mxName };
}

/** Section 4.1: the names as they are, or one label in place of a star. */
export function mayUseHost(policy: StsPolicy, mxName: string): boolean {
  const name = mxName.toLowerCase().replace(/\.$/, '');
  const parent = name.slice(name.indexOf('.') + 1);
  return policy.mx.some((pattern) =>
    pattern.startsWith('*.') ? pattern.slice(2) === parent && parent !== name : pattern === name,
  );
}

/** Of the one record that is ours (section 3.1); several, or one without an id, are as good as none. */
function readId(records: string[]): string | null {
  const ours = records.filter((text) => /^v=STSv1\s*(;|$)/.test(text));
  if (ours.length !== 1) return null;
  return /;\s*id\s*=\s*([A-Za-z0-9]{1,32})\s*(?:;|$)/.exec(ours[0]!)?.[1] ?? null;
}
