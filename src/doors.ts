/** Opens and closes the doors of a process: HTTP, SMTP, IMAP and the worker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiKeyCache } from './features/identity/api-keys/api-key-cache.ts';
import type { AppPasswordCache } from './features/identity/app-passwords/app-password-cache.ts';
import type { SessionCache } from './features/identity/people/session-cache.ts';
import type { CertificateDirectory } from './features/deliverability/certificates/certificate-directory.ts';
import { findChallengeAnswer } from './features/deliverability/certificates/challenges.ts';
import type { HostDirectory } from './features/deliverability/link-hosts/host-directory.ts';
import { createRequestLog, type RequestLog } from './features/activity/request-log/request-log.ts';
import { createVisitRecorder, type VisitRecorder } from './features/sending/visits/visit-recorder.ts';
import type { Config } from './config.ts';
import { createHttpApp, type HttpTools } from './http/app.ts';
import { createHostCheck } from './http/requests/served-hosts.ts';
import { createRateLimit } from './http/routing/rate-limit.ts';
import { WEBHOOK_FORMATS } from './http/vendors/webhook-formats.ts';
import { openHttpServer, type HttpServer } from './http/server.ts';
import type { Instance } from './instance.ts';
import { openMetricsServer } from './http/metrics-server.ts';
import { closeAll } from './platform/concurrency/close-all.ts';
import { createAnswerBox } from './features/account/idempotency/idempotency.ts';
import type { Facts } from './features/instance/facts.ts';
import { createDns } from './mail/auth/dns.ts';
import { createSecureDns } from './mail/auth/secure-dns.ts';
import { createDane } from './mail/smtp/dane.ts';
import { certificateNames, startAcme, type AcmeRenewal } from './platform/certificates/acme.ts';
import type { Certificate } from './platform/certificates/certificate.ts';
import type { DiskSpace } from './platform/disk-space.ts';
import type { ReadReplica } from './platform/database/read-replica.ts';
import type { MemoryBudget } from './platform/memory/memory-budget.ts';
import type { Log } from './platform/log.ts';
import type { UnexpectedErrors } from './platform/telemetry/unexpected-errors.ts';
import { createJmapDoor, type JmapDoor } from './jmap/jmap.ts';
import { openImapDoor, type ImapDoor } from './imap/imap.ts';
import { openSmtpDoor, type SmtpDoor } from './smtp/smtp.ts';
import { openWorker, type Worker } from './worker/worker.ts';

export const DOORS = ['http', 'smtp', 'imap', 'worker'] as const;
export type Door = (typeof DOORS)[number];

export interface StartOptions {
  /** Counts unexpected errors. A caller that also watches the process passes its own. */
  errors?: UnexpectedErrors;
  /** How long idle HTTP connections stay open during shutdown. */
  idleGraceMs?: number;
  /** How long requests and messages in transfer may take to finish during shutdown. */
  graceMs?: number;
  /** Checks every response against the declaration of its route. */
  checkAnswers?: boolean;
  /** The folder of the built web app, if it is not beside the built server. */
  webFolder?: string;
}

/** The doors that this process has opened so far. */
export interface OpenDoors {
  http: HttpServer | null;
  https: HttpServer | null;
  acme: AcmeRenewal | null;
  visits: VisitRecorder | null;
  requests: RequestLog | null;
  smtp: SmtpDoor | null;
  imap: ImapDoor | null;
  jmap: JmapDoor | null;
  worker: Worker | null;
  /** METRICS_PORT. */
  metrics: HttpServer | null;
}

/** SIGTERM must end the process within 10 seconds, including the shutdown of the embedded database. */
const GRACE_MS = 5_000;
/** A remote mail server may take minutes to reply, and a job may run as long. */
const WORKER_GRACE_MS = 6_500;

export interface DoorTools {
  apiKeys: ApiKeyCache;
  sessions: SessionCache;
  appPasswords: AppPasswordCache;
  linkHosts: HostDirectory;
  hostCertificates: CertificateDirectory;
  config: Config;
  log: Log;
  trafficLog: Log;
  errors: UnexpectedErrors;
  options: StartOptions;
  instance: Instance;
  /** Null without DATABASE_READ_URL. */
  replica: ReadReplica | null;
  facts: Facts;
  memory: MemoryBudget;
  disk: DiskSpace;
  certificate(): Certificate;
}

/** HTTP opens last, so that everything is running once /healthz responds. */
export async function openDoors(open: OpenDoors, doors: readonly Door[], tools: DoorTools): Promise<void> {
  const { config, log, instance } = tools;
  if (doors.includes('smtp')) open.smtp = await openSmtp(tools);
  if (doors.includes('imap')) open.imap = await openImap(tools);
  if (doors.includes('worker')) open.worker = await openWorkerDoor(tools);
  if (doors.includes('http')) {
    open.visits = createVisitRecorder(instance.db, log, tools.disk);
    open.requests = createRequestLog(instance.db, log, tools.disk);
    await openHttp(open, tools, { visits: open.visits, requests: open.requests });
    if (config.acmeEmail !== null) open.acme = await openAcme(tools, config.acmeEmail);
  } else if (config.metricsPort !== null) open.metrics = await openMetrics(tools, config.metricsPort);
}

function openSmtp({
  config,
  log,
  trafficLog,
  errors,
  instance,
  apiKeys,
  appPasswords,
  facts,
  memory,
  disk,
  certificate,
}: DoorTools): Promise<SmtpDoor> {
  return openSmtpDoor({
    db: instance.db,
    log,
    mailLog: trafficLog,
    errors,
    apiKeys,
    appPasswords,
    facts,
    memory,
    disk,
    databaseUrl: instance.databaseUrl,
    isPooled: instance.isPooled,
    databaseConnections: config.databaseConnections,
    dnsServers: config.dnsServers,
    certificate,
    host: config.smtpHost,
    inboundPort: config.smtpPort,
    submissionPort: config.submissionPort,
    submissionsPort: config.submissionsPort,
  });
}

function openImap({ config, trafficLog, instance, ...tools }: DoorTools): Promise<ImapDoor> {
  const { log, errors, appPasswords, facts, memory, disk, certificate } = tools;
  return openImapDoor({
    db: instance.db,
    log,
    mailLog: trafficLog,
    errors,
    appPasswords,
    facts,
    memory,
    disk,
    certificate,
    host: config.smtpHost,
    imapPort: config.imapPort,
    imapsPort: config.imapsPort,
  });
}

function openWorkerDoor({ config, log, trafficLog, instance, facts, memory }: DoorTools): Promise<Worker> {
  return openWorker({
    databaseUrl: instance.databaseUrl,
    directUrl: instance.directUrl,
    isPooled: instance.isPooled,
    log,
    mailLog: trafficLog,
    facts,
    dns: createDns(config.dnsServers),
    dane: config.dnssec === 'trusted' ? createDane(createSecureDns(config.dnsServers)) : null,
    relays: { default: config.relayUrl, byRegion: config.relayUrls },
    claimedBytes: memory.sendingBytes,
    vendorFormats: WEBHOOK_FORMATS,
  });
}

async function openHttp(
  open: OpenDoors,
  tools: DoorTools,
  recorders: Pick<HttpTools, 'visits' | 'requests'>,
): Promise<void> {
  const { config, log, trafficLog, errors, options, instance, apiKeys, sessions, facts, memory, disk } =
    tools;
  const { appPasswords } = tools;
  const { db } = instance;
  open.jmap = createJmapDoor({ db, log, mailLog: trafficLog, errors, appPasswords, facts, disk });
  const app = createHttpApp({
    jmap: open.jmap,
    db: instance.db,
    replica: tools.replica,
    log,
    errors,
    requestLog: trafficLog,
    apiKeys,
    sessions,
    answerBox: createAnswerBox(instance.secret),
    rateLimit: config.rateLimit ? createRateLimit(config.rateLimit) : null,
    checkAnswers: options.checkAnswers ?? false,
    facts,
    memory,
    disk,
    ...recorders,
    metricsToken: config.metricsToken,
    webFolder: options.webFolder,
    findForeignHost: createHostCheck(config),
    linkHosts: tools.linkHosts,
  });
  const shared = { log, errors, idleGraceMs: options.idleGraceMs };
  const { certificate, hostCertificates } = tools;
  if (config.httpsPort !== null) {
    const address = { host: config.smtpHost, port: config.httpsPort, setting: 'HTTPS_PORT' };
    const endpoint = { ...address, certificate, hostCertificates };
    open.https = await openHttpServer(app, { ...endpoint, ...shared });
  }
  open.http = await openHttpServer(app, { host: config.host, port: config.port, setting: 'PORT', ...shared });
}

function openAcme({ config, log, instance }: DoorTools, email: string): Promise<AcmeRenewal | null> {
  const { dataDir, acmeDirectoryUrl, acmeHttpPort, smtpHost, baseUrl, mailHost } = config;
  return startAcme({
    dataDir,
    email,
    directoryUrl: acmeDirectoryUrl,
    host: smtpHost,
    port: acmeHttpPort,
    baseUrl,
    names: certificateNames(mailHost, baseUrl),
    findAnswer: (token) => findChallengeAnswer(instance.db, token),
    log,
  });
}

function openMetrics(
  { config, log, errors, options, instance, facts, disk }: DoorTools,
  port: number,
): Promise<HttpServer> {
  return openMetricsServer({
    db: instance.db,
    disk,
    metrics: facts.metrics,
    token: config.metricsToken,
    host: config.host,
    port,
    setting: 'METRICS_PORT',
    log,
    errors,
    idleGraceMs: options.idleGraceMs,
  });
}

/** Work that the worker does not finish in time is continued by another process, or after the next start. */
export async function closeDoors(
  { http, https, acme, smtp, imap, jmap, worker, metrics }: OpenDoors,
  log: Log,
  graceMs = GRACE_MS,
): Promise<void> {
  async function closeWorker(): Promise<void> {
    const timedOut = Symbol('timed out');
    const timeout = wait(WORKER_GRACE_MS, timedOut, { ref: false });
    if ((await Promise.race([worker?.close(), timeout])) === timedOut)
      log.warn('stopping: the worker door has not finished in time');
  }
  const closeHttp = async () => {
    await http?.close(graceMs);
    jmap?.close();
  };
  const closeMetrics = async () => metrics?.close(graceMs);
  const closeHttps = async () => https?.close(graceMs);
  const closeAcme = async () => acme?.close();
  const closeSmtp = async () => smtp?.close(graceMs);
  const closeImap = async () => imap?.close(graceMs);
  const closing = [closeHttp(), closeHttps(), closeAcme(), closeSmtp(), closeImap(), closeWorker()];
  await closeAll([...closing, closeMetrics()]);
}
