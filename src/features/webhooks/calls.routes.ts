import { route } from '../api/route.ts';
import {
  callDetailSchema,
  callPage,
  callParams,
  callQuery,
  callSchema,
  replayed,
  replayInput,
  type Call,
} from './calls.schema.ts';
import { getCall, listCalls, replayCall, replayFailed, sendTest } from './calls.ts';
import { exampleOf } from './events.ts';
import { webhookParams } from './webhooks.schema.ts';

const group = 'Webhooks';

const attempt = {
  no: 1,
  at: '2026-11-15T09:30:00.500Z',
  durationMs: 84,
  statusCode: 200,
  answer: 'ok',
  error: null,
};
const example: Call = {
  id: 'whc_01kbd8x4zvf7m8rk2q3w5t6y7h',
  webhookId: 'whk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  eventId: 'evt_01kbd8x4zvf7m8rk2q3w5t6y7h',
  type: 'email.delivered',
  status: 'succeeded',
  attemptCount: 1,
  nextAttemptAt: null,
  lastAttempt: attempt,
  payload: exampleOf('email.delivered'),
  createdAt: '2026-11-15T09:30:00.000Z',
};
const waiting: Call = {
  ...example,
  status: 'waiting',
  nextAttemptAt: '2026-11-15T10:00:00.000Z',
};
const hookParams = { webhookId: example.webhookId };
const params = { ...hookParams, callId: example.id };

export const callRoutes = [
  route({
    operationId: 'sendTestEvent',
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/test',
    scope: 'webhooks.manage',
    group,
    summary: 'Send a test event',
    description: 'Sends an event of the type `webhook.test` to this webhook. The webhook must be active.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: webhookParams,
    answer: callSchema,
    example: {
      params: hookParams,
      answer: {
        ...waiting,
        type: 'webhook.test',
        attemptCount: 0,
        lastAttempt: null,
        payload: exampleOf('webhook.test'),
      },
    },
    async handle({ db, teamId, facts, params: { webhookId } }) {
      const call = await sendTest(db, teamId, webhookId);
      facts.wakeDeliveryWorkers();
      return call;
    },
  }),
  route({
    operationId: 'listWebhookCalls',
    method: 'GET',
    path: '/v1/webhooks/{webhookId}/calls',
    scope: 'webhooks.manage',
    group,
    summary: 'List the deliveries of a webhook',
    description:
      'Newest first, kept for 30 days. Each has the request body and the result of the last attempt.',
    permission: 'full',
    role: 'admin',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: webhookParams,
    query: callQuery,
    answer: callPage,
    example: {
      params: hookParams,
      query: { status: 'succeeded' },
      answer: { items: [example], next_cursor: null },
    },
    handle: ({ db, teamId, params: { webhookId }, query }) => listCalls(db, teamId, webhookId, query),
  }),
  route({
    operationId: 'getWebhookCall',
    method: 'GET',
    path: '/v1/webhooks/{webhookId}/calls/{callId}',
    scope: 'webhooks.manage',
    group,
    summary: 'Get a delivery with all its attempts',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: callParams,
    answer: callDetailSchema,
    example: { params, answer: { ...example, attempts: [attempt] } },
    handle: ({ db, teamId, params: { webhookId, callId } }) => getCall(db, teamId, webhookId, callId),
  }),
  route({
    operationId: 'replayWebhookCall',
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/calls/{callId}/replay',
    scope: 'webhooks.manage',
    group,
    summary: 'Send a delivery again',
    description: 'Sends the same body with the same `webhook-id`, even if the delivery succeeded.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: callParams,
    answer: callSchema,
    example: { params, answer: waiting },
    async handle({ db, teamId, facts, params: { webhookId, callId } }) {
      const call = await replayCall(db, teamId, webhookId, callId);
      facts.wakeDeliveryWorkers();
      return call;
    },
  }),
  route({
    operationId: 'replayFailedWebhookCalls',
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/replay-failed',
    scope: 'webhooks.manage',
    group,
    summary: 'Send all failed deliveries again',
    description:
      'Sends every delivery again that failed since the given time and has no retries left, one after the other.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: webhookParams,
    body: replayInput,
    answer: replayed,
    example: { params: hookParams, body: { since: '2026-11-14T00:00:00Z' }, answer: { count: 17 } },
    async handle({ db, teamId, facts, params: { webhookId }, body }) {
      const count = await replayFailed(db, teamId, webhookId, body.since);
      facts.wakeDeliveryWorkers();
      return { count };
    },
  }),
];
