/** Our own events that happen to a person, by which automations start, wait and exit. */

/** Names that begin like this are those of our own events. */
export const RESERVED_NAMES = ['email.', 'contact.', 'domain.', 'campaign.', 'mailbox.', 'automation.'];

/** Their recipient is the person. Opens and clicks of bots cause no event. */
export const OF_RECIPIENTS = [
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'email.suppressed',
  'email.failed',
  'mailbox.message.sent',
  'mailbox.message.bounced',
];

const OWN_EVENTS = [
  'contact.created',
  'contact.confirmed',
  'contact.updated',
  'contact.unsubscribed',
  'form.submitted',
  'mailbox.message.received',
  ...OF_RECIPIENTS,
];

/** Whether the name is that of an event that an application may send, or of one of ours that happens to a person. */
export function canBeListenedTo(name: string): boolean {
  return OWN_EVENTS.includes(name) || !RESERVED_NAMES.some((prefix) => name.startsWith(prefix));
}
