/** The worker: runs background and scheduled jobs, releases campaigns, delivers emails and sends webhooks. */
import { startAutomationEngine } from '../features/automations/engine/engine.ts';
import { mailboxActions } from '../features/mailboxes/writing/automation-mail.ts';
import { createCampaignRenderer } from '../features/campaigns/campaign-renderer.ts';
import { retryCampaignsNow } from '../features/campaigns/running/failures.ts';
import { startCampaignRunner, type CampaignRunner } from '../features/campaigns/running/runner.ts';
import { retryDeliveriesNow } from '../features/delivery/retry-now.ts';
import { startDeliveryWorker, type DeliveryWorker } from '../features/delivery/delivery-worker.ts';
import { createDeliveryMetrics } from '../features/delivery/delivery-metrics.ts';
import { limitRates } from '../features/delivery/transports/destination-rates.ts';
import { createDirectTransport } from '../features/delivery/transports/direct-transport.ts';
import { createEgressTransport } from '../features/delivery/egress-transport.ts';
import { createRelayTransport, type RelayRoutes } from '../features/delivery/transports/relay-transport.ts';
import { createSandboxTransport } from '../features/delivery/transports/sandbox-transport.ts';
import { createDeliverySigner } from '../features/delivery/sign-delivery.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import { publicLinksOf } from '../features/content/links/links.ts';
import { restoreUndoTimes } from '../features/sending/emails/release.ts';
import { retryCallsNow } from '../features/webhooks/retry-now.ts';
import { createEndpointCaller, type EndpointCaller } from '../features/webhooks/endpoint.ts';
import { startWebhookSender } from '../features/webhooks/webhook-sender.ts';
import type { VendorFormats } from '../features/webhooks/format.ts';
import { createWebhookSecretBox } from '../features/webhooks/signature.ts';
import type { Dns } from '../mail/auth/dns.ts';
import type { Dane } from '../mail/smtp/dane.ts';
import { startLeaseHolder, type LeaseHolder } from '../platform/due/lease-holder.ts';
import { closeAll } from '../platform/concurrency/close-all.ts';
import { openDatabase, type Database, type Db } from '../platform/database/database.ts';
import { startDatabaseClock, type DatabaseClock } from '../platform/database/database-clock.ts';
import type { Facts } from '../features/instance/facts.ts';
import { endsWithin, startJobs } from '../platform/jobs/job-runner.ts';
import { enqueue } from '../features/jobs/jobs.ts';
import type { Log } from '../platform/log.ts';
import { useLinks } from '../features/content/links/links-of.ts';
import { useObjectStore } from '../platform/object-store/object-store-of.ts';
import { retryJobsNow } from '../platform/jobs/retry-jobs-now.ts';
import { createPresence } from '../platform/database/presence.ts';
import { createHandlers, createUrgentHandlers, schedule } from './handlers.ts';
import { watchStalledWork } from './watch-stalled.ts';

export interface Worker {
  /** Tells the worker that a delivery or a webhook may be due. */
  wake(): void;
  /** Tells the worker that a job may be due. */
  wakeJobs(): void;
  /** `change` is the new status of a campaign and its ID: `RUNNING <id>`. */
  campaignChanged(change: string): void;
  reloadCampaigns(): void;
  close(): Promise<void>;
}

/** Scheduled jobs that also run at the start. */
const AT_START = ['keep-event-partitions', 'restart-lost-imports', 'restart-lost-verifications'] as const;
const CONCURRENT_JOBS = 4;
const CONCURRENT_URGENT_JOBS = 6;
/**
 * One connection for each job, plus those for the job queue, the campaign runner and the webhook sender.
 */
const CONNECTIONS = CONCURRENT_JOBS + 8;
/**
 * One connection for each urgent job, plus those for the job queue and the delivery worker. Bulk work cannot occupy
 * these.
 */
const URGENT_CONNECTIONS = CONCURRENT_URGENT_JOBS + 6;
/** Needed when a pooler is used: one connection holds the presence locks, and one looks for dead processes. */
const DIRECT_CONNECTIONS = 2;
const CLOSE_MS = 1_000;

export interface WorkerTools {
  databaseUrl: string;
  /** The URL of PostgreSQL itself. */
  directUrl: string;
  /** True if `databaseUrl` leads to a pooler in transaction mode. */
  isPooled: boolean;
  log: Log;
  mailLog: Log;
  facts: Facts;
  dns: Dns;
  relays: RelayRoutes;
  /** Null if the resolver is not trusted with DNSSEC. */
  dane: Dane | null;
  /** The most bytes of messages to claim for delivery. */
  claimedBytes: number;
  vendorFormats: VendorFormats;
}

export async function openWorker(tools: WorkerTools): Promise<Worker> {
  const { log, facts, dns } = tools;
  const pools = openPools(tools);
  const { db } = pools.bulk;
  const presence = createPresence((pools.direct ?? pools.urgent).pool);
  const endpoints = createEndpointCaller(dns, { allowPrivate: facts.webhookAllowPrivate });
  const clock = await startDatabaseClock(pools.urgent.db, log, () => retryAllNow(pools.urgent.db));
  const leases = await startLeaseHolder({
    db: pools.urgent.db,
    log,
    presence,
    registry: facts.metrics.registry,
  });
  const jobs = await startJobRunners(tools, pools, leases, endpoints);
  const started: { runner?: CampaignRunner } = {};
  const deliveryWorker = await startDelivery(tools, { db: pools.urgent.db, leases, clock }, () =>
    started.runner?.wake(),
  );
  const runner = startCampaignRunner({ db, log, disk: facts.disk }, () => {
    deliveryWorker.wake();
    facts.wakeDeliveryWorkers();
  });
  started.runner = runner;
  const webhookSender = startWebhookSender({
    db,
    log,
    leases,
    clock,
    endpoints,
    secrets: createWebhookSecretBox(facts.secret),
    vendorFormats: tools.vendorFormats,
  });
  const automations = startAutomationEngine(
    {
      db,
      log,
      links: publicLinksOf(facts),
      mailboxes: mailboxActions,
      mustWait: async () => (await facts.disk.fullSince()) !== null,
    },
    () => {
      deliveryWorker.wake();
      facts.wakeDeliveryWorkers();
    },
  );
  const watch = watchStalledWork(db, log);
  return {
    wake() {
      deliveryWorker.wake();
      webhookSender.wake();
    },
    wakeJobs() {
      for (const runner of jobs) runner.wake();
    },
    campaignChanged(change) {
      const [status = '', campaignId = ''] = change.split(' ');
      deliveryWorker.campaignChanged(campaignId, status);
      runner.wake();
    },
    reloadCampaigns() {
      deliveryWorker.reloadCampaigns();
      runner.wake();
    },
    async close() {
      const parts = [...jobs, runner, automations, deliveryWorker, webhookSender, watch];
      try {
        await closeAll(parts.map((part) => part.close()));
      } finally {
        leases.close();
        await clock.close();
        presence.close();
        await closePools(pools);
      }
    },
  };
}

/** Starts the runner of all jobs and the one of urgent jobs, which no other work delays. */
async function startJobRunners(
  { log, facts, dns }: WorkerTools,
  { bulk, urgent }: Pools,
  leases: LeaseHolder,
  endpoints: EndpointCaller,
) {
  const jobs = startJobs(bulk.db, log, {
    leases,
    handlers: createHandlers(bulk.db, facts, dns, log, endpoints),
    schedule,
    concurrency: CONCURRENT_JOBS,
  });
  const urgentJobs = startJobs(urgent.db, log, {
    leases,
    handlers: createUrgentHandlers(urgent.db, facts),
    schedule: [],
    concurrency: CONCURRENT_URGENT_JOBS,
  });
  for (const job of AT_START) await enqueue(bulk.db, job, {}, { jobKey: job });
  return [jobs, urgentJobs];
}

function startDelivery(
  tools: WorkerTools,
  { db, leases, clock }: { db: Db; leases: LeaseHolder; clock: DatabaseClock },
  onBatchFinished: () => void,
): Promise<DeliveryWorker> {
  const { log, mailLog, facts, claimedBytes } = tools;
  const metrics = createDeliveryMetrics(facts.metrics, facts.mailTransport);
  return startDeliveryWorker({
    db,
    log,
    mailLog,
    metrics,
    tracer: facts.tracer,
    leases,
    clock,
    claimedBytes,
    // The sandbox stores what others would send.
    mustWait: async () => facts.mailTransport === 'sandbox' && (await facts.disk.fullSince()) !== null,
    signer: createDeliverySigner(db, facts, metrics),
    transport: createTransport(db, leases, tools),
    renderer: createCampaignRenderer(db, publicLinksOf(facts)),
    onBatchFinished,
    mayLeaseBatches: async () => (await facts.disk.fullSince()) === null,
  });
}

interface Pools {
  bulk: Database;
  urgent: Database;
  /** For what needs a session, if the other connections go through a pooler. */
  direct: Database | null;
}

function openPools({ databaseUrl, directUrl, isPooled, log, facts }: WorkerTools): Pools {
  const onError = (error: Error) => log.warn({ reason: error.message }, 'worker: database connection lost');
  const shared = { isPooled, onError, onDiskFull: facts.disk.reportFull };
  const open = (connections: number) => openDatabase(databaseUrl, { connections, ...shared });
  const direct = isPooled ? openDatabase(directUrl, { connections: DIRECT_CONNECTIONS, onError }) : null;
  if (direct) facts.metrics.watchPool('direct', direct.pool);
  return {
    bulk: preparePool('worker', open(CONNECTIONS), facts),
    urgent: preparePool('urgent', open(URGENT_CONNECTIONS), facts),
    direct,
  };
}

/** A job that is still running keeps its connections, so do not wait for them forever. */
async function closePools({ bulk, urgent, direct }: Pools): Promise<void> {
  const pools = [bulk, urgent, ...(direct ? [direct] : [])];
  await Promise.all(pools.map(({ close }) => endsWithin(close(), CLOSE_MS)));
}

function preparePool(name: string, database: Database, facts: Facts): Database {
  const { objectStore, metrics } = facts;
  useObjectStore(database.pool, objectStore);
  useLinks(database.pool, publicLinksOf(facts));
  metrics.watchPool(name, database.pool);
  return database;
}

async function retryAllNow(db: Db): Promise<void> {
  await retryDeliveriesNow(db);
  await restoreUndoTimes(db);
  await retryCampaignsNow(db);
  await retryCallsNow(db);
  await retryJobsNow(db);
}

function createTransport(db: Db, leases: LeaseHolder, tools: WorkerTools): Transport {
  const { facts, log } = tools;
  const base = createUnlimitedTransport(db, leases, tools);
  if (facts.mailTransport === 'sandbox') return base;
  const transport = createEgressTransport(base, createWaysOut(db, leases, tools), {
    db,
    log,
    dns: tools.dns,
    egresses: facts.egresses,
  });
  return limitRates(transport, facts.destinationRates, { db, log });
}

function createUnlimitedTransport(
  db: Db,
  leases: LeaseHolder,
  { facts, log, dns, dane, relays }: WorkerTools,
): Transport {
  const inside = { db, hintMail: facts.hintMail };
  switch (facts.mailTransport) {
    case 'sandbox':
      return createSandboxTransport(inside);
    case 'relay':
      return createRelayTransport(relays, facts.mailHost, { db, log, dns });
    case 'direct':
      return createDirectTransport(
        dns,
        { localName: facts.mailHost, allowPrivate: facts.directAllowPrivate, dane },
        inside,
        { leases, log },
      );
  }
}

/** By name. */
function createWaysOut(
  db: Db,
  leases: LeaseHolder,
  { facts, log, dns, dane }: WorkerTools,
): Map<string, Transport> {
  const { mailHost, directAllowPrivate: allowPrivate, hintMail, egresses } = facts;
  return new Map(
    egresses.ways.map((way) => [
      way.name,
      way.kind === 'relay'
        ? createRelayTransport({ default: way.url, byRegion: {} }, mailHost, { db, log, dns })
        : createDirectTransport(
            dns,
            {
              localName: way.localName,
              localAddress: way.localAddress,
              ownNames: [mailHost],
              allowPrivate,
              dane,
            },
            { db, hintMail },
            { leases, log },
          ),
    ]),
  );
}
