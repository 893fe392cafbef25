/**
 * The worker door: does the jobs that the other doors left behind, what falls due by the clock, moves campaigns, carries
 * mail, and calls webhooks.
 */
import { createCampaignLetters } from '../features/campaigns/letters.ts';
import { startCampaignRunner } from '../features/campaigns/runner.ts';
import { bringDeliveriesForward } from '../features/deliveries/bring-forward.ts';
import { startCourier } from '../features/deliveries/courier.ts';
import { createDirectTransport } from '../features/deliveries/direct-transport.ts';
import { createRelayTransport, type RelayRoutes } from '../features/deliveries/relay-transport.ts';
import { createSandboxTransport } from '../features/deliveries/sandbox-transport.ts';
import { createLetterSealer } from '../features/deliveries/seal-letter.ts';
import type { Transport } from '../features/deliveries/transport.ts';
import { publicLinksOf } from '../features/tracking/links.ts';
import { bringUndoForward } from '../features/emails/release.ts';
import { bringCallsForward } from '../features/webhooks/bring-forward.ts';
import { createEndpointCaller } from '../features/webhooks/endpoint.ts';
import { startHerald } from '../features/webhooks/herald.ts';
import { createSecretSeal } from '../features/webhooks/signature.ts';
import type { Dns } from '../mail/dns.ts';
import { closeAll } from '../platform/close-all.ts';
import { openDatabase, type Db } from '../platform/database.ts';
import { startDatabaseClock } from '../platform/database-clock.ts';
import type { Facts } from '../platform/facts.ts';
import { endsWithin, startJobs } from '../platform/job-runner.ts';
import { enqueue } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { bringJobsForward } from '../platform/overdue-jobs.ts';
import { createPresence } from '../platform/presence.ts';
import { createHandlers, createUrgentHandlers, schedule } from './handlers.ts';
import { watchStalledWork } from './watch-stalled.ts';

export interface Worker {
  /** Mail may be due, or a call. */
  wake(): void;
  /** `RUNNING <id>`: a campaign and the state it came into. */
  campaignChanged(change: string): void;
  reloadCampaigns(): void;
  close(): Promise<void>;
}

/** Not only when the clock says so. */
const AT_START = ['keep-event-partitions', 'restart-lost-imports', 'restart-lost-verifications'] as const;
const CONCURRENT_JOBS = 4;
const CONCURRENT_URGENT_JOBS = 6;
/** One for each job, the queue's own (listening, presence, fetching), those of campaigns and the herald's. */
const CONNECTIONS = CONCURRENT_JOBS + 8;
/** One for each urgent job, the queue's own, and the courier's: no bulk work can occupy these. */
const URGENT_CONNECTIONS = CONCURRENT_URGENT_JOBS + 6;
const CLOSE_MS = 1_000;

export async function openWorker(
  databaseUrl: string,
  log: Log,
  facts: Facts,
  dns: Dns,
  relays: RelayRoutes,
): Promise<Worker> {
  const onError = (error: Error) => log.warn({ reason: error.message }, 'worker: database connection lost');
  const { db, pool, close } = openDatabase(databaseUrl, { connections: CONNECTIONS, onError });
  const urgent = openDatabase(databaseUrl, { connections: URGENT_CONNECTIONS, onError });
  const presence = createPresence(urgent.pool);
  const jobs = await startJobs(pool, log, {
    handlers: createHandlers(db, facts, dns),
    schedule,
    concurrency: CONCURRENT_JOBS,
  });
  const urgentJobs = await startJobs(urgent.pool, log, {
    handlers: createUrgentHandlers(urgent.db, facts),
    schedule: [],
    concurrency: CONCURRENT_URGENT_JOBS,
  });
  for (const job of AT_START) await enqueue(db, job, {}, { jobKey: job });
  const clock = await startDatabaseClock(urgent.db, log, async () => {
    await bringDeliveriesForward(urgent.db);
    await bringUndoForward(urgent.db);
    await bringCallsForward(urgent.db);
    await bringJobsForward(urgent.db);
  });
  const courier = await startCourier({
    db: urgent.db,
    log,
    presence,
    clock,
    sealer: createLetterSealer(urgent.db, facts),
    transport: createTransport(urgent.db, facts, dns, relays),
    letters: createCampaignLetters(urgent.db, publicLinksOf(facts)),
  });
  const runner = startCampaignRunner({ db, log }, () => {
    courier.wake();
    facts.wakeCouriers();
  });
  const herald = await startHerald({
    db,
    log,
    presence,
    clock,
    endpoints: createEndpointCaller(dns, { allowPrivate: facts.webhookAllowPrivate }),
    secrets: createSecretSeal(facts.secret),
  });
  const watch = watchStalledWork(db, log);
  return {
    wake() {
      courier.wake();
      herald.wake();
    },
    campaignChanged(change) {
      const [status = '', campaignId = ''] = change.split(' ');
      courier.campaignChanged(campaignId, status);
      runner.wake();
    },
    reloadCampaigns() {
      courier.reloadCampaigns();
      runner.wake();
    },
    async close() {
      const parts = [jobs, urgentJobs, runner, courier, herald, watch];
      try {
        await closeAll(parts.map((part) => part.close()));
      } finally {
        await clock.close();
        presence.close();
        // A job that still runs keeps its connections.
        await Promise.all([endsWithin(close(), CLOSE_MS), endsWithin(urgent.close(), CLOSE_MS)]);
      }
    },
  };
}

function createTransport(db: Db, facts: Facts, dns: Dns, relays: RelayRoutes): Transport {
  const inside = { db, hintMail: facts.hintMail };
  switch (facts.mailTransport) {
    case 'sandbox':
      return createSandboxTransport(inside);
    case 'relay':
      return createRelayTransport(relays, facts.mailHost);
    case 'direct':
      return createDirectTransport(
        dns,
        { localName: facts.mailHost, allowPrivate: facts.directAllowPrivate },
        inside,
      );
  }
}
