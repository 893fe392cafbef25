import { z } from 'zod';
import { cursorPage, cursorQuery, dateTime, pathId, text, timestamp } from '../../platform/schema.ts';
import { NETWORK_ERRORS } from '../instance/network-errors.ts';
import { webhookParams } from './webhooks.schema.ts';

const callError = z
  .enum([...NETWORK_ERRORS, 'redirect', 'http_error', 'internal'])
  .describe(
    'Why it failed: timeout, unknown host, no connection, an address that is not public, an invalid certificate, a closed connection, a response that is not HTTP, a redirect (redirects are not followed), a status other than 2xx, or an error on the server of Posthorn before the request was made',
  );
export type CallError = z.infer<typeof callError>;

const attemptSchema = z
  .object({
    no: z.int(),
    at: timestamp,
    durationMs: z.int(),
    statusCode: z.int().nullable(),
    answer: z.string().nullable().describe('The first 2 kB of the response'),
    error: callError.nullable().describe('Null if the attempt succeeded'),
  })
  .meta({ id: 'WebhookAttempt' });

const callStatus = z.enum(['waiting', 'succeeded', 'failed']);

const callFields = {
  id: z.string(),
  webhookId: z.string(),
  eventId: z.string().describe('The `webhook-id` header. The same in every attempt and replay'),
  type: z.string(),
  status: callStatus,
  attemptCount: z.int(),
  nextAttemptAt: timestamp.nullable(),
  lastAttempt: attemptSchema.nullable(),
  payload: z.object({
    type: z.string(),
    timestamp,
    data: z.record(z.string(), z.unknown()),
  }),
  createdAt: timestamp,
};

export const callSchema = z.object(callFields).meta({ id: 'WebhookCall' });
export const callDetailSchema = z
  .object({ ...callFields, attempts: z.array(attemptSchema).describe('Oldest first') })
  .meta({ id: 'WebhookCallWithAttempts' });

export const callParams = webhookParams.extend({ callId: pathId() });
export const callQuery = z.object({
  ...cursorQuery,
  status: callStatus.optional(),
  type: text({ min: 1, max: 100 }).optional().describe('Only deliveries of this event type'),
});
export const callPage = cursorPage(callSchema);

export const replayInput = z.object({
  since: dateTime.describe('Only deliveries that were first due at or after this time'),
});
export const replayed = z.object({ count: z.int() });

export type Call = z.infer<typeof callSchema>;
export type CallDetail = z.infer<typeof callDetailSchema>;
export type CallAttempt = z.infer<typeof attemptSchema>;
export type CallQuery = z.output<typeof callQuery>;
