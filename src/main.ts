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
import type { Facts } from './platform/facts.ts';
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
  const firstStart = await prepareFirstTeam(instance.db, config.bootstrapApiKey);
  const open: OpenDoors = { http: null, visits: null, smtp: null, worker: null };
  const listening = await listen(instance, log, errors, open);
  const stopping = new AbortController();
  // Every stream of events listens to it, and Node.js warns of a leak after ten.
  setMaxListeners(0, stopping.signal);
  const facts = { ...factsOf(config, instance, listening.hints), stopping: stopping.signal };
  const lastUsedTimer = setInterval(() => void listening.writeLastUsed(), LAST_USED_EVERY_MS);

  /** Takes every step, also behind one that fails, and then throws what the first failure was. */
  async function close(): Promise<void> {
    stopping.abort();
    clearInterval(lastUsedTimer);
    const steps: (() => Promise<unknown>)[] = [
      () => closeDoors(open, log),
      async () => open.visits?.close(),
      () => listening.writeLastUsed(),
      () => listening.close(),
      () => instance.close(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  try {
    await openDoors(open, doors, { config, log, errors, options, instance, facts, ...listening });
  } catch (error) {
    // A port that is taken must end the process, not leave half of it running.
    await close().catch((failure: unknown) => log.warn({ err: failure }, 'start: not everything was closed'));
    throw error;
  }

  return {
    firstStart,
    httpPort: open.http?.port ?? null,
    smtpPort: open.smtp?.inboundPort ?? null,
    submissionPort: open.smtp?.submissionPort ?? null,
    close,
  };
}

type Instance = Awaited<ReturnType<typeof openInstance>>;

/** What runs in this process so far. */
interface OpenDoors {
  http: HttpServer | null;
  visits: VisitRecorder | null;
  smtp: SmtpDoor | null;
  worker: Worker | null;
}

/** Listens to notifications, and remembers keys and sessions for as long as none says that they changed. */
async function listen(
  { db, pool, databaseUrl }: Instance,
  log: Log,
  errors: UnexpectedErrors,
  open: OpenDoors,
) {
  let notifications: Notifications | null = null;
  const onLost = (error: Error) => log.warn({ reason: error.message }, 'notifications: connection lost');
  const isListening = () => notifications?.isListening() ?? false;
  const keyring = createKeyring(db, isListening);
  const sessionRing = createSessionRing(db, isListening);
  const courierListener = {
    channel: 'deliveries_due',
    onNotification: () => open.worker?.wake(),
    onGap: () => open.worker?.wake(),
  };
  const campaignListener = {
    channel: 'campaign_changed',
    onNotification: (change: string) => open.worker?.campaignChanged(change),
    onGap: () => open.worker?.reloadCampaigns(),
  };
  const mail = createHintHub('mailbox_events');
  const listeners = [
    keyring.listener,
    sessionRing.listener,
    courierListener,
    campaignListener,
    mail.listener,
  ];
  notifications = await startNotifications(databaseUrl, listeners, {
    onError: onLost,
    onListenerError: (error) => errors.report('notifications', error),
  });
  const { close } = notifications;
  return {
    keyring,
    sessionRing,
    hints: {
      wakeCouriers: createHint(pool, courierListener.channel, onLost),
      hintMail: createHint(pool, mail.listener.channel, onLost),
      onMailHint: mail.subscribe,
    },
    async writeLastUsed(): Promise<void> {
      await Promise.all([keyring.writeLastUsed(), sessionRing.writeLastSeen()]).catch((error: unknown) =>
        log.warn({ err: error }, 'last used: not written'),
      );
    },
    close,
  };
}

type Listening = Awaited<ReturnType<typeof listen>>;

function factsOf(config: Config, { secret }: Instance, hints: Listening['hints']): Omit<Facts, 'stopping'> {
  return {
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
    secret,
    ...hints,
  };
}

interface DoorTools extends Pick<Listening, 'keyring' | 'sessionRing'> {
  config: Config;
  log: Log;
  errors: UnexpectedErrors;
  options: StartOptions;
  instance: Instance;
  facts: Facts;
}

/** HTTP comes last: a client that finds it healthy may use all of it. */
async function openDoors(open: OpenDoors, doors: readonly Door[], tools: DoorTools): Promise<void> {
  const { config, log, instance, facts } = tools;
  if (doors.includes('smtp')) open.smtp = await openSmtp(tools);
  if (doors.includes('worker'))
    open.worker = await openWorker(instance.databaseUrl, log, facts, createDns(config.dnsServers), {
      default: config.relayUrl,
      byRegion: config.relayUrls,
    });
  if (doors.includes('http')) {
    open.visits = createVisitRecorder(instance.db, log);
    open.http = await openHttp(tools, open.visits);
  }
}

function openSmtp({ config, log, errors, instance, keyring, facts }: DoorTools): Promise<SmtpDoor> {
  return openSmtpDoor({
    db: instance.db,
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

function openHttp(tools: DoorTools, visits: VisitRecorder): Promise<HttpServer> {
  const { config, log, errors, options, instance, keyring, sessionRing, facts } = tools;
  const app = createHttpApp({
    db: instance.db,
    pool: instance.pool,
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
  return openHttpServer(app, {
    host: config.host,
    port: config.port,
    log,
    errors,
    idleGraceMs: options.idleGraceMs,
  });
}

/** What the worker has not finished in time another process takes over, or this one after the next start. */
async function closeDoors({ http, smtp, worker }: OpenDoors, log: Log): Promise<void> {
  async function closeWorker(): Promise<void> {
    const timedOut = Symbol('timed out');
    const timeout = wait(WORKER_GRACE_MS, timedOut, { ref: false });
    if ((await Promise.race([worker?.close(), timeout])) === timedOut)
      log.warn('stopping: the worker door has not finished in time');
  }
  const closeHttp = async () => http?.close(GRACE_MS);
  const closeSmtp = async () => smtp?.close(GRACE_MS);
  await closeAll([closeHttp(), closeSmtp(), closeWorker()]);
}
