import { route } from '../../api/route.ts';
import { egressList, egressParams, egressSchema, warmUpInput, type WayOut } from './egress.schema.ts';
import { listEgresses, startWarmUp } from './egress.ts';

const group = 'Egress';

const example: WayOut = {
  name: 'second',
  kind: 'direct',
  address: '192.0.2.7',
  ehlo: 'mail2.example.com',
  pools: [{ name: 'news', weight: 1 }],
  warmup: {
    target: 10_000,
    start: 50,
    factor: 1.5,
    startedAt: '2026-11-18T09:30:00.000Z',
    providers: [
      {
        provider: 'google',
        cap: 75,
        sent: 60,
        room: 15,
        waiting: 0,
        change: 'rise',
        because: 'A good day with 50 messages.',
        curve: [
          { day: '2026-11-18', cap: 50, sent: 50 },
          { day: '2026-11-19', cap: 75, sent: 60 },
        ],
      },
    ],
  },
  slowed: [],
};

export const egressRoutes = [
  route({
    operationId: 'listEgresses',
    method: 'GET',
    path: '/v1/egress',
    scope: 'domains.read',
    group,
    summary: 'List the outgoing routes of the server',
    description:
      'The settings `EGRESS_<NAME>`, with the curve of their warm-up, what can still be sent today, and why. Domains choose them with `pools`.',
    permission: 'full',
    role: 'admin',
    answer: egressList,
    example: { answer: { items: [example] } },
    handle: async ({ db, facts }) => ({ items: await listEgresses(db, facts.egresses) }),
  }),
  route({
    operationId: 'startWarmUp',
    method: 'POST',
    path: '/v1/egress/{name}/warmup',
    scope: 'none',
    group,
    summary: 'Warm up a new address',
    description:
      'Limits the mail of each day to each provider. The limit rises after good days with mail, holds or halves after deferrals, blocks, complaints and bounces, and ends at the target. Campaigns over it wait for the next day; all other mail is sent and counted. A second call starts anew. Only the first team of the server can do this.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: egressParams,
    body: warmUpInput,
    answer: egressSchema,
    example: {
      params: { name: 'second' },
      body: { target: 10_000, start: 50, factor: 1.5 },
      answer: example,
    },
    handle: ({ db, teamId, facts, params: { name }, body }) =>
      startWarmUp(db, teamId, facts.egresses, { name, ...body }),
  }),
];
