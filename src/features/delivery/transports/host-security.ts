/**
 * Decides how connections to the mail servers of a domain are secured. DANE comes before MTA-STS (RFC 8461 section 2): a
 * server with TLSA records is never used without a matching certificate, and MTA-STS is asked only about the others.
 */
import type { Dane, DaneSecurity } from '../../../mail/smtp/dane.ts';
import { connectionFailure, type SmtpFailure } from '../../../mail/smtp/failure.ts';
import { secureHost, type HostSecurity, type MtaSts } from '../../../mail/smtp/mta-sts.ts';
import type { StsPolicy } from '../../../mail/smtp/mta-sts-policy.ts';
import { cannotRequireTls } from './required-tls.ts';
import { appliedSts, appliedTlsa, NO_POLICY, type AppliedPolicy } from './tls-results.ts';
import type { WireMessage } from './transport.ts';

export interface SecurityTools {
  /** Null if the resolver is not trusted with DNSSEC. */
  dane: Dane | null;
  mtaSts: MtaSts;
}

interface SecuredHost {
  security: HostSecurity;
  policy: AppliedPolicy;
}

type Failed = { failure: SmtpFailure };

interface DomainSecurity {
  /** Returns null for a host that the MTA-STS policy excludes, and a failure for one that must not be used now. */
  of(host: string): Promise<SecuredHost | Failed | null>;
}

const NO_DANE: DaneSecurity = { kind: 'none' };

export async function findHostSecurity(
  { dane, mtaSts }: SecurityTools,
  domain: string,
  tls: WireMessage['tls'],
): Promise<DomainSecurity | Failed> {
  // The sender prefers delivery over encryption (RFC 8689 section 5).
  if (tls === 'optional')
    return { of: (host) => Promise.resolve({ security: secureHost(null, host)!, policy: NO_POLICY }) };
  const signed = (await dane?.findHosts(domain)) ?? new Set<string>();
  if ('reason' in signed) return { failure: connectionFailure('connect', `DNSSEC: ${signed.reason}`) };
  let policy: Promise<StsPolicy | null> | undefined;
  return {
    async of(host) {
      const found = dane && signed.has(host) ? await dane.findSecurity(host, domain) : NO_DANE;
      if (found.kind === 'unknown')
        return { failure: connectionFailure('connect', `DNSSEC: ${found.reason}`) };
      if (found.kind === 'required' && (found.match || tls !== 'required')) return toSecurity(found, host);
      return secureByPolicy(await (policy ??= mtaSts.findPolicy(domain)), { host, domain }, tls);
    },
  };
}

function toSecurity(
  { servername, match }: Extract<DaneSecurity, { kind: 'required' }>,
  host: string,
): SecuredHost {
  const security = { tls: 'starttls-required', verifyCertificate: false, servername } as const;
  const policy = appliedTlsa(host, match?.records ?? []);
  return { security: match ? { ...security, dane: match } : security, policy };
}

function secureByPolicy(
  policy: StsPolicy | null,
  { host, domain }: { host: string; domain: string },
  tls: WireMessage['tls'],
): SecuredHost | Failed | null {
  const applied = policy && policy.mode !== 'none' ? appliedSts(policy) : NO_POLICY;
  const as = (security: HostSecurity | null) => security && { security, policy: applied };
  if (tls !== 'required') return as(secureHost(policy, host));
  // Without a policy nothing proves that this is a server of the domain (RFC 8689 section 4.2.1).
  if (!policy || policy.mode === 'none')
    return { failure: cannotRequireTls(`the domain ${domain} has no MTA-STS policy.`) };
  return as(secureHost({ ...policy, mode: 'enforce' }, host));
}
