/** Names what a connection says about the encryption of a mail server, with the types of RFC 8460 section 4.3. */
import type { OpenResult } from '../../../mail/smtp/client.ts';
import { NO_STARTTLS } from '../../../mail/smtp/failure.ts';
import { mayUseHost } from '../../../mail/smtp/mta-sts.ts';
import type { StsPolicy } from '../../../mail/smtp/mta-sts-policy.ts';
import type { TlsaRecord } from '../../../mail/auth/secure-dns.ts';

/** What decided how a server was connected to. */
export interface AppliedPolicy {
  type: 'tlsa' | 'sts' | 'no-policy-found';
  lines: string[];
  hosts: string[];
  /** An MTA-STS policy that is not enforced: its failures are only reported. */
  tested: StsPolicy | null;
}

export interface TlsResult {
  type: string;
  reason: string | null;
}

const SUCCESS: TlsResult = { type: 'success', reason: null };
const TYPES: Record<string, string> = {
  [NO_STARTTLS]: 'starttls-not-supported',
  CERT_HAS_EXPIRED: 'certificate-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-host-mismatch',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate-not-trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate-not-trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate-not-trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate-not-trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate-not-trusted',
  CERT_UNTRUSTED: 'certificate-not-trusted',
};

/** Returns null if the connection failed for another reason than its encryption. */
export function readTlsResult(opened: OpenResult, mx: string, { tested }: AppliedPolicy): TlsResult | null {
  const { session, failure } = opened;
  if (!session) {
    if (failure.stage !== 'tls') return null;
    return { type: TYPES[failure.tlsCode ?? ''] ?? 'validation-failure', reason: failure.cause };
  }
  if (!session.isSecured) return { type: 'starttls-not-supported', reason: null };
  if (!tested) return SUCCESS;
  const problem = session.certificateProblem;
  if (problem) return { type: TYPES[problem] ?? 'validation-failure', reason: problem };
  return mayUseHost(tested, mx)
    ? SUCCESS
    : { type: 'validation-failure', reason: 'The policy does not name this server.' };
}

export const NO_POLICY: AppliedPolicy = { type: 'no-policy-found', lines: [], hosts: [], tested: null };

export function appliedSts(policy: StsPolicy): AppliedPolicy {
  return {
    type: 'sts',
    lines: [
      'version: STSv1',
      `mode: ${policy.mode}`,
      ...policy.mx.map((host) => `mx: ${host}`),
      `max_age: ${policy.maxAgeSeconds}`,
    ],
    hosts: policy.mx,
    tested: policy.mode === 'testing' ? policy : null,
  };
}

export function appliedTlsa(host: string, records: TlsaRecord[]): AppliedPolicy {
  const lines = records.map(
    ({ usage, selector, matching, data }) => `${usage} ${selector} ${matching} ${data.toString('hex')}`,
  );
  return { type: 'tlsa', lines, hosts: [host], tested: null };
}
