/** Compares the certificates of a mail server with its TLSA records (RFC 6698, RFC 7671, RFC 7672 section 3). */
import { createHash, X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { TlsaRecord } from '../auth/secure-dns.ts';

/** The certificate of an authority, which others are issued by. */
const AUTHORITY = 2;
/** The certificate of the server itself. */
const SERVER = 3;
const WHOLE = 0;
const PUBLIC_KEY = 1;
const DIGESTS: Record<number, { algorithm: string; bytes: number }> = {
  1: { algorithm: 'sha256', bytes: 32 },
  2: { algorithm: 'sha512', bytes: 64 },
};
const EXACT = 0;
const MAX_CHAIN = 10;

/** Usages 0 and 1 are not used for SMTP (RFC 7672 section 3.1.3). */
export function isUsable({ usage, selector, matching, data }: TlsaRecord): boolean {
  if (usage !== AUTHORITY && usage !== SERVER) return false;
  if (selector !== WHOLE && selector !== PUBLIC_KEY) return false;
  return matching === EXACT ? data.length > 0 : DIGESTS[matching]?.bytes === data.length;
}

export interface DaneMatch {
  /** The usable records. */
  records: TlsaRecord[];
  /** The names that a certificate of an authority may have been issued for. */
  names: string[];
}

export function matchesTlsa(socket: TLSSocket, { records, names }: DaneMatch, now = new Date()): boolean {
  const [leaf, ...issuers] = readChain(socket.getPeerCertificate(true));
  if (!leaf) return false;
  // Section 3.1.1: neither names nor dates of the certificate count.
  if (records.some((record) => record.usage === SERVER && matches(record, leaf))) return true;
  const authorities = records.filter(({ usage }) => usage === AUTHORITY);
  if (authorities.length === 0 || !isValidAt(leaf, now)) return false;
  if (!names.some((name) => leaf.checkHost(name) !== undefined)) return false;
  return isIssuedBy(
    leaf,
    issuers,
    (certificate) => authorities.some((record) => matches(record, certificate)),
    now,
  );
}

/** Follows the signatures from the certificate of the server up to one that `isTrusted`. */
function isIssuedBy(
  leaf: X509Certificate,
  issuers: X509Certificate[],
  isTrusted: (certificate: X509Certificate) => boolean,
  now: Date,
): boolean {
  let child = leaf;
  for (const issuer of issuers) {
    if (
      !issuer.ca ||
      !isValidAt(issuer, now) ||
      !child.checkIssued(issuer) ||
      !child.verify(issuer.publicKey)
    )
      return false;
    if (isTrusted(issuer)) return true;
    child = issuer;
  }
  // A server may use a certificate that it has signed itself as its authority.
  return isTrusted(leaf);
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return new Date(validFrom) <= now && now <= new Date(validTo);
}

function matches({ selector, matching, data }: TlsaRecord, certificate: X509Certificate): boolean {
  const bytes =
    selector === WHOLE ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
  const digest = DIGESTS[matching];
  return (digest ? createHash(digest.algorithm).update(bytes).digest() : bytes).equals(data);
}

/** The certificates that the server has sent, its own first. The one of a root is its own issuer. */
function readChain(first: DetailedPeerCertificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  const seen = new Set<string>();
  let at: DetailedPeerCertificate | undefined = first;
  while (at?.raw && !seen.has(at.fingerprint256) && chain.length < MAX_CHAIN) {
    seen.add(at.fingerprint256);
    chain.push(new X509Certificate(at.raw));
    at = at.issuerCertificate;
  }
  return chain;
}
