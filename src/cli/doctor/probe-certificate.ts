import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config.ts';
import { readCertificate } from '../../platform/certificate.ts';
import { describeError } from '../describe-error.ts';

export type CertificateProbe =
  | { state: 'own' }
  | { state: 'unusable'; reason: string }
  | { state: 'given'; endsAt: Date; isForMailHost: boolean };

export function probeCertificate({ smtpTls, mailHost }: Config): CertificateProbe {
  if (!smtpTls) return { state: 'own' };
  try {
    const certificate = new X509Certificate(readCertificate(smtpTls).cert);
    const isForMailHost = certificate.checkHost(mailHost) !== undefined;
    return { state: 'given', endsAt: new Date(certificate.validTo), isForMailHost };
  } catch (error) {
    return { state: 'unusable', reason: describeError(error) };
  }
}
