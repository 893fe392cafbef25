/** Webhooks. Webhooks that are created here get Resend's payloads. */
import { z } from 'zod';
import { webhookInput, webhookUpdate, type Webhook } from '../../../../features/webhooks/webhooks.schema.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from '../../../../features/webhooks/webhooks.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { deleteRoute, listRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { toOurTypes, toResendType } from './webhook-shape.ts';

const events = z
  .array(text({ min: 1, max: 100 }))
  .min(1)
  .max(100);
const endpoint = z.string().max(2_000);
const NAMES = { url: 'endpoint' };
const status = z.enum(['enabled', 'disabled']);

const listed = z.object({
  id: z.string(),
  created_at: z.string(),
  status,
  endpoint: z.string(),
  events: z.array(z.string()),
});
const named = z.object({ object: z.literal('webhook'), id: z.string() });
const withSecret = named.extend({ signing_secret: z.string() });
const params = z.object({ id: pathId() });

export const resendWebhookRoutes = [
  resendRoute({
    method: 'POST',
    path: '/webhooks',
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    creates: 'webhooks',
    body: z.object({ endpoint, events }),
    answer: withSecret,
    async handle({ db, teamId, facts, body }) {
      const input = { url: body.endpoint, events: toEvents(body.events), format: 'resend' };
      const { id, secret } = await createWebhook(db, teamId, facts, readFields(webhookInput, input, NAMES));
      return { object: 'webhook' as const, id, signing_secret: secret };
    },
  }),
  listRoute({
    path: '/webhooks',
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    list: ({ db, teamId, facts }, page) => listWebhooks(db, teamId, facts, page),
    item: listed,
    present: presentListed,
  }),
  resendRoute({
    method: 'GET',
    path: '/webhooks/{id}',
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params,
    answer: listed.extend({ object: z.literal('webhook'), signing_secret: z.null() }),
    async handle({ db, teamId, facts, params: { id } }) {
      const webhook = await getWebhook(db, teamId, facts, id);
      // A secret is shown only once, when it is created.
      return { object: 'webhook' as const, ...presentListed(webhook), signing_secret: null };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/webhooks/{id}',
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params,
    body: z.object({
      endpoint: endpoint.nullish(),
      events: events.nullish(),
      status: status.nullish(),
    }),
    answer: named,
    async handle({ db, teamId, facts, params: { id }, body }) {
      const sent = {
        url: body.endpoint ?? undefined,
        events: body.events ? toEvents(body.events) : undefined,
      };
      const { url, events: types } = readFields(webhookUpdate, sent, NAMES);
      const state = body.status === 'enabled' ? ('active' as const) : (body.status ?? undefined);
      await updateWebhook(db, teamId, facts, id, { url, events: types, status: state });
      return { object: 'webhook' as const, id };
    },
  }),
  deleteRoute({
    path: '/webhooks/{id}',
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    object: 'webhook',
    remove: ({ db, teamId }, id) => deleteWebhook(db, teamId, id),
  }),
  resendRoute({
    method: 'POST',
    path: '/webhooks/{id}/signing-secret/rotate',
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params,
    answer: withSecret,
    async handle({ db, teamId, facts, params: { id } }) {
      const { secret } = await rotateSecret(db, teamId, facts, id);
      return { object: 'webhook' as const, id, signing_secret: secret };
    },
  }),
];

/** Rejects event types that never occur here. */
function toEvents(types: string[]): string[] {
  return types.flatMap((type) => {
    const ours = toOurTypes(type);
    if (!ours) throw invalidField('events', `cannot contain ${type}: Posthorn has no such event`);
    return ours;
  });
}

function presentListed(webhook: Webhook) {
  return {
    id: webhook.id,
    created_at: webhook.createdAt,
    status: webhook.status === 'active' ? ('enabled' as const) : ('disabled' as const),
    endpoint: webhook.url,
    events: [...new Set(webhook.events.map(toResendType))],
  };
}
