/** The log of a webhook: each event with its attempts. */
import { z } from 'zod';
import type { Call } from '../../../../features/webhooks/calls.schema.ts';
import { getCall, listCalls, replayCall } from '../../../../features/webhooks/calls.ts';
import { addFacts } from '../../../../features/webhooks/event-facts.ts';
import { decodeId } from '../../../../platform/ids.ts';
import { pathId } from '../../../../platform/schema.ts';
import { listOf, listQuery, pageOf, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { toResendPayload, toResendType } from './webhook-shape.ts';

const listed = z.object({
  id: z.string(),
  type: z.string(),
  created_at: z.string(),
  status: z.enum(['success', 'pending', 'failed', 'attempting']),
});
const named = z.object({ object: z.literal('webhook_event'), id: z.string() });
const shown = listed.extend({
  object: z.literal('webhook_event'),
  next_attempt_at: z.string().nullable(),
  payload: z.object({ type: z.string(), created_at: z.string(), data: z.record(z.string(), z.unknown()) }),
});
const attempt = z.object({
  id: z.string(),
  http_status_code: z.int().describe('0 if no answer came'),
  response: z.string(),
  sent_at: z.string(),
});
const params = z.object({ id: pathId(), event: pathId() });
const PATH = '/webhooks/{id}/events';

export const resendWebhookEventRoutes = [
  resendRoute({
    method: 'GET',
    path: PATH,
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params: z.object({ id: pathId() }),
    query: listQuery,
    answer: listOf(listed),
    handle: async ({ db, teamId, params: { id }, query }) =>
      toList(await listCalls(db, teamId, id, toPageRequest(query)), presentListed),
  }),
  resendRoute({
    method: 'GET',
    path: `${PATH}/{event}`,
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params,
    answer: shown,
    async handle({ db, teamId, params: { id, event } }) {
      const call = await getCall(db, teamId, id, event);
      const told = { id: decodeId('evt', call.eventId)!, payload: call.payload };
      const [withFacts] = await addFacts(db, teamId, [told]);
      return {
        object: 'webhook_event' as const,
        ...presentListed(call),
        next_attempt_at: call.nextAttemptAt,
        payload: await toResendPayload(db, withFacts!),
      };
    },
  }),
  resendRoute({
    method: 'POST',
    path: `${PATH}/{event}/replay`,
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params,
    answer: named,
    async handle({ db, teamId, params: { id, event } }) {
      await replayCall(db, teamId, id, event);
      return { object: 'webhook_event' as const, id: event };
    },
  }),
  resendRoute({
    method: 'GET',
    path: `${PATH}/{event}/attempts`,
    scope: 'webhooks.manage',
    role: 'admin',
    permission: 'full',
    params,
    query: listQuery,
    answer: listOf(attempt),
    async handle({ db, teamId, params: { id, event }, query }) {
      const { attempts } = await getCall(db, teamId, id, event);
      const page = pageOf(attempts.toReversed(), query, ({ no }) => String(no));
      return toList(page, ({ no, at, statusCode, answer, error }) => ({
        id: String(no),
        http_status_code: statusCode ?? 0,
        response: answer ?? error ?? '',
        sent_at: at,
      }));
    },
  }),
];

function presentListed(call: Call) {
  return { id: call.id, type: toResendType(call.type), created_at: call.createdAt, status: toStatus(call) };
}

function toStatus({ status, attemptCount }: Call) {
  if (status === 'succeeded') return 'success' as const;
  if (status === 'failed') return 'failed' as const;
  return attemptCount === 0 ? ('pending' as const) : ('attempting' as const);
}
