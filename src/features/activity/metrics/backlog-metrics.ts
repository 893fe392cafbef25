/**
 * Metrics of the work waiting in the database: deliveries, jobs, webhook calls, stalled work and failing relays.
 * Every process shows the same figures. A million deliveries take about 100 ms to count; see readSometimes for how
 * often.
 */
import { Gauge } from 'prom-client';
import type { Db } from '../../../platform/database/database.ts';
import { readJobBacklog, type JobLine } from '../../../platform/jobs/job-backlog.ts';
import { readSometimes, type Metrics } from '../../../platform/telemetry/metrics.ts';
import { STALLED_KINDS, TEAM_KINDS } from '../../account/notices/notices.schema.ts';
import { findStalledWork, type StalledWork } from '../../account/notices/stalled-work.ts';
import { readWebhookBacklog, type WebhookBacklog } from '../../webhooks/backlog.ts';
import { readQueueBacklog, type QueueLine } from '../../delivery/queue-backlog.ts';
import { findBrakes, type FoundBrake } from '../../deliverability/brakes/find-brakes.ts';
import { findRelayFailures, type RelayFailure } from '../../delivery/transports/relay-failures.ts';

interface Backlog {
  queue: QueueLine[];
  jobs: JobLine[];
  stalled: StalledWork[];
  webhooks: WebhookBacklog;
  relays: RelayFailure[];
  brakes: FoundBrake[];
}

/** Reads one value after the other, so that a scrape uses one connection. */
async function readBacklog(db: Db): Promise<Backlog> {
  const jobs = await readJobBacklog(db);
  return {
    jobs,
    stalled: await findStalledWork(db, null, jobs),
    queue: await readQueueBacklog(db),
    webhooks: await readWebhookBacklog(db),
    relays: await findRelayFailures(db, null),
    brakes: await findBrakes(db, null),
  };
}

interface BacklogGauge {
  name: string;
  help: string;
  labelNames: string[];
  set(gauge: Gauge, backlog: Backlog): void;
}

const GAUGES: BacklogGauge[] = [
  {
    name: 'posthorn_queue_deliveries',
    help: 'Deliveries in the queue, by kind and state; for the kind scheduled, emails. At most 100,000 are counted.',
    labelNames: ['kind', 'state'],
    set(gauge, { queue }) {
      for (const { kind, due, later, paused } of queue) {
        gauge.set({ kind, state: 'due' }, due);
        gauge.set({ kind, state: 'later' }, later);
        gauge.set({ kind, state: 'paused' }, paused);
      }
    },
  },
  {
    name: 'posthorn_queue_oldest_seconds',
    help: 'For how long the oldest delivery that is due has waited, by kind',
    labelNames: ['kind'],
    set(gauge, { queue }) {
      for (const { kind, oldestSeconds } of queue) gauge.set({ kind }, oldestSeconds);
    },
  },
  {
    name: 'posthorn_relays_failing',
    help: 'Relays that do not accept mail',
    labelNames: [],
    set: (gauge, { relays }) => gauge.set(relays.length),
  },
  {
    name: 'posthorn_domain_brakes',
    help: 'Domains whose brake is on because of complaints or hard bounces (on), or nearly so (warning)',
    labelNames: ['status'],
    set(gauge, { brakes }) {
      for (const status of ['WARNING', 'ON'] as const)
        gauge.set({ status: status.toLowerCase() }, brakes.filter((brake) => brake.status === status).length);
    },
  },
  {
    name: 'posthorn_jobs_waiting',
    help: 'Jobs that are due and not done, by kind',
    labelNames: ['job'],
    set(gauge, { jobs }) {
      for (const { job, waiting } of jobs) gauge.inc({ job }, waiting);
    },
  },
  {
    name: 'posthorn_jobs_failed',
    help: 'Jobs that have no retries left, by kind',
    labelNames: ['job'],
    set(gauge, { jobs }) {
      for (const { job, failed } of jobs) gauge.inc({ job }, failed);
    },
  },
  {
    name: 'posthorn_job_oldest_seconds',
    help: 'Age of the oldest waiting job, by kind',
    labelNames: ['job'],
    set(gauge, { jobs }) {
      for (const [job, seconds] of oldest(jobs, ({ job }) => job)) gauge.set({ job }, seconds);
    },
  },
  {
    name: 'posthorn_stalled_seconds',
    help: 'How long work of a team has made no progress for a reason that the operator can mend, by kind; 0 if nothing is stalled',
    labelNames: ['kind'],
    set(gauge, { stalled }) {
      const ours = stalled.filter(({ concerns }) => concerns === 'operator');
      const seconds = oldest(ours, ({ kind }) => kind);
      for (const kind of STALLED_KINDS) gauge.set({ kind }, seconds.get(kind) ?? 0);
    },
  },
  {
    name: 'posthorn_team_problems',
    help: 'What only the teams themselves can mend, by kind: webhooks that fail, campaigns that paused by themselves, confirmations that were given up',
    labelNames: ['kind'],
    set(gauge, { stalled }) {
      const theirs = stalled.filter(({ concerns }) => concerns === 'team');
      for (const kind of TEAM_KINDS) gauge.set({ kind }, theirs.filter((work) => work.kind === kind).length);
    },
  },
  {
    name: 'posthorn_webhook_calls_waiting',
    help: 'Waiting webhook calls, including retries. At most 100,000 are counted.',
    labelNames: [],
    set: (gauge, { webhooks }) => gauge.set(webhooks.waiting),
  },
  {
    name: 'posthorn_webhook_lag_seconds',
    help: 'For how long the oldest webhook call that is due has waited',
    labelNames: [],
    set: (gauge, { webhooks }) => gauge.set(webhooks.lagSeconds),
  },
];

export function addBacklogMetrics({ registry }: Pick<Metrics, 'registry'>, db: Db): void {
  const read = readSometimes(() => readBacklog(db));
  for (const { name, help, labelNames, set } of GAUGES) {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const backlog = await read();
        gauge.reset();
        if (backlog) set(gauge, backlog);
        // A gauge without labels starts at 0, which would look like a measured value.
        else if (labelNames.length === 0) gauge.set(NaN);
      },
    });
  }
}

function oldest<Item extends { since: Date | null }>(
  items: Item[],
  nameOf: (item: Item) => string,
): Map<string, number> {
  const ages = new Map<string, number>();
  for (const item of items) {
    const seconds = item.since ? Math.max(0, (Date.now() - item.since.getTime()) / 1000) : 0;
    ages.set(nameOf(item), Math.max(ages.get(nameOf(item)) ?? 0, seconds));
  }
  return ages;
}
