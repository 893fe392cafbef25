/**
 * DANE for SMTP (RFC 7672): a domain that is signed with DNSSEC publishes which certificates its mail servers have. Only
 * answers count that the resolver has verified. Where records are found, encryption and a matching certificate are
 * required, and MTA-STS is not asked. Where the answer is unknown, mail waits.
 */
import type { SecureDns } from '../auth/secure-dns.ts';
import { isUsable, type DaneMatch } from './match-tlsa.ts';

export type DaneSecurity =
  /** The host has no DANE, so other rules apply. */
  | { kind: 'none' }
  /** Encryption is required. `match` is null if no record is usable, and then no certificate is checked. */
  | { kind: 'required'; servername: string; match: DaneMatch | null }
  /** The answer is unknown or its signature is wrong. The host must not be used now. */
  | { kind: 'unknown'; reason: string };

export interface Dane {
  /** Returns the hosts that may have DANE: none if the resolver has not verified the MX records. */
  findHosts(domain: string): Promise<Set<string> | { reason: string }>;
  findSecurity(host: string, domain: string): Promise<DaneSecurity>;
}

const SMTP_SERVICE = '_25._tcp';
const NONE: DaneSecurity = { kind: 'none' };

export function createDane(dns: SecureDns): Dane {
  return {
    async findHosts(domain) {
      const mx = await dns.mx(domain);
      if (mx.kind === 'failed') return { reason: mx.reason };
      if (!mx.isSecure) return new Set();
      return new Set(mx.kind === 'found' ? mx.records : [domain]);
    },

    /** Section 2.2.2: an alias is followed if all of it is verified. */
    async findSecurity(host, domain) {
      const addresses = await dns.host(host);
      if (addresses.kind === 'failed') return { kind: 'unknown', reason: addresses.reason };
      if (!addresses.isSecure) return NONE;
      for (const base of new Set([addresses.records[0] ?? host, host])) {
        const tlsa = await dns.tlsa(`${SMTP_SERVICE}.${base}`);
        if (tlsa.kind === 'failed') return { kind: 'unknown', reason: tlsa.reason };
        if (tlsa.kind === 'none' || !tlsa.isSecure) continue;
        const records = tlsa.records.filter(isUsable);
        const match = records.length > 0 ? { records, names: [base, host, domain] } : null;
        return { kind: 'required', servername: base, match };
      }
      return NONE;
    },
  };
}
