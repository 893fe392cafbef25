/** The SMTP door: both of its ports. */
import type { Keyring } from '../features/api-keys/keyring.ts';
import { watchCertificate, type Certificate, type CertificateFiles } from '../platform/certificate.ts';
import type { Db } from '../platform/database.ts';
import type { Facts } from '../platform/facts.ts';
import type { Log } from '../platform/log.ts';
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';
import { loadOwnCertificate } from '../platform/self-signed.ts';
import { openInbound } from './inbound.ts';
import { openReceiver } from './receiver.ts';
import { openSubmission } from './submission.ts';

export interface SmtpDoor {
  inboundPort: number;
  submissionPort: number;
  close(graceMs: number): Promise<void>;
}

export interface SmtpDoorOptions {
  db: Db;
  log: Log;
  errors: UnexpectedErrors;
  keyring: Keyring;
  facts: Facts;
  databaseUrl: string;
  databaseConnections: number;
  dnsServers: string[] | null;
  dataDir: string;
  /** Null for a certificate of our own. */
  certificateFiles: CertificateFiles | null;
  host: string;
  inboundPort: number;
  submissionPort: number;
}

export async function openSmtpDoor(options: SmtpDoorOptions): Promise<SmtpDoor> {
  const { db, log, errors, keyring, facts, host, databaseUrl, databaseConnections, dnsServers } = options;
  const { mailHost, dmarcReject } = facts;
  const certificate = openCertificate(options);
  const endpoint = { host, name: mailHost, certificate, log, errors };
  const receiver = openReceiver(
    { databaseUrl, databaseConnections, dnsServers, mailHost, dmarcReject },
    { log, errors },
  );
  const inbound = await openInbound({ ...endpoint, port: options.inboundPort }, { db, facts, receiver });
  const submission = await openSubmission(
    { ...endpoint, port: options.submissionPort },
    { db, keyring, facts },
  ).catch(async (error: unknown) => {
    await inbound.close(1_000);
    await receiver.close();
    throw error;
  });
  return {
    inboundPort: inbound.port,
    submissionPort: submission.port,
    async close(graceMs) {
      await Promise.all([inbound.close(graceMs), submission.close(graceMs)]);
      await receiver.close();
    },
  };
}

function openCertificate({ certificateFiles, dataDir, facts, log }: SmtpDoorOptions): () => Certificate {
  if (!certificateFiles) {
    // An IPv6 address stands in brackets where it is part of a URL.
    const own = loadOwnCertificate(dataDir, facts.mailHost.replaceAll(/^\[|\]$/g, ''));
    return () => own;
  }
  const onChange = (error: Error | null) => {
    if (error) log.error({ err: error }, 'smtp: new certificate not used, the old one is kept');
    else log.info('smtp: new certificate');
  };
  try {
    return watchCertificate(certificateFiles, onChange);
  } catch (cause) {
    throw new Error('SMTP_TLS_CERT and SMTP_TLS_KEY cannot be used', { cause });
  }
}
