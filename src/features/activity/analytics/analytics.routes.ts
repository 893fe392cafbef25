import { route } from '../../api/route.ts';
import { reputationAnswer, reputationQuery, timeSeriesAnswer, timeSeriesQuery } from './analytics.schema.ts';
import { getReputation } from './analytics.ts';
import { getTimeSeries } from './time-series.ts';

const group = 'Analytics';

const counts = { sent: 120, delivered: 117, opened: 64, clicked: 21, bounced: 3, complained: 0 };

export const analyticsRoutes = [
  route({
    operationId: 'getEmailTimeSeries',
    method: 'GET',
    path: '/v1/analytics/email-time-series',
    scope: 'analytics.read',
    group,
    summary: 'Get an email time series',
    description: [
      'One entry per UTC day of the last 7 or 30 days, today last; or per hour, day, week or month of the days `from` to `to` in a time zone, oldest first. Entries without email are zeros.',
      'Everything counts at the time of the first delivery attempt of its email. Recipients are counted, except for opens and clicks, which count once per email.',
      'Weeks start on Monday. The first and the last week or month contain only the days of the range. A day on which the clocks change has 23 or 25 hours.',
      'Counts are kept for each quarter of an hour. For email from before the update that introduced these counts, only the UTC day is known; it counts at 12:00 UTC.',
    ].join('\n\n'),
    permission: 'full',
    role: 'member',
    readsReplica: true,
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    query: timeSeriesQuery,
    answer: timeSeriesAnswer,
    example: {
      query: { from: '2026-11-15', to: '2026-11-15', timezone: 'Europe/Berlin' },
      answer: {
        result: [{ date: '2026-11-15', ...counts }],
        totalCounts: counts,
        tracked: { opens: { emails: 110, opened: 64 }, clicks: { emails: 98, clicked: 21 } },
      },
    },
    handle: ({ db, caller, query }) => getTimeSeries(db, caller, query),
  }),
  route({
    operationId: 'getReputationMetrics',
    method: 'GET',
    path: '/v1/analytics/reputation-metrics',
    scope: 'analytics.read',
    group,
    summary: 'Get bounce and complaint rates',
    description: 'All-time rates. Large providers expect complaints below 0.3% and bounces below 2%.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    query: reputationQuery,
    answer: reputationAnswer,
    example: {
      answer: { delivered: 990, hardBounced: 10, complained: 1, bounceRate: 1, complaintRate: 0.101 },
    },
    handle: ({ db, caller, query }) => getReputation(db, caller, query),
  }),
];
