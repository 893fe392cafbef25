/** All event types that a webhook can subscribe to. Other names are rejected. */
const EVENT_TYPES = [
  'email.queued',
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'email.suppressed',
  'email.cancelled',
  'email.failed',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.unsubscribed',
  'contact.confirmed',
  'domain.verified',
  'domain.failed',
  'campaign.scheduled',
  'campaign.unscheduled',
  'campaign.started',
  'campaign.paused',
  'campaign.resumed',
  'campaign.sent',
  'mailbox.message.received',
  'mailbox.message.sent',
  'mailbox.message.bounced',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** `email.sent`, `email.*` and `*` cover `email.sent`. The SQL function webhook_wants has the same rule. */
export function coversAnyEvent(name: string): boolean {
  if (name === '*') return true;
  if (!name.endsWith('.*')) return (EVENT_TYPES as readonly string[]).includes(name);
  return EVENT_TYPES.some((type) => type.startsWith(name.slice(0, -1)));
}
