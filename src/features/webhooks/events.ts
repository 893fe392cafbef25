/**
 * Every event, field by field: what it means, and what it does not. The documentation and `GET /webhooks/events` are
 * made from this table.
 */
import type { EventType } from './event-types.ts';
import type { Payload } from './payload.ts';
import type { EventList } from './webhooks.schema.ts';

type Fields = Record<string, { description: string; example: unknown }>;

interface EventDescription {
  description: string;
  fields: Fields;
}

const AT = '2026-11-15T09:30:00.000Z';

function email(
  description: string,
  status: string,
  options: { recipient?: string; details?: object } = {},
): EventDescription {
  const { recipient = null, details = null } = options;
  const fields: Fields = {
    emailId: { description: 'The email', example: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    recipient: {
      description:
        'Whom it is about; null when it is about all of them, or nobody knows whose open or click it was',
      example: recipient,
    },
    from: { description: 'The sender', example: 'Ada <ada@example.com>' },
    to: { description: 'The addresses in To', example: ['grace@example.org'] },
    subject: { description: 'The subject', example: 'Your order' },
    status: { description: 'What happened, as in the events of the email', example: status },
    details: {
      description: 'What else is known, as in the events of the email: the reply, a reason, a link; or null',
      example: details,
    },
  };
  return { description, fields };
}

const RECIPIENT = { recipient: 'grace@example.org' };
const ACCEPTED = { code: 250, enhanced: '2.0.0', text: 'Queued' };

function contact(description: string, example: { subscribed?: boolean; unsubscribeReason?: string } = {}) {
  const { subscribed = true, unsubscribeReason = null } = example;
  const fields: Fields = {
    id: { description: 'The contact', example: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    contactBookId: { description: 'Its contact book', example: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    email: { description: 'Its address', example: 'ada@example.com' },
    firstName: { description: 'Or null', example: 'Ada' },
    lastName: { description: 'Or null', example: 'Lovelace' },
    properties: { description: 'Its properties', example: { city: 'London' } },
    subscribed: { description: 'Also false while a double opt-in waits', example: subscribed },
    unsubscribeReason: {
      description: 'Why it is not subscribed any more; or null',
      example: unsubscribeReason,
    },
    createdAt: { description: 'When it was added', example: AT },
    updatedAt: { description: 'When it was last changed', example: AT },
  };
  return { description, fields };
}

function domain(description: string, status: string, verificationError: string | null): EventDescription {
  const fields: Fields = {
    id: { description: 'The domain', example: 1 },
    name: { description: 'Its name', example: 'example.com' },
    status: { description: 'Its status', example: status },
    errorMessage: { description: 'What went wrong on our side; or null', example: null },
    verificationError: { description: 'What is wrong with its records; or null', example: verificationError },
  };
  return { description, fields };
}

function campaign(description: string, status: string): EventDescription {
  const fields: Fields = {
    campaignId: { description: 'The campaign', example: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    name: { description: 'Its name', example: 'November news' },
    subject: { description: 'Its subject', example: 'What is new' },
    status: { description: 'Its status', example: status },
    statusReason: { description: 'Why it paused itself; or null', example: null },
    scheduledAt: { description: 'When it starts or started; or null', example: AT },
    total: { description: 'How many it goes to', example: 1200 },
    sent: { description: 'How many were tried', example: status === 'SENT' ? 1200 : 0 },
  };
  return { description, fields };
}

function message(description: string, direction: 'in' | 'out'): EventDescription {
  const [from, to] =
    direction === 'in' ? ['grace@example.org', 'ada@example.com'] : ['ada@example.com', 'grace@example.org'];
  const fields: Fields = {
    mailboxId: { description: 'The mailbox', example: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    messageId: { description: 'The message', example: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    threadId: { description: 'Its conversation', example: 'thr_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    from: { description: 'The sender', example: from },
    to: { description: 'The addresses in To', example: [to] },
    subject: { description: 'The subject', example: 'Lunch' },
  };
  return { description, fields };
}

const EVENTS: Record<EventType | 'webhook.test', EventDescription> = {
  'email.queued': email('An email was accepted, or its time came, and it waits to be sent.', 'QUEUED'),
  'email.scheduled': email('An email was accepted and waits for its time.', 'SCHEDULED'),
  'email.sent': email(
    'The first attempt to hand it to the server of this recipient was made. It says nothing about how that ended.',
    'SENT',
    RECIPIENT,
  ),
  'email.delivered': email(
    "The recipient's server took it. It may still bounce later, or be put into the spam folder.",
    'DELIVERED',
    { ...RECIPIENT, details: ACCEPTED },
  ),
  'email.delivery_delayed': email(
    "The recipient's server did not take it yet; it is tried again for four days.",
    'DELIVERY_DELAYED',
    { ...RECIPIENT, details: { code: 451, reason: 'Try again later', nextAttemptAt: AT } },
  ),
  'email.bounced': email(
    'It cannot be delivered to this recipient, at once or after it had been taken. `details.bounceType` is hard or soft.',
    'BOUNCED',
    { ...RECIPIENT, details: { code: 550, enhanced: '5.1.1', reason: 'No such user', bounceType: 'hard' } },
  ),
  'email.complained': email('The recipient called it spam. They are written to no more.', 'COMPLAINED', {
    ...RECIPIENT,
    details: { feedbackType: 'abuse', source: 'report' },
  }),
  'email.opened': email(
    'A picture in it was loaded. Some mail programs do that without anybody looking.',
    'OPENED',
    { details: { userAgent: 'Mozilla/5.0' } },
  ),
  'email.clicked': email('A link in it was followed.', 'CLICKED', {
    details: { link: 'https://example.com/', userAgent: 'Mozilla/5.0' },
  }),
  'email.suppressed': email(
    'It was not sent to this recipient, who bounced or complained before or is on your list.',
    'SUPPRESSED',
    RECIPIENT,
  ),
  'email.cancelled': email('It was cancelled before it was sent.', 'CANCELLED'),
  'email.failed': email('It could not be made or was refused, and was sent to nobody.', 'FAILED'),
  'contact.created': contact('A contact was added, one by one, in bulk, or by an import.'),
  'contact.updated': contact('A contact was changed or posted again.'),
  'contact.deleted': contact(
    'A contact was deleted. Deleting a whole contact book does not name each of them.',
  ),
  'contact.unsubscribed': contact('A contact left: by a link in a mail, or by the API.', {
    subscribed: false,
    unsubscribeReason: 'UNSUBSCRIBED',
  }),
  'contact.confirmed': contact('A contact confirmed a double opt-in.'),
  'domain.verified': domain('The records of a domain were found; it can send.', 'SUCCESS', null),
  'domain.failed': domain(
    'A domain could not be verified, or lost its records for too long; it cannot send.',
    'FAILED',
    'The TXT record ph1._domainkey was not found.',
  ),
  'campaign.scheduled': campaign('A campaign will start at its time.', 'SCHEDULED'),
  'campaign.unscheduled': campaign('A campaign is a draft again and will not start by itself.', 'DRAFT'),
  'campaign.started': campaign('A campaign began to send; its recipients are fixed.', 'RUNNING'),
  'campaign.paused': campaign('A campaign was paused.', 'PAUSED'),
  'campaign.resumed': campaign('A paused campaign goes on.', 'RUNNING'),
  'campaign.sent': campaign(
    'Every recipient was tried once or skipped. Some may still be tried again.',
    'SENT',
  ),
  'mailbox.message.received': message('A message came in for a mailbox.', 'in'),
  'mailbox.message.sent': message('A message from a mailbox left; undoing it is over.', 'out'),
  'mailbox.message.bounced': message('A message from a mailbox could not be delivered.', 'out'),
  'webhook.test': {
    description: 'You asked for a test. It is sent to one webhook, whatever it wants to know.',
    fields: {
      webhookId: { description: 'The webhook', example: 'whk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      message: { description: 'A friendly word', example: 'This is a test. Your webhook works.' },
    },
  },
};

export function exampleOf(type: keyof typeof EVENTS): Payload {
  const fields = Object.entries(EVENTS[type].fields);
  return {
    type,
    timestamp: AT,
    data: Object.fromEntries(fields.map(([name, { example }]) => [name, example])),
  };
}

export function listEventTypes(): EventList {
  const types = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
  return {
    items: types.map((type) => ({
      type,
      description: EVENTS[type].description,
      fields: Object.entries(EVENTS[type].fields).map(([name, { description }]) => ({ name, description })),
      example: exampleOf(type),
    })),
  };
}
