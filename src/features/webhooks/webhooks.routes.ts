import { route } from '../api/route.ts';
import { listEventTypes } from './events.ts';
import {
  eventList,
  webhookDeleted,
  webhookInput,
  webhookPage,
  webhookParams,
  webhookQuery,
  webhookSchema,
  webhookUpdate,
  webhookWithSecret,
  type Webhook,
} from './webhooks.schema.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './webhooks.ts';

const group = 'Webhooks';

const example: Webhook = {
  id: 'whk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  url: 'https://example.com/hooks/posthorn',
  shownUrl: 'https://example.com/hooks/posthorn',
  events: ['email.delivered', 'email.bounced', 'contact.*'],
  description: null,
  format: 'posthorn',
  publicKey: null,
  status: 'active',
  pausedReason: null,
  notice: null,
  failures: 0,
  failingSince: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const params = { webhookId: example.id };
const withSecret = { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };

export const webhookRoutes = [
  route({
    operationId: 'createWebhook',
    method: 'POST',
    creates: 'webhooks',
    path: '/v1/webhooks',
    scope: 'webhooks.manage',
    group,
    summary: 'Create a webhook',
    description:
      '`events` lists event types, groups such as `email.*`, or `["*"]` for all events. The response contains the signing secret, which is not shown again. The URL must not point to a private network unless WEBHOOK_ALLOW_PRIVATE is on.',
    permission: 'full',
    role: 'admin',
    body: webhookInput,
    answer: webhookWithSecret,
    example: { body: { url: example.url, events: example.events }, answer: withSecret },
    handle: ({ db, teamId, facts, body }) => createWebhook(db, teamId, facts, body),
  }),
  route({
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'webhooks.manage',
    group,
    summary: 'List webhooks',
    description: 'Newest first, without their secrets.',
    permission: 'full',
    role: 'admin',
    query: webhookQuery,
    answer: webhookPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, facts, query }) => listWebhooks(db, teamId, facts, query),
  }),
  route({
    operationId: 'listEventTypes',
    method: 'GET',
    path: '/v1/webhooks/events',
    scope: 'webhooks.manage',
    group,
    summary: 'List event types',
    description: 'For each type: what it means, the fields of `data`, and an example payload.',
    permission: 'full',
    role: 'admin',
    answer: eventList,
    example: { answer: listEventTypes() },
    handle: async () => listEventTypes(),
  }),
  route({
    operationId: 'getWebhook',
    method: 'GET',
    path: '/v1/webhooks/{webhookId}',
    scope: 'webhooks.manage',
    group,
    summary: 'Get a webhook',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: webhookParams,
    answer: webhookSchema,
    example: { params, answer: example },
    handle: ({ db, teamId, facts, params: { webhookId } }) => getWebhook(db, teamId, facts, webhookId),
  }),
  route({
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/v1/webhooks/{webhookId}',
    scope: 'webhooks.manage',
    storesLittle: true,
    group,
    summary: 'Update, pause or resume a webhook',
    description:
      'Only the fields you send are changed. Events that occur while a webhook is paused are kept for up to 30 days and sent when it is active again.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: webhookParams,
    body: webhookUpdate,
    answer: webhookSchema,
    example: {
      params,
      body: { status: 'paused' },
      answer: { ...example, status: 'paused', pausedReason: 'by_hand' },
    },
    async handle({ db, teamId, facts, params: { webhookId }, body }) {
      const webhook = await updateWebhook(db, teamId, facts, webhookId, body);
      facts.wakeDeliveryWorkers();
      return webhook;
    },
  }),
  route({
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/{webhookId}',
    scope: 'webhooks.manage',
    group,
    summary: 'Delete a webhook',
    description: 'The webhook receives no more events, and its delivery log is deleted.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: webhookParams,
    answer: webhookDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params: { webhookId } }) {
      await deleteWebhook(db, teamId, webhookId);
      return { id: webhookId, success: true };
    },
  }),
  route({
    operationId: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/rotate-secret',
    scope: 'webhooks.manage',
    group,
    summary: 'Rotate the signing secret',
    description:
      'The old secret stays valid for 24 hours. During that time `webhook-signature` and `svix-signature` hold two signatures, and you can verify a request with either secret. The signatures of Mailgun and SendGrid have room for one, so requests in these formats are signed with the new secret right away.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: webhookParams,
    answer: webhookWithSecret,
    example: { params, answer: withSecret },
    handle: ({ db, teamId, facts, params: { webhookId } }) => rotateSecret(db, teamId, facts, webhookId),
  }),
];
