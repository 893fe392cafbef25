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
  'domain.warned',
  'domain.braked',
  'domain.brake_released',
  'campaign.scheduled',
  'campaign.unscheduled',
  'campaign.started',
  'campaign.paused',
  'campaign.resumed',
  'campaign.sent',
  'mailbox.created',
  'mailbox.updated',
  'mailbox.deleted',
  'mailbox.message.received',
  'mailbox.message.sent',
  'mailbox.message.bounced',
  'mailbox.thread.created',
  'mailbox.thread.received',
  'mailbox.thread.assigned',
  'mailbox.thread.unassigned',
  'mailbox.thread.labelled',
  'mailbox.thread.snoozed',
  'mailbox.thread.returned',
  'mailbox.thread.moved',
  'mailbox.note.created',
  'mailbox.draft.created',
  'mailbox.draft.updated',
  'mailbox.draft.sent',
  'mailbox.draft.deleted',
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.expired',
  'approval.withdrawn',
  'form.submitted',
  'automation.published',
  'automation.paused',
  'automation.run.started',
  'automation.run.ended',
  'automation.step.failed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An event that an application has sent, by its name. */
export type CustomEventType = `event.${string}`;

/** Also matches `event.*` and `event.order.*`. */
const CUSTOM_EVENT = /^event\.(?:\*|[a-z][a-z0-9_.-]{0,99}|[a-z][a-z0-9_.-]{0,97}\.\*)$/;

/** `email.sent`, `email.*` and `*` cover `email.sent`. The SQL function webhook_wants has the same rule. */
export function coversAnyEvent(name: string): boolean {
  if (name === '*' || CUSTOM_EVENT.test(name)) return true;
  if (!name.endsWith('.*')) return (EVENT_TYPES as readonly string[]).includes(name);
  return EVENT_TYPES.some((type) => type.startsWith(name.slice(0, -1)));
}
