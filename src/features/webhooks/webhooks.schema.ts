import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../platform/schema.ts';
import { coversAnyEvent } from '../events/event-types.ts';

const MAX_URL_LENGTH = 2_000;
const MAX_EVENTS = 100;

const status = z.enum(['active', 'paused', 'disabled']);

const format = z.enum(['posthorn', 'resend', 'mailgun', 'postmark', 'sendgrid']);
const FORMAT_DESCRIPTION =
  'The shape of the payload: our own, or that of another vendor, with its signature. Requests in every format also have the headers of Standard Webhooks';

const webhookFields = {
  id: z.string(),
  url: z.string(),
  shownUrl: z
    .string()
    .describe('The beginning of `url`, without its query and without parts of its path that may be secret'),
  events: z.array(z.string()),
  description: z.string().nullable(),
  format: format.describe(FORMAT_DESCRIPTION),
  publicKey: z
    .string()
    .nullable()
    .describe(
      'With the format `sendgrid`, the key that verifies `X-Twilio-Email-Event-Webhook-Signature`, in base64; otherwise null. Rotating the secret changes it',
    ),
  status: status.describe(
    'Events are queued while the webhook is `paused`. A `disabled` webhook receives no events',
  ),
  pausedReason: z
    .enum(['by_hand', 'failures', 'gone'])
    .nullable()
    .describe(
      '`failures`: 30 deliveries in a row failed over at least a day. `gone`: the endpoint returned 410',
    ),
  notice: z.string().nullable().describe('What is wrong, as a sentence for people'),
  failures: z.int().describe('How many deliveries in a row have failed'),
  failingSince: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' });
export const webhookWithSecret = z
  .object({ ...webhookFields, secret: z.string().describe('The signing secret. Returned only here') })
  .meta({ id: 'WebhookWithSecret' });

/** A user name and a password are sent as HTTP Basic authentication (RFC 7617). Most URLs have neither. */
function hasUsableCredentials({ username, password }: URL): boolean {
  try {
    const name = decodeURIComponent(username);
    return !name.includes(':') && !/\p{Cc}/u.test(name + decodeURIComponent(password));
  } catch {
    return false;
  }
}

const url = text({ min: 1, max: MAX_URL_LENGTH }).superRefine((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  const message =
    parsed === null || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\//i.test(value)
      ? 'must be a URL that starts with https:// or http://'
      : hasUsableCredentials(parsed)
        ? null
        : 'must not have control characters, a colon in the user name or invalid percent-encoding before the @';
  if (message) context.addIssue({ code: 'custom', message });
});

const events = z
  .array(
    text({ min: 1, max: 100 }).refine(coversAnyEvent, {
      error: 'must be an event type, a group such as email.*, or * for all events',
    }),
  )
  .min(1)
  .max(MAX_EVENTS)
  .transform((names) => [...new Set(names)]);

const description = text({ max: 500 }).nullish();

export const webhookInput = z.object({
  url,
  events,
  description,
  format: format.default('posthorn').describe(FORMAT_DESCRIPTION),
});
export const webhookUpdate = z.object({
  url: url.optional(),
  events: events.optional(),
  description,
  format: format.optional().describe(FORMAT_DESCRIPTION),
  status: z.enum(['active', 'paused']).optional().describe('`active` also enables a disabled webhook'),
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
      fields: z
        .array(z.object({ name: z.string(), description: z.string() }))
        .describe('The fields of `data`'),
      example: z.object({ type: z.string(), timestamp, data: z.record(z.string(), z.unknown()) }),
    }),
  ),
});

export type Webhook = z.infer<typeof webhookSchema>;
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;
export type WebhookInput = z.output<typeof webhookInput>;
/** Our own API cannot disable a webhook. */
export type WebhookUpdate = Omit<z.output<typeof webhookUpdate>, 'status'> & {
  status?: Webhook['status'] | undefined;
};
export type EventList = z.infer<typeof eventList>;
