/** The table of contents of a running Posthorn: database, first team, doors, and the way out. */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createKeyring } from './features/api-keys/keyring.ts';
import { createSessionRing } from './features/people/session-ring.ts';
import { prepareFirstTeam, type FirstStart } from './features/teams/first-start.ts';
import { createVisitRecorder, type VisitRecorder } from './features/tracking/visit-recorder.ts';
import type { Config } from './config.ts';
import { createHttpApp } from './http/app.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { openHttpServer, type HttpServer } from './http/server.ts';
import { openInstance } from './instance.ts';
import { closeAll } from './platform/close-all.ts';
import { createSeal } from './platform/crypto.ts';
import { createDns } from './mail/dns.ts';
import { createRequestLog, type Log } from './platform/log.ts';
import {
  createHint,
  createHintHub,
  startNotifications,
  type Notifications,
} from './platform/notifications.ts';
import { createUnexpectedErrors, type UnexpectedErrors } from './platform/unexpected-errors.ts';
import { openSmtpDoor, type SmtpDoor } from './smtp/smtp.ts';
import { openWorker, type Worker } from './worker/worker.ts';

export const DOORS = ['http', 'smtp', 'worker'] as const;
export type Door = (typeof DOORS)[number];

export interface Running {
  /** For the start screen. */
  firstStart: FirstStart;
  httpPort: number | null;
  smtpPort: number | null;
  submissionPort: number | null;
  close(): Promise<void>;
}

export interface StartOptions {
  /** Counts unexpected errors. The caller has its own where it also watches the process. */
  errors?: UnexpectedErrors;
  /** How long idle HTTP connections stay open while the process stops. */
  idleGraceMs?: number;
  /** Checks every answer against what its route declares. */
  checkAnswers?: boolean;
  /** Where the built web app is, if not beside the built server. */
  webFolder?: string;
}

/** SIGTERM must end within 10 seconds, the embedded database's own shutdown included. */
const GRACE_MS = 5_000;
/** A mail server may let us wait for minutes, a job may run as long. */
const WORKER_GRACE_MS = 6_500;
const LAST_USED_EVERY_MS = 5_000;

export async function start(
  config: Config,
  log: Log,
  doors: readonly Door[],
  options: StartOptions = {},
): Promise<Running> {
  const errors = options.errors ?? createUnexpectedErrors(log);
  // Times are in UTC wherever the machine stands: what reads English times compares them with local ones.
  process.env.TZ = 'UTC';
  const instance = await openInstance(config, log);
  const { db, pool } = instance;
  const firstStart = await prepareFirstTeam(db, config.bootstrapApiKey);

  let worker: Worker | null = null;
  let notifications: Notifications | null = null;
  const onLost = (error: Error) => log.warn({ reason: error.message }, 'notifications: connection lost');
  const isListening = () => notifications?.isListening() ?? false;
  const keyring = createKeyring(db, isListening);
  const sessionRing = createSessionRing(db, isListening);
  const courierListener = {
    channel: 'deliveries_due',
    onNotification: () => worker?.wake(),
    onGap: () => worker?.wake(),
  };
  const campaignListener = {
    channel: 'campaign_changed',
    onNotification: (change: string) => worker?.campaignChanged(change),
    onGap: () => worker?.reloadCampaigns(),
  };
  const mail = createHintHub('mailbox_events');
  const listeners = [
    keyring.listener,
    sessionRing.listener,
    courierListener,
    campaignListener,
    mail.listener,
  ];
  notifications = await startNotifications(instance.databaseUrl, listeners, {
    onError: onLost,
    onListenerError: (error) => errors.report('notifications', error),
  });

  const stopping = new AbortController();
  // Every stream of events listens to it, and Node.js warns of a leak after ten.
  setMaxListeners(0, stopping.signal);
  const facts = {
    baseUrl: config.baseUrl,
    mailHost: config.mailHost,
    mailTransport: config.mailTransport,
    dkimSign: config.dkimSign,
    eventRetentionDays: config.eventRetentionDays,
    webhookAllowPrivate: config.webhookAllowPrivate,
    directAllowPrivate: config.directAllowPrivate,
    dmarcReject: config.dmarcReject,
    teamLimits: config.teamLimits,
    inboundLimits: {
      connectionsPerIp: config.smtpConnectionsPerIp,
      messagesPerIp: config.smtpMessagesPerIp,
      messagesPerMailbox: config.smtpMessagesPerMailbox,
    },
    secret: instance.secret,
    wakeCouriers: createHint(pool, courierListener.channel, onLost),
    hintMail: createHint(pool, mail.listener.channel, onLost),
    onMailHint: mail.subscribe,
    stopping: stopping.signal,
  };
  const dns = createDns(config.dnsServers);
  let http: HttpServer | null = null;
  let visits: VisitRecorder | null = null;
  let smtp: SmtpDoor | null = null;
  const lastUsedTimer = setInterval(() => void writeLastUsed(), LAST_USED_EVERY_MS);
  async function writeLastUsed(): Promise<void> {
    await Promise.all([keyring.writeLastUsed(), sessionRing.writeLastSeen()]).catch((error: unknown) =>
      log.warn({ err: error }, 'last used: not written'),
    );
  }
  /** Takes every step, also behind one that fails, and then throws what the first failure was. */
  async function close(): Promise<void> {
    stopping.abort();
    clearInterval(lastUsedTimer);
    const steps: (() => Promise<unknown>)[] = [
      () => closeAll([closeHttp(), closeSmtp(), closeWorker()]),
      async () => visits?.close(),
      () => writeLastUsed(),
      async () => notifications?.close(),
      () => instance.close(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
  const closeHttp = async () => http?.close(GRACE_MS);
  const closeSmtp = async () => smtp?.close(GRACE_MS);
  /** What it has not finished by then, another process takes over, or this one after the next start. */
  async function closeWorker(): Promise<void> {
    const timedOut = Symbol('timed out');
    const timeout = wait(WORKER_GRACE_MS, timedOut, { ref: false });
    if ((await Promise.race([worker?.close(), timeout])) === timedOut)
      log.warn('stopping: the worker door has not finished in time');
  }

  try {
    if (doors.includes('smtp')) {
      smtp = await openSmtpDoor({
        db,
        log,
        errors,
        keyring,
        facts,
        databaseUrl: instance.databaseUrl,
        databaseConnections: config.databaseConnections,
        dnsServers: config.dnsServers,
        dataDir: config.dataDir,
        certificateFiles: config.smtpTls,
        host: config.smtpHost,
        inboundPort: config.smtpPort,
        submissionPort: config.submissionPort,
      });
    }

    if (doors.includes('worker'))
      worker = await openWorker(instance.databaseUrl, log, facts, dns, {
        default: config.relayUrl,
        byRegion: config.relayUrls,
      });

    // The last: who hears that we are well may use all of it.
    if (doors.includes('http')) {
      visits = createVisitRecorder(db, log);
      const app = createHttpApp({
        db,
        pool,
        log,
        errors,
        requestLog: createRequestLog(config.logLevel),
        keyring,
        sessionRing,
        answerSeal: createSeal(instance.secret, 'idempotent answers'),
        rateLimit: config.rateLimit ? createRateLimit(config.rateLimit) : null,
        checkAnswers: options.checkAnswers ?? false,
        facts,
        visits,
        metricsToken: config.metricsToken,
        webFolder: options.webFolder,
      });
      http = await openHttpServer(app, {
        host: config.host,
        port: config.port,
        log,
        errors,
        idleGraceMs: options.idleGraceMs,
      });
    }
  } catch (error) {
    // A port that is taken must end the process, not leave half of it running.
    await close().catch((failure: unknown) => log.warn({ err: failure }, 'start: not everything was closed'));
    throw error;
  }

  return {
    firstStart,
    httpPort: http?.port ?? null,
    smtpPort: smtp?.inboundPort ?? null,
    submissionPort: smtp?.submissionPort ?? null,
    close,
  };
}
