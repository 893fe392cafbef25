/** Starts and stops a Posthorn process: database, first team, and the doors (HTTP, SMTP, IMAP and the worker). */
import { setMaxListeners } from 'node:events';
import { MAIL_CHANNEL } from './features/events/live-updates.ts';
import { createApiKeyCache } from './features/identity/api-keys/api-key-cache.ts';
import { createAppPasswordCache } from './features/identity/app-passwords/app-password-cache.ts';
import { createSessionCache } from './features/identity/people/session-cache.ts';
import { DELIVERIES_DUE } from './features/delivery/claim.ts';
import { JOBS_DUE } from './platform/jobs/jobs.ts';
import { prepareFirstTeam, type FirstStart } from './features/account/teams/first-start.ts';
import type { Config } from './config.ts';
import { closeDoors, openDoors, type Door, type OpenDoors, type StartOptions } from './doors.ts';
import { openTeamStorage } from './features/account/storage/team-storage.ts';
import { openInstance, type Instance } from './instance.ts';
import { threadUse } from './mail/offload/thread-pool.ts';
import { logTrouble, onThreadTrouble } from './mail/offload/thread-trouble.ts';
import { createMetrics, type Metrics } from './platform/telemetry/metrics.ts';
import { addBacklogMetrics } from './features/activity/metrics/backlog-metrics.ts';
import type { Facts } from './features/instance/facts.ts';
import { mailPortsOf } from './mail-ports.ts';
import { createCertificateDirectory } from './features/deliverability/certificates/certificate-directory.ts';
import { createContentScore } from './features/mailboxes/spam/score-outgoing.ts';
import { addUpkeepMetrics } from './features/activity/metrics/upkeep-metrics.ts';
import { posthornVersion } from './posthorn-version.ts';
import { createHostDirectory } from './features/deliverability/link-hosts/host-directory.ts';
import { createUrlChecker } from './features/instance/check-urls.ts';
import { createChangedFetcher, createFileFetcher } from './features/instance/fetch-file.ts';
import { createDns } from './mail/auth/dns.ts';
import { requireObjectStore } from './features/content/stored/require-object-store.ts';
import { useObjectStore } from './platform/object-store/object-store-of.ts';
import type { Certificate } from './platform/certificates/certificate.ts';
import { openCertificate } from './platform/certificates/current-certificate.ts';
import { publicLinksOf } from './features/content/links/links.ts';
import { useLinks } from './features/content/links/links-of.ts';
import { addDiskMetrics } from './platform/telemetry/disk-metrics.ts';
import { createMemoryBudget } from './platform/memory/memory-budget.ts';
import { createTrafficLog, type Log } from './platform/log.ts';
import {
  createHint,
  createHintHub,
  startNotifications,
  type Notifications,
} from './platform/database/notifications.ts';
import { openReadReplica, type ReadReplica } from './platform/database/read-replica.ts';
import { createOtlpTracer } from './platform/telemetry/otlp-exporter.ts';
import type { Tracer } from './platform/telemetry/tracing.ts';
import { createUnexpectedErrors, type UnexpectedErrors } from './platform/telemetry/unexpected-errors.ts';

export interface Running {
  /** Shown on the start screen. */
  firstStart: FirstStart;
  httpPort: number | null;
  /** Null in a process with the HTTP door, whose port serves the metrics. */
  metricsPort: number | null;
  smtpPort: number | null;
  submissionPort: number | null;
  submissionsPort: number | null;
  imapPort: number | null;
  imapsPort: number | null;
  close(): Promise<void>;
}

const LAST_USED_EVERY_MS = 5_000;
const MIB = 1024 * 1024;

export async function start(
  config: Config,
  log: Log,
  doors: readonly Door[],
  options: StartOptions = {},
): Promise<Running> {
  const errors = options.errors ?? createUnexpectedErrors(log);
  // The parser of English times (chrono-node) uses the local time zone, which must be UTC on every machine.
  process.env.TZ = 'UTC';
  const instance = await openInstance(config, log);
  await requireObjectStore(instance.db, log).catch(async (error: unknown) => {
    await instance.close();
    throw error;
  });
  const firstStart = await prepareFirstTeam(instance.db, config.bootstrapApiKey);
  const open: OpenDoors = {
    http: null,
    https: null,
    acme: null,
    visits: null,
    requests: null,
    smtp: null,
    imap: null,
    jmap: null,
    worker: null,
    metrics: null,
  };
  const listening = await listen(instance, log, errors, open);
  const stopping = new AbortController();
  // Every event stream adds a listener, and Node.js would warn of a leak after ten.
  setMaxListeners(0, stopping.signal);
  let certificate: (() => Certificate) | null = null;
  const readCertificate = () => certificate!().cert;
  const metrics = watchProcess(instance, errors, readCertificate);
  const replica = doors.includes('http') ? openReplica(config, instance, log, metrics) : null;
  const tracer = openTracer(config, log);
  const storage = openTeamStorage(instance.db, config.teamStorageMb, log);
  const own = { metrics, tracer, storage, stopping: stopping.signal, readCertificate };
  const facts = { ...factsOf(config, instance, listening.hints), ...own };
  useLinks(instance.pool, publicLinksOf(facts));
  if (replica) useLinks(replica.pool, publicLinksOf(facts));
  const ignoreTrouble = onThreadTrouble((trouble) => logTrouble(log, trouble));
  const lastUsedTimer = setInterval(() => void listening.writeLastUsed(), LAST_USED_EVERY_MS);

  /** Runs every step, even after one fails, and then throws the first error. */
  async function close(): Promise<void> {
    stopping.abort();
    clearInterval(lastUsedTimer);
    ignoreTrouble();
    const steps: (() => Promise<unknown>)[] = [
      () => closeDoors(open, log, options.graceMs),
      async () => open.visits?.close(),
      async () => open.requests?.close(),
      async () => tracer?.close(),
      () => storage.close(),
      () => listening.writeLastUsed(),
      () => listening.close(),
      async () => replica?.close(),
      () => instance.close(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  try {
    const trafficLog = createTrafficLog(config.logLevel);
    const memory = createMemoryBudget(config.memoryBudgetMb * MIB);
    certificate = openMailCertificate(config, log);
    const all = { config, log, trafficLog, errors, options, instance, replica, facts };
    const tools = { ...all, memory, disk: instance.disk, certificate, ...listening };
    await openDoors(open, doors, tools);
  } catch (error) {
    // If a port is in use, the process must end instead of running without some of its doors.
    await close().catch((failure: unknown) => log.warn({ err: failure }, 'start: not everything was closed'));
    throw error;
  }

  return { firstStart, ...portsOf(open), close };
}

function portsOf({ http, metrics, smtp, imap }: OpenDoors): Omit<Running, 'firstStart' | 'close'> {
  return {
    httpPort: http?.port ?? null,
    metricsPort: metrics?.port ?? null,
    smtpPort: smtp?.inboundPort ?? null,
    submissionPort: smtp?.submissionPort ?? null,
    submissionsPort: smtp?.submissionsPort ?? null,
    imapPort: imap?.imapPort ?? null,
    imapsPort: imap?.imapsPort ?? null,
  };
}

function openMailCertificate({ dataDir, mailHost, smtpTls: files, acmeEmail }: Config, log: Log) {
  return openCertificate({ files, hasAcme: acmeEmail !== null, dataDir, mailHost, log });
}

/** Returns null if tracing is off. */
function openTracer({ otlpEndpoint, otlpHeaders }: Config, log: Log): Tracer | null {
  return otlpEndpoint ? createOtlpTracer({ endpoint: otlpEndpoint, headers: otlpHeaders ?? {} }, log) : null;
}

/** Creates the metrics of this process, including those that every process has. */
function watchProcess(
  { db, pool, objectStore, disk }: Instance,
  errors: UnexpectedErrors,
  readCertificate: () => string,
): Metrics {
  const metrics = createMetrics(errors);
  metrics.watchPool('main', pool);
  metrics.watchThreads('offload', threadUse);
  addBacklogMetrics(metrics, db);
  addDiskMetrics(metrics, disk);
  addUpkeepMetrics(metrics, db, { version: posthornVersion(), readCertificate });
  for (const metric of objectStore?.metrics ?? []) metrics.registry.registerMetric(metric);
  return metrics;
}

function openReplica(
  config: Config,
  { pool, db, objectStore }: Instance,
  log: Log,
  metrics: Metrics,
): ReadReplica | null {
  if (!config.databaseReadUrl) return null;
  const replica = openReadReplica(config.databaseReadUrl, { db, pool }, config.databaseConnections, log);
  useObjectStore(replica.pool, objectStore?.store ?? null);
  metrics.watchPool('replica', replica.pool);
  metrics.registry.registerMetric(replica.reads);
  return replica;
}

/** Listens for notifications, and creates the caches of API keys, sessions and app passwords that depend on them. */
async function listen(
  { db, pool, directUrl, secret }: Instance,
  log: Log,
  errors: UnexpectedErrors,
  open: OpenDoors,
) {
  let notifications: Notifications | null = null;
  const onLost = (error: Error) => log.warn({ reason: error.message }, 'notifications: connection lost');
  const isListening = () => notifications?.isListening() ?? false;
  const apiKeys = createApiKeyCache(db, isListening);
  const sessions = createSessionCache(db, isListening);
  const appPasswords = createAppPasswordCache(db, isListening);
  const deliveryListener = {
    channel: DELIVERIES_DUE,
    onNotification: () => open.worker?.wake(),
    onGap: () => open.worker?.wake(),
  };
  const jobListener = {
    channel: JOBS_DUE,
    onNotification: () => open.worker?.wakeJobs(),
    onGap: () => open.worker?.wakeJobs(),
  };
  const campaignListener = {
    channel: 'campaign_changed',
    onNotification: (change: string) => open.worker?.campaignChanged(change),
    onGap: () => open.worker?.reloadCampaigns(),
  };
  const mail = createHintHub(MAIL_CHANNEL);
  const linkHosts = createHostDirectory(db, onLost);
  const hostCertificates = createCertificateDirectory(db, secret, onLost);
  const caches = [apiKeys, sessions, appPasswords];
  const listeners = [
    ...caches.map(({ listener }) => listener),
    deliveryListener,
    jobListener,
    campaignListener,
    mail.listener,
    linkHosts.listener,
    hostCertificates.listener,
  ];
  notifications = await startNotifications(directUrl, listeners, {
    onError: onLost,
    onListenerError: (error) => errors.report('notifications', error),
  });
  const { close } = notifications;
  await Promise.all([linkHosts.load(), hostCertificates.load()]);
  return {
    apiKeys,
    sessions,
    appPasswords,
    linkHosts,
    hostCertificates,
    hints: {
      wakeDeliveryWorkers: createHint(pool, deliveryListener.channel, onLost),
      hintMail: createHint(pool, mail.listener.channel, onLost),
      onMailHint: mail.subscribe,
    },
    async writeLastUsed(): Promise<void> {
      const written = [apiKeys.writeLastUsed(), sessions.writeLastSeen(), appPasswords.writeLastUsed()];
      await Promise.all(written).catch((error: unknown) =>
        log.warn({ err: error }, 'last used: could not be recorded'),
      );
    },
    async close(): Promise<void> {
      linkHosts.close();
      hostCertificates.close();
      await close();
    },
  };
}

type Listening = Awaited<ReturnType<typeof listen>>;

/** Behind a proxy that has the certificates there is no HTTPS_PORT. */
function hostCertificatesOf({ acmeEmail, httpsPort, baseUrl }: Config): Facts['hostCertificates'] {
  return acmeEmail !== null && httpsPort !== null && baseUrl.startsWith('https:')
    ? { email: acmeEmail }
    : null;
}

function factsOf(
  config: Config,
  { secret, objectStore, disk }: Instance,
  hints: Listening['hints'],
): Omit<Facts, 'stopping' | 'metrics' | 'tracer' | 'storage' | 'readCertificate'> {
  const dns = createDns(config.dnsServers);
  return {
    baseUrl: config.baseUrl,
    mailHost: config.mailHost,
    reportHost: config.reportHost,
    mailPorts: mailPortsOf(config),
    mailTransport: config.mailTransport,
    destinationRates: config.destinationRates,
    egresses: config.egresses,
    dkimSign: config.dkimSign,
    dkimPrimes: config.dkimPrimes,
    retention: {
      emailContentDays: config.emailContentDays,
      sandboxDays: config.sandboxDays,
      eventDays: config.eventDays,
    },
    oidc: config.oidc,
    webhookAllowPrivate: config.webhookAllowPrivate,
    directAllowPrivate: config.directAllowPrivate,
    acmeDirectoryUrl: config.acmeDirectoryUrl,
    hostCertificates: hostCertificatesOf(config),
    dns,
    blocklistZones: config.dnsblZones,
    rspamdUrl: config.rspamdUrl,
    scoreContent: createContentScore({ rspamdUrl: config.rspamdUrl, secret, mailHost: config.mailHost }),
    dmarcReject: config.dmarcReject,
    teamLimits: config.teamLimits,
    inboundLimits: {
      connectionsPerIp: config.smtpConnectionsPerIp,
      messagesPerIp: config.smtpMessagesPerIp,
      messagesPerMailbox: config.smtpMessagesPerMailbox,
    },
    mailLimits: {
      recipients: config.maxRecipients,
      smtpRecipients: config.smtpMaxRecipients,
      messageBytes: config.maxMessageMb * MIB,
      inboundMessageBytes: config.inboundMaxMessageMb * MIB,
    },
    secret,
    disk,
    fetchFile: createFileFetcher(dns, { allowPrivate: config.webhookAllowPrivate }),
    fetchChanged: createChangedFetcher(dns, { allowPrivate: config.webhookAllowPrivate }),
    checkUrls: createUrlChecker(dns, { allowPrivate: config.webhookAllowPrivate }),
    objectStore: objectStore?.store ?? null,
    ...hints,
  };
}
