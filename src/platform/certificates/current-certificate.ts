/** The certificate that the TLS ports use: from files, from ACME once there is one, or self-signed. */
import { existsSync } from 'node:fs';
import { acmeFiles } from './acme.ts';
import { watchCertificate, type Certificate, type CertificateFiles } from './certificate.ts';
import type { Log } from '../log.ts';
import { loadOwnCertificate } from './self-signed.ts';
import { bareHost } from '../network/bare-host.ts';

export interface CertificateOptions {
  /** SMTP_TLS_CERT and SMTP_TLS_KEY. */
  files: CertificateFiles | null;
  hasAcme: boolean;
  dataDir: string;
  mailHost: string;
  log: Log;
}

export function openCertificate({
  files,
  hasAcme,
  dataDir,
  mailHost,
  log,
}: CertificateOptions): () => Certificate {
  const onChange = (error: Error | null) => {
    if (error) log.error({ err: error }, 'tls: new certificate not used, the old one is kept');
    else log.info('tls: new certificate');
  };
  if (files) {
    try {
      return watchCertificate(files, onChange);
    } catch (cause) {
      throw new Error('SMTP_TLS_CERT and SMTP_TLS_KEY cannot be used', { cause });
    }
  }
  // mailHost may be an IPv6 address in brackets.
  const own = loadOwnCertificate(dataDir, bareHost(mailHost));
  if (!hasAcme) return () => own;
  let watched: (() => Certificate) | null = null;
  return () => {
    watched ??= tryToWatch(acmeFiles(dataDir), onChange);
    return watched ? watched() : own;
  };
}

/** Returns null until both files exist. */
function tryToWatch(
  files: CertificateFiles,
  onChange: (error: Error | null) => void,
): (() => Certificate) | null {
  if (!existsSync(files.certFile)) return null;
  try {
    return watchCertificate(files, onChange);
  } catch {
    return null;
  }
}
