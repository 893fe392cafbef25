import { z } from 'zod';
import { plainId, text, timestamp, timeZone } from '../../../platform/schema.ts';
import { isPublicKey } from './encrypt-push.ts';

const AUTH_BYTES = 16;
export const MAX_SUBSCRIPTIONS = 20;
const MAX_MAILBOXES = 100;
const MAX_MINUTES = 7 * 24 * 60;

const BASE64 = /^[A-Za-z0-9_+/-]+={0,2}$/;
const bytes = (what: string, isRight: (value: Buffer) => boolean) =>
  text({ min: 1, max: 200 })
    .refine((value) => BASE64.test(value) && isRight(Buffer.from(value, 'base64')), {
      error: `must be ${what} in base64url`,
    })
    .transform((value) => Buffer.from(value, 'base64'))
    .meta({ type: 'string' });

export const subscriptionInput = z
  .object({
    endpoint: text({ min: 1, max: 2000 })
      .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
        error: 'must be a URL that starts with https://',
      })
      .describe('The URL of the push service. It must be a public https address'),
    keys: z.object({
      p256dh: bytes('a point of the curve P-256', isPublicKey).describe('The public key of the browser'),
      auth: bytes(`${AUTH_BYTES} bytes`, ({ length }) => length === AUTH_BYTES),
    }),
  })
  .describe('As PushSubscription.toJSON() of the browser has it');
export const subscriptionSchema = z
  .object({ id: z.string(), endpoint: z.string(), created_at: timestamp })
  .meta({ id: 'PushSubscription' });
export const subscriptionList = z.object({ items: z.array(subscriptionSchema) });
export const subscriptionParams = z.object({ id: plainId });
export const subscriptionDeleted = z.object({ id: z.string(), success: z.boolean() });
export const pushKeyAnswer = z.object({
  public_key: z.string().describe('For applicationServerKey of PushManager.subscribe(), in base64url'),
});

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time, such as 22:00' });
const settings = {
  assigned: z.boolean().describe('Conversations that someone assigns to you'),
  mentions: z.boolean().describe('Notes that mention you'),
  reminders: z.boolean().describe('Conversations that come back by a reminder of yours'),
  mailboxes: z
    .array(plainId)
    .max(MAX_MAILBOXES)
    .describe('Every new message of these mailboxes, but not spam'),
  email_after_minutes: z
    .int()
    .min(1)
    .max(MAX_MINUTES)
    .nullable()
    .describe('An email is sent for what is still unread after so many minutes. Null: none'),
  quiet_hours: z
    .object({ from: time, to: time, timezone: timeZone })
    .refine(({ from, to }) => from !== to, { error: 'must begin and end at different times', path: ['to'] })
    .nullable()
    .describe('Notifications wait until the end of these hours'),
  include_text: z
    .boolean()
    .describe('Whether pushes and emails have the sender, the subject and the beginning of the message'),
};
export const DEFAULT_SETTINGS: NotificationSettings = {
  assigned: true,
  mentions: true,
  reminders: true,
  mailboxes: [],
  email_after_minutes: null,
  quiet_hours: null,
  include_text: false,
};
export const settingsInput = z
  .object({
    assigned: settings.assigned.default(true),
    mentions: settings.mentions.default(true),
    reminders: settings.reminders.default(true),
    mailboxes: settings.mailboxes.default([]),
    email_after_minutes: settings.email_after_minutes.default(null),
    quiet_hours: settings.quiet_hours.default(null),
    include_text: settings.include_text.default(false),
  })
  .describe('Replaces all settings. What is left out gets its default');
export const settingsAnswer = z.object(settings).meta({ id: 'NotificationSettings' });

export type NotificationSettings = z.infer<typeof settingsAnswer>;
export type PushSubscriptionInput = z.output<typeof subscriptionInput>;
export type PushSubscriptionItem = z.infer<typeof subscriptionSchema>;
