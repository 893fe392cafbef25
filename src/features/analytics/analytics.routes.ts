import { route } from '../../platform/route.ts';
import { reputationAnswer, reputationQuery, timeSeriesAnswer, timeSeriesQuery } from './analytics.schema.ts';
import { getReputation, getTimeSeries } from './analytics.ts';

const group = 'Analytics';

const counts = { sent: 120, delivered: 117, opened: 64, clicked: 21, bounced: 3, complained: 0 };

export const analyticsRoutes = [
  route({
    operationId: 'getEmailTimeSeries',
    method: 'GET',
    path: '/v1/analytics/email-time-series',
    group,
    summary: 'What happened on each day',
    description:
      'One entry for each UTC day, today last. Everything counts on the day that its email was first tried; an open or a click counts once per email.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    query: timeSeriesQuery,
    answer: timeSeriesAnswer,
    example: {
      query: { days: '7' },
      answer: { result: [{ date: '2026-11-15', ...counts }], totalCounts: counts },
    },
    handle: ({ db, caller, query }) => getTimeSeries(db, caller, query),
  }),
  route({
    operationId: 'getReputationMetrics',
    method: 'GET',
    path: '/v1/analytics/reputation-metrics',
    group,
    summary: 'Bounces and complaints',
    description: 'Over all time. Large providers want complaints under 0.3 % and bounces under 2 %.',
    permission: 'full',
    role: 'member',
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
