/** The SMTP door: both of its ports. */
import type { Keyring } from '../features/api-keys/keyring.ts';
import type { Db } from '../platform/database.ts';
import type { Facts } from '../platform/facts.ts';
import type { Log } from '../platform/log.ts';
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
  keyring: Keyring;
  facts: Facts;
  databaseUrl: string;
  databaseConnections: number;
  dnsServers: string[] | null;
  dataDir: string;
  host: string;
  inboundPort: number;
  submissionPort: number;
}

export async function openSmtpDoor(options: SmtpDoorOptions): Promise<SmtpDoor> {
  const { db, log, keyring, facts, host, databaseUrl, databaseConnections, dnsServers } = options;
  const { mailHost, dmarcReject } = facts;
  // An IPv6 address stands in brackets where it is part of a URL.
  const certificate = loadOwnCertificate(options.dataDir, mailHost.replaceAll(/^\[|\]$/g, ''));
  const endpoint = { host, name: mailHost, certificate, log };
  const receiver = openReceiver({ databaseUrl, databaseConnections, dnsServers, mailHost, dmarcReject }, log);
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
