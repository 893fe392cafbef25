/**
 * A self-signed TLS certificate, created at the first start. Sending mail servers accept any certificate, and even
 * this one protects against passive eavesdropping. Node creates keys and signatures but no certificates, so this
 * file encodes the X.509 structure (RFC 5280 section 4.1) itself.
 */
import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { der, TAG } from './der.ts';
import { DAY_MS } from '../durations.ts';

const VALID_DAYS = 3650;
const RENEW_DAYS = 90;

const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
};

/** Returns the certificate stored in this folder. Creates one if none exists, it expires soon, or the host differs. */
export function loadOwnCertificate(dataDir: string, host: string): Certificate {
  const file = join(dataDir, 'tls.pem');
  const kept = readKept(file);
  if (kept && isGood(kept, host)) return kept;
  const made = makeSelfSigned(host, new Date());
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, made.key + made.cert, { mode: 0o600 });
  renameSync(fresh, file);
  return made;
}

function readKept(file: string): Certificate | null {
  try {
    const text = readFileSync(file, 'utf8');
    const at = text.indexOf('-----BEGIN CERTIFICATE');
    return at > 0 ? { key: text.slice(0, at), cert: text.slice(at) } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isGood({ cert }: Certificate, host: string): boolean {
  const parsed = new X509Certificate(cert);
  const isNamed = isIP(host) ? parsed.checkIP(host) : parsed.checkHost(host);
  return isNamed !== undefined && Date.parse(parsed.validTo) > Date.now() + RENEW_DAYS * DAY_MS;
}

export function makeSelfSigned(host: string, now: Date): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(TAG.sequence, oid(OID.ecdsaWithSha256));
  // RFC 5280 appendix A.1 limits a common name to 64 characters. The subject alternative name has the full host.
  const name = der(
    TAG.sequence,
    der(
      TAG.set,
      der(TAG.sequence, oid(OID.commonName), der(TAG.utf8, Buffer.from(host.slice(0, 64), 'latin1'))),
    ),
  );
  const signed = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, serialNumber()),
    algorithm,
    name,
    // The certificate is valid from yesterday, so that clients whose clock is slow accept it.
    der(
      TAG.sequence,
      time(new Date(now.getTime() - DAY_MS)),
      time(new Date(now.getTime() + VALID_DAYS * DAY_MS)),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(TAG.sequence, ...extensions(host))),
  );
  const certificate = der(
    TAG.sequence,
    signed,
    algorithm,
    der(TAG.bits, Buffer.from([0]), sign('sha256', signed, privateKey)),
  );
  const lines = certificate.toString('base64').match(/.{1,64}/g)!;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function extensions(host: string): Buffer[] {
  const critical = der(0x01, Buffer.from([0xff]));
  return [
    extension(OID.basicConstraints, critical, der(TAG.sequence)),
    // The key may only be used for digitalSignature, the first bit of the byte; the other seven bits are unused.
    extension(OID.keyUsage, critical, der(TAG.bits, Buffer.from([7, 0x80]))),
    extension(OID.extendedKeyUsage, null, der(TAG.sequence, oid(OID.serverAuth))),
    extension(OID.subjectAltName, null, der(TAG.sequence, alternativeName(host))),
  ];
}

function extension(id: string, critical: Buffer | null, content: Buffer): Buffer {
  return der(TAG.sequence, oid(id), ...(critical ? [critical] : []), der(TAG.octets, content));
}

function alternativeName(host: string): Buffer {
  if (!isIP(host)) return der(0x82, Buffer.from(host, 'latin1'));
  return der(0x87, isIP(host) === 4 ? Buffer.from(host.split('.').map(Number)) : ipv6Bytes(host));
}

function ipv6Bytes(host: string): Buffer {
  // The URL parser rewrites an embedded IPv4 address as two groups, so only "::" remains to be expanded.
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Positive, and without the leading zero byte that DER forbids. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes;
}

/** UTCTime until 2049, GeneralizedTime from then on (RFC 5280 section 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  const isShort = date.getUTCFullYear() < 2050;
  return der(isShort ? 0x17 : 0x18, Buffer.from(`${isShort ? digits.slice(2) : digits}Z`, 'latin1'));
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}
