/** Opens the SMTP ports: inbound mail, submission with STARTTLS, and submission over TLS. */
import type { ApiKeyCache } from '../features/identity/api-keys/api-key-cache.ts';
import type { AppPasswordCache } from '../features/identity/app-passwords/app-password-cache.ts';
import type { Certificate } from '../platform/certificates/certificate.ts';
import type { Db } from '../platform/database/database.ts';
import type { Facts } from '../features/instance/facts.ts';
import type { Log } from '../platform/log.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import type { MemoryBudget } from '../platform/memory/memory-budget.ts';
import type { UnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { INBOUND_EXTENSIONS, SUBMISSION_EXTENSIONS } from './protocol/parameters.ts';
import { openInbound } from './inbound.ts';
import { openReceiver } from './receiver.ts';
import type { RspamdState } from '../mail/spam/rspamd.ts';
import { createSmtpMetrics, type SmtpMetrics } from './smtp-metrics.ts';
import type { SmtpServer } from './server.ts';
import { createSubmission } from './submission.ts';

export interface SmtpDoor {
  inboundPort: number;
  submissionPort: number;
  /** Null if the default port was in use. */
  submissionsPort: number | null;
  close(graceMs: number): Promise<void>;
}

export interface SmtpDoorOptions {
  db: Db;
  log: Log;
  /** The log with one line for each message and login. */
  mailLog: Log;
  errors: UnexpectedErrors;
  apiKeys: ApiKeyCache;
  appPasswords: AppPasswordCache;
  facts: Facts;
  memory: MemoryBudget;
  disk: DiskSpace;
  databaseUrl: string;
  isPooled: boolean;
  databaseConnections: number;
  dnsServers: string[] | null;
  /** Returns the current certificate. */
  certificate(): Certificate;
  host: string;
  inboundPort: number;
  submissionPort: number;
  /** Null for the default port. It is not an error if another process uses that port. */
  submissionsPort: number | null;
}

const DEFAULT_SUBMISSIONS_PORT = 2465;

export async function openSmtpDoor(options: SmtpDoorOptions): Promise<SmtpDoor> {
  const {
    db,
    log,
    mailLog,
    errors,
    apiKeys,
    appPasswords,
    facts,
    memory,
    disk,
    host,
    databaseUrl,
    isPooled,
    databaseConnections,
    dnsServers,
    certificate,
  } = options;
  const { mailHost, mailTransport, dmarcReject, objectStore } = facts;
  const metrics = createSmtpMetrics(facts.metrics);
  const endpoint = { host, name: mailHost, certificate, log, mailLog, errors, metrics };
  const receiver = openReceiver(
    {
      databaseUrl,
      isPooled,
      databaseConnections,
      objectStore: objectStore?.settings ?? null,
      dnsServers,
      mailHost,
      mailTransport,
      dmarcReject,
      workBytes: memory.workBytes,
      ...spamSettingsOf(facts),
    },
    { log, errors, onDiskFull: disk.reportFull, onSpamFilter: watchSpamFilter(log, metrics), objectStore },
  );
  facts.metrics.watchThreads('receiver', () => ({ busy: receiver.waiting(), waiting: 0 }));
  const opened: SmtpServer[] = [];
  async function close(graceMs: number): Promise<void> {
    await Promise.all(opened.map((server) => server.close(graceMs)));
    await receiver.close();
  }

  try {
    const inbound = await openInbound(
      {
        ...endpoint,
        kind: 'inbound',
        port: options.inboundPort,
        setting: 'SMTP_PORT',
        extensions: INBOUND_EXTENSIONS,
      },
      { db, facts, receiver, metrics, memory, disk },
    );
    opened.push(inbound);
    const openSubmissionPorts = createSubmission(
      { ...endpoint, kind: 'submission', extensions: SUBMISSION_EXTENSIONS },
      { db, apiKeys, appPasswords, facts, memory, disk },
    );
    const submission = await openSubmissionPorts({
      port: options.submissionPort,
      setting: 'SUBMISSION_PORT',
      isTls: false,
    });
    opened.push(submission);
    const submissions = await openTlsPort(options, (port) =>
      openSubmissionPorts({ port, setting: 'SUBMISSIONS_PORT', isTls: true }),
    );
    if (submissions) opened.push(submissions);
    return {
      inboundPort: inbound.port,
      submissionPort: submission.port,
      submissionsPort: submissions?.port ?? null,
      close,
    };
  } catch (error) {
    await close(1_000);
    throw error;
  }
}

function spamSettingsOf({ rspamdUrl, blocklistZones, secret }: Facts) {
  return { rspamdUrl, blocklistZones, secret };
}

/** Logged once for each state. Without the filter, mail is delivered unchecked. */
function watchSpamFilter(log: Log, { setSpamFilter }: SmtpMetrics): (state: RspamdState) => void {
  return (state) => {
    setSpamFilter(state.isUp);
    if (state.isUp) log.info('smtp: rspamd works again');
    else log.error({ reason: state.reason }, 'smtp: rspamd failed, so mail is delivered unchecked');
  };
}

/** If the default port is in use, for example by another instance, Posthorn starts without this port. */
async function openTlsPort(
  { log, submissionsPort }: SmtpDoorOptions,
  open: (port: number) => Promise<SmtpServer>,
): Promise<SmtpServer | null> {
  return open(submissionsPort ?? DEFAULT_SUBMISSIONS_PORT).catch((error: NodeJS.ErrnoException) => {
    if (submissionsPort !== null || error.code !== 'EADDRINUSE') throw error;
    log.warn(`${error.message}. The server starts without it. Set SUBMISSIONS_PORT to another port.`);
    return null;
  });
}
