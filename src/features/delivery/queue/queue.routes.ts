import { route, type Route } from '../../api/route.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { DeliveryKey } from '../claim.ts';
import { decodeDeliveryId, encodeDeliveryId } from './delivery-id.ts';
import { changeQueue, type QueueAction } from './change-queue.ts';
import { countQueue, getQueuedDelivery, listQueue } from './list-queue.ts';
import {
  queueActionAnswer,
  queueActionInput,
  queueCountQuery,
  queueCounts,
  queueDelivery,
  queuePage,
  queueParams,
  queueQuery,
  type QueuedDelivery,
} from './queue.schema.ts';

const group = 'Queue';
const common = { group, permission: 'full', role: 'admin' } as const;

const example: QueuedDelivery = {
  id: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h-0',
  teamId: 1,
  emailId: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
  campaignId: null,
  from: 'Harbour Books <news@example.com>',
  subject: 'Your order',
  recipient: 'ada@example.org',
  state: 'waiting',
  attempts: 2,
  queuedAt: '2026-11-15T09:30:00.000Z',
  lastAttemptAt: '2026-11-15T09:35:00.000Z',
  lastError: '451 4.3.0 Try again later',
  lastClass: 'server',
  nextAttemptAt: '2026-11-15T09:50:00.000Z',
};
const params = { deliveryId: example.id };
const BATCHES =
  'One request changes at most 1,000 deliveries, or drops 200. While `next_cursor` is not null, send the same request again with it as `cursor`. Deliveries that a worker is sending right now are not changed.';

const ACTIONS: { action: QueueAction; operationId: string; summary: string; description: string }[] = [
  {
    action: 'retry',
    operationId: 'retryQueue',
    summary: 'Try deliveries now',
    description: `Waiting deliveries are tried immediately. Held deliveries stay held, and those of a paused campaign keep waiting. ${BATCHES}`,
  },
  {
    action: 'hold',
    operationId: 'holdQueue',
    summary: 'Hold deliveries',
    description: `Held deliveries are not tried until they are released. The time limit for retries, which starts with the first attempt, keeps running. ${BATCHES}`,
  },
  {
    action: 'release',
    operationId: 'releaseQueue',
    summary: 'Release held deliveries',
    description: `They are tried immediately. ${BATCHES}`,
  },
  {
    action: 'drop',
    operationId: 'dropQueue',
    summary: 'Drop deliveries',
    description: `Their recipients do not get the email: its status becomes \`FAILED\`. This cannot be undone. ${BATCHES}`,
  },
];

export const queueRoutes = [
  route({
    ...common,
    operationId: 'listQueue',
    method: 'GET',
    path: '/v1/queue',
    scope: 'none',
    summary: 'List deliveries in the queue',
    description: 'One item for each recipient that is not finished, newest email first.',
    query: queueQuery,
    answer: queuePage,
    example: { query: { domain: 'example.org' }, answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query: { limit, cursor, ...filters } }) =>
      listQueue(db, { ...filters, teamId }, { limit, cursor }),
  }),
  route({
    ...common,
    operationId: 'countQueue',
    method: 'GET',
    path: '/v1/queue/counts',
    scope: 'none',
    summary: 'Count deliveries in the queue',
    query: queueCountQuery,
    answer: queueCounts,
    example: { query: { domain: 'example.org' }, answer: { total: 120, held: 20 } },
    handle: ({ db, teamId, query }) => countQueue(db, { ...query, teamId }),
  }),
  route({
    ...common,
    operationId: 'getQueuedDelivery',
    method: 'GET',
    path: '/v1/queue/{deliveryId}',
    scope: 'none',
    summary: 'Get a delivery in the queue with its events',
    description: 'A finished delivery is no longer in the queue; `GET /v1/emails/{emailId}` has its events.',
    errors: ['NOT_FOUND'],
    params: queueParams,
    answer: queueDelivery,
    example: {
      params,
      answer: {
        ...example,
        events: [
          {
            status: 'DELIVERY_DELAYED',
            recipient: example.recipient,
            createdAt: example.lastAttemptAt!,
            data: { code: 451, enhanced: '4.3.0', class: 'server', reason: 'Try again later' },
          },
        ],
      },
    },
    handle: ({ db, teamId, params: { deliveryId } }) => getQueuedDelivery(db, teamId, deliveryId),
  }),
  ...ACTIONS.map(actionRoute),
];

function actionRoute({ action, ...named }: (typeof ACTIONS)[number]): Route {
  return route({
    ...common,
    ...named,
    method: 'POST',
    path: `/v1/queue/${action}`,
    scope: 'none',
    storesLittle: true,
    heavy: 'rows',
    body: queueActionInput,
    answer: queueActionAnswer,
    example: {
      body: { domain: 'example.org' },
      answer: { changed: 118, busy: 2, next_cursor: null },
    },
    async handle({ db, caller, facts, body: { deliveryIds, domain, campaignId, held, cursor } }) {
      const { teamId, by } = caller;
      const after = cursor === undefined ? null : readStart(teamId, cursor);
      const selection = { teamId, ids: deliveryIds, domain, campaignId, held };
      const { changed, busy, next } = await changeQueue(db, action, selection, { after, by });
      if (action === 'retry' || action === 'release') facts.wakeDeliveryWorkers();
      return { changed, busy, next_cursor: next && encodeDeliveryId(next) };
    },
  });
}

function readStart(teamId: number, cursor: string): DeliveryKey {
  const key = decodeDeliveryId(cursor);
  if (!key || key.recipientNo === null) throw badRequest('The cursor is not valid for this request.');
  return { teamId, emailId: key.emailId, recipientNo: key.recipientNo };
}
