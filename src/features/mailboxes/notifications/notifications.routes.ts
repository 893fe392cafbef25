import { route } from '../../api/route.ts';
import {
  pushKeyAnswer,
  settingsAnswer,
  settingsInput,
  subscriptionDeleted,
  subscriptionInput,
  subscriptionList,
  subscriptionParams,
  subscriptionSchema,
  type NotificationSettings,
  type PushSubscriptionItem,
} from './notifications.schema.ts';
import { readPushKey } from './push-keys.ts';
import { getSettings, replaceSettings } from './settings.ts';
import { addSubscription, listSubscriptions, removeSubscription } from './subscriptions.ts';

/** What a person is notified of is theirs: no key reads or changes it. */
const own = { group: 'Notifications', permission: 'person', role: 'member', scope: 'none' } as const;
const subscriptions = '/v1/push-subscriptions';
const exampleSubscription: PushSubscriptionItem = {
  id: 'psh_01kbd8x4zvf7m8rk2q3w5t6y7h',
  endpoint: 'https://push.example.com/send/dGhpcyBpcyBub3QgYSByZWFs',
  created_at: '2026-11-15T09:30:00.000Z',
};
const publicKey = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8';
const exampleSettings: NotificationSettings = {
  assigned: true,
  mentions: true,
  reminders: true,
  mailboxes: ['mbx_01kbd8x4zvf7m8rk2q3w5t6y7h'],
  email_after_minutes: 60,
  quiet_hours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
  include_text: false,
};
const settings = { path: '/v1/notification-settings', answer: settingsAnswer } as const;

export const notificationRoutes = [
  route({
    ...own,
    operationId: 'getPushKey',
    method: 'GET',
    path: '/v1/push-key',
    summary: 'Get the key that browsers subscribe with',
    answer: pushKeyAnswer,
    example: { answer: { public_key: publicKey } },
    async handle({ db, facts }) {
      const key = await readPushKey(db, facts.secret);
      return { public_key: key.publicKey.toString('base64url') };
    },
  }),
  route({
    ...own,
    operationId: 'listPushSubscriptions',
    method: 'GET',
    path: subscriptions,
    summary: 'List your browsers that get notifications',
    answer: subscriptionList,
    example: { answer: { items: [exampleSubscription] } },
    handle: async ({ db, caller }) => ({ items: await listSubscriptions(db, caller) }),
  }),
  route({
    ...own,
    operationId: 'createPushSubscription',
    method: 'POST',
    path: subscriptions,
    summary: 'Subscribe a browser to notifications',
    description:
      'Takes what `PushManager.subscribe()` of the browser returns (Web Push, RFC 8030). Notifications are encrypted for this browser (RFC 8291). The same endpoint again replaces its keys. The oldest of more than 20 subscriptions is dropped.',
    body: subscriptionInput,
    answer: subscriptionSchema,
    example: {
      body: {
        endpoint: exampleSubscription.endpoint,
        keys: { p256dh: publicKey, auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
      },
      answer: exampleSubscription,
    },
    handle: ({ db, caller, facts, body }) => addSubscription(db, caller, facts, body),
  }),
  route({
    ...own,
    operationId: 'deletePushSubscription',
    method: 'DELETE',
    path: `${subscriptions}/{id}`,
    summary: 'Unsubscribe a browser',
    errors: ['NOT_FOUND'],
    params: subscriptionParams,
    answer: subscriptionDeleted,
    example: {
      params: { id: exampleSubscription.id },
      answer: { id: exampleSubscription.id, success: true },
    },
    async handle({ db, caller, params: { id } }) {
      await removeSubscription(db, caller, id);
      return { id, success: true };
    },
  }),
  route({
    ...own,
    ...settings,
    operationId: 'getNotificationSettings',
    method: 'GET',
    summary: 'Get what you are notified of',
    example: { answer: exampleSettings },
    handle: ({ db, caller }) => getSettings(db, caller),
  }),
  route({
    ...own,
    ...settings,
    operationId: 'replaceNotificationSettings',
    method: 'PUT',
    summary: 'Choose what you are notified of',
    description:
      'Replaces all settings. Notifications go to your subscribed browsers immediately, and by email for what is still unread later. Nobody is notified of what they do themselves.',
    body: settingsInput,
    example: { body: exampleSettings, answer: exampleSettings },
    handle: ({ db, caller, body }) => replaceSettings(db, caller, body),
  }),
];
