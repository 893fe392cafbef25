import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { acmeFiles } from '../../platform/certificates/acme.ts';
import { readCertificate } from '../../platform/certificates/certificate.ts';
import { describeError } from '../describe-error.ts';

export type CertificateProbe =
  | { state: 'own' }
  /** ACME_EMAIL is set, and no certificate has been issued yet. */
  | { state: 'awaited' }
  | { state: 'unusable'; reason: string }
  | { state: 'given'; endsAt: Date; isForMailHost: boolean };

export function probeCertificate({ smtpTls, acmeEmail, dataDir, mailHost }: Config): CertificateProbe {
  const files = acmeEmail === null ? smtpTls : acmeFiles(dataDir);
  if (!files) return { state: 'own' };
  if (acmeEmail !== null && !existsSync(files.certFile)) return { state: 'awaited' };
  try {
    const certificate = new X509Certificate(readCertificate(files).cert);
    const isForMailHost = certificate.checkHost(mailHost) !== undefined;
    return { state: 'given', endsAt: new Date(certificate.validTo), isForMailHost };
  } catch (error) {
    return { state: 'unusable', reason: describeError(error) };
  }
}
