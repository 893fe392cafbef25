/**
 * Counts of emails from our own statistics: whole days in the given time zone, by the time at which an email was first
 * tried. Metrics that are not counted here (`received`, `suppressed`, …) are rejected if a request names them.
 */
import { z } from 'zod';
import type { TimeSeries } from '../../../../features/activity/analytics/analytics.schema.ts';
import type { Interval } from '../../../../features/sending/counters/time-range.schema.ts';
import { getTimeSeries } from '../../../../features/activity/analytics/time-series.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import { findCampaign } from '../../../../features/campaigns/campaign-row.ts';
import { listDomainNames } from '../../../../features/sending/domains/find-domain.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { invalidField, notFound } from '../../../../platform/errors.ts';
import { timeZone } from '../../../../platform/schema.ts';
import { metricsRange, type MetricsRange } from './metrics-range.ts';
import { resendRoute } from '../routing/resend-route.ts';

const MAX_IDS = 100;
const MAX_ROWS = 10_000;

const COUNTS = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

const percent = (part: number, whole: number) => (whole > 0 ? Math.min(100, (100 * part) / whole) : 0);
/** An open or click counts once for each email. */
const METRICS = {
  delivered: ({ delivered }) => delivered,
  complained: ({ complained }) => complained,
  bounced: ({ bounced }) => bounced,
  opened: ({ opened }) => opened,
  clicked: ({ clicked }) => clicked,
  sent: ({ sent }) => sent,
  unique_opened: ({ opened }) => opened,
  unique_clicked: ({ clicked }) => clicked,
  delivery_rate: ({ delivered, sent }) => percent(delivered, sent),
  open_rate: ({ opened, delivered }) => percent(opened, delivered),
  click_rate: ({ clicked, delivered }) => percent(clicked, delivered),
  bounce_rate: ({ bounced, sent }) => percent(bounced, sent),
  complaint_rate: ({ complained, delivered }) => percent(complained, delivered),
} satisfies Record<string, (counts: Counts) => number>;
type Metric = keyof typeof METRICS;
const ALL_METRICS = Object.keys(METRICS) as Metric[];

const DIMENSIONS = ['period', 'domain', 'broadcast'] as const;
type Dimension = (typeof DIMENSIONS)[number];

const INTERVALS = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
} as const satisfies Record<string, Interval>;
const granularity = z.enum(['hourly', 'daily', 'weekly', 'monthly']);

/** Reads names separated by commas. */
function listed<Item extends z.ZodType>(item: Item) {
  return z
    .string()
    .max(10_000)
    .transform((value): unknown => [...new Set(value.split(',').map((each) => each.trim()))])
    .pipe(z.array(item).max(MAX_IDS))
    .optional();
}

const unsupported = z.undefined({ error: 'is not supported: emails are not counted one by one' }).optional();
const query = z.object({
  start_date: z.string().max(50).optional(),
  end_date: z.string().max(50).optional(),
  timezone: timeZone.default('UTC'),
  granularity: granularity.default('daily'),
  metrics: listed(z.enum(ALL_METRICS, { error: `must be some of ${ALL_METRICS.join(', ')}` })),
  dimensions: listed(z.enum(DIMENSIONS, { error: `must be some of ${DIMENSIONS.join(', ')}` })),
  domain_id: listed(z.string().regex(/^\d{1,9}$/, { error: 'must be the ids of domains' })),
  broadcast_id: listed(z.string().max(256)),
  email_id: unsupported,
});
type Query = z.output<typeof query>;

const totals = z.partialRecord(z.enum(ALL_METRICS), z.number());
const row = z.object({
  period: z.string().optional(),
  domain_id: z.string().optional(),
  domain_name: z.string().optional(),
  broadcast_id: z.string().optional(),
  broadcast_name: z.string().optional(),
  ...(Object.fromEntries(ALL_METRICS.map((name) => [name, z.number().optional()])) as Record<
    Metric,
    z.ZodOptional<z.ZodNumber>
  >),
});

export const resendMetricRoutes = [
  resendRoute({
    method: 'GET',
    path: '/emails/metrics',
    scope: 'analytics.read',
    permission: 'full',
    boundKeys: 'kept-to-domain',
    readsReplica: true,
    query,
    answer: z.object({
      object: z.literal('metrics'),
      start_date: z.string(),
      end_date: z.string(),
      metrics: z.array(z.enum(ALL_METRICS)),
      dimensions: z.array(z.enum(DIMENSIONS)),
      granularity,
      totals,
      data: z.array(row).optional(),
    }),
    async handle({ db, caller, query }) {
      const range = metricsRange(query, new Date());
      const { metrics = ALL_METRICS, dimensions = [] } = query;
      const scopes = await findScopes(db, caller, query);
      requireFewRows(query, range, scopes.length);
      const counted = await countScopes(db, caller, query, range, scopes);
      const all = sum(counted.map(({ counts }) => counts));
      return {
        object: 'metrics' as const,
        start_date: range.start.toISOString(),
        end_date: range.end.toISOString(),
        metrics,
        dimensions,
        granularity: query.granularity,
        totals: present(all, metrics),
        ...(dimensions.length === 0 ? {} : { data: group(counted, dimensions, metrics) }),
      };
    },
  }),
];

/** The subject of one series. Null means all. */
interface Scope {
  domain: { id: number; name: string } | null;
  broadcast: { id: string; name: string } | null;
}

async function findScopes(db: Db, caller: Caller, wanted: Query): Promise<Scope[]> {
  const domains = await findDomains(db, caller, wanted);
  const broadcasts = await findBroadcasts(db, caller, wanted);
  return domains.flatMap((domain) => broadcasts.map((broadcast) => ({ domain, broadcast })));
}

async function findDomains(db: Db, caller: Caller, { domain_id, dimensions }: Query) {
  if (!domain_id && !dimensions?.includes('domain')) return [null];
  const all = await listDomainNames(db, caller.teamId);
  const ids = domain_id?.map(Number) ?? all.map(({ id }) => id);
  const mine = caller.domainIds === null || domain_id ? ids : caller.domainIds;
  return mine.map((id) => {
    const found = all.find((domain) => domain.id === id);
    if (!found) throw notFound('Domain');
    return found;
  });
}

async function findBroadcasts(db: Db, caller: Caller, { broadcast_id, dimensions }: Query) {
  if (!broadcast_id) {
    if (dimensions?.includes('broadcast'))
      throw invalidField('broadcast_id', 'must be given with the dimension broadcast');
    return [null];
  }
  const found: NonNullable<Scope['broadcast']>[] = [];
  for (const id of broadcast_id) found.push({ id, name: (await findCampaign(db, caller, id)).name });
  return found;
}

function requireFewRows({ granularity: size, dimensions }: Query, { days }: MetricsRange, scopes: number) {
  if (scopes > MAX_IDS) throw invalidField('domain_id', `must select at most ${MAX_IDS} series`);
  const periods = !dimensions?.includes('period') ? 1 : size === 'hourly' ? days * 25 : days;
  if (periods * scopes > MAX_ROWS) throw invalidField('start_date', `must give at most ${MAX_ROWS} rows`);
}

interface Counted {
  scope: Scope;
  period: string;
  counts: Counts;
}

async function countScopes(
  db: Db,
  caller: Caller,
  { timezone, granularity: size, dimensions }: Query,
  range: MetricsRange,
  scopes: Scope[],
): Promise<Counted[]> {
  const counted: Counted[] = [];
  for (const scope of scopes) {
    const series: TimeSeries = await getTimeSeries(db, caller, {
      days: range.days,
      from: range.firstDay,
      to: range.lastDay,
      interval: dimensions?.includes('period') ? INTERVALS[size] : 'month',
      timezone,
      domainId: scope.domain?.id,
      campaignId: scope.broadcast?.id,
    });
    counted.push(...series.result.map(({ date, ...counts }) => ({ scope, period: date, counts })));
  }
  return counted;
}

/** One row for each combination of the dimensions. */
function group(counted: Counted[], dimensions: Dimension[], metrics: Metric[]) {
  const groups = new Map<string, { names: ReturnType<typeof namesOf>; counts: Counts[] }>();
  for (const each of counted) {
    const names = namesOf(each, dimensions);
    const key = JSON.stringify(names);
    const known = groups.get(key);
    if (known) known.counts.push(each.counts);
    else groups.set(key, { names, counts: [each.counts] });
  }
  return [...groups.values()].map(({ names, counts }) => ({ ...names, ...present(sum(counts), metrics) }));
}

function namesOf({ scope: { domain, broadcast }, period }: Counted, dimensions: Dimension[]) {
  return {
    ...(dimensions.includes('period') ? { period } : {}),
    ...(dimensions.includes('domain') ? { domain_id: String(domain!.id), domain_name: domain!.name } : {}),
    ...(dimensions.includes('broadcast')
      ? { broadcast_id: broadcast!.id, broadcast_name: broadcast!.name }
      : {}),
  };
}

function sum(all: Counts[]): Counts {
  const total: Counts = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0 };
  for (const counts of all) for (const name of COUNTS) total[name] += counts[name];
  return total;
}

function present(counts: Counts, metrics: Metric[]): Partial<Record<Metric, number>> {
  return Object.fromEntries(metrics.map((name) => [name, METRICS[name](counts)]));
}
