import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../platform/schema.ts';
import { coversAnyEvent } from './event-types.ts';

const MAX_URL_LENGTH = 2_000;
const MAX_EVENTS = 100;

const status = z.enum(['active', 'paused', 'disabled']);

const webhookFields = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  status: status.describe(
    'While it is `paused`, what happens waits for it; one that is `disabled` is told nothing more',
  ),
  pausedReason: z
    .enum(['by_hand', 'failures', 'gone'])
    .nullable()
    .describe('`failures`: 30 in a row over at least a day; `gone`: it answered 410'),
  notice: z.string().nullable().describe('What is wrong with it, in words for people'),
  failures: z.int().describe('How many calls in a row have failed'),
  failingSince: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' });
export const webhookWithSecret = z
  .object({ ...webhookFields, secret: z.string().describe('Signs every call; shown only in this answer') })
  .meta({ id: 'WebhookWithSecret' });

const url = text({ min: 1, max: MAX_URL_LENGTH }).superRefine((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  const message =
    parsed === null || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\//i.test(value)
      ? 'must be a URL that begins with https:// or http://'
      : parsed.username || parsed.password
        ? 'must not hold a user name or a password'
        : null;
  if (message) context.addIssue({ code: 'custom', message });
});

const events = z
  .array(
    text({ min: 1, max: 100 }).refine(coversAnyEvent, {
      error: 'must be a known type of event, a group of them as email.*, or * for all',
    }),
  )
  .min(1)
  .max(MAX_EVENTS)
  .transform((names) => [...new Set(names)]);

const description = text({ max: 500 }).nullish();

export const webhookInput = z.object({ url, events, description });
export const webhookUpdate = z.object({
  url: url.optional(),
  events: events.optional(),
  description,
  status: z.enum(['active', 'paused']).optional().describe('`active` also brings back one that is disabled'),
});

export const webhookParams = z.object({ webhookId: pathId() });
export const webhookQuery = z.object(cursorQuery);
export const webhookPage = cursorPage(webhookSchema);
export const webhookDeleted = z.object({ id: z.string(), success: z.boolean() });

export const eventList = z.object({
  items: z.array(
    z.object({
      type: z.string(),
      description: z.string(),
      fields: z.array(z.object({ name: z.string(), description: z.string() })).describe('Of `data`'),
      example: z.object({ type: z.string(), timestamp, data: z.record(z.string(), z.unknown()) }),
    }),
  ),
});

export type Webhook = z.infer<typeof webhookSchema>;
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;
export type WebhookInput = z.output<typeof webhookInput>;
export type WebhookUpdate = z.output<typeof webhookUpdate>;
export type WebhookQuery = z.output<typeof webhookQuery>;
export type EventList = z.infer<typeof eventList>;
