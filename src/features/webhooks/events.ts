/** Describes every event and its fields. The documentation and `GET /webhooks/events` are generated from this table. */
import { eachOwnField, OWN_FIELDS } from '../audience/own-fields/own-fields.ts';
import type { EventType } from '../events/event-types.ts';
import type { EventDescription, EventFields } from './event-description.ts';
import { MAILBOX_EVENTS } from './mailbox-events.ts';
import type { Payload } from './payload.ts';
import type { EventList } from './webhooks.schema.ts';

const AT = '2026-11-15T09:30:00.000Z';

function email(
  description: string,
  status: string,
  options: { recipient?: string; details?: object } = {},
): EventDescription {
  const { recipient = null, details = null } = options;
  const fields: EventFields = {
    emailId: { description: 'The email', example: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    recipient: {
      description:
        'The recipient that the event is about; null if it is about all recipients, or if it is not known who opened or clicked',
      example: recipient,
    },
    from: { description: 'The sender', example: 'Ada <ada@example.com>' },
    to: { description: 'The To addresses', example: ['grace@example.org'] },
    subject: { description: 'The subject', example: 'Your order' },
    status: { description: 'The new status, as in the events of the email', example: status },
    details: {
      description:
        'Details, as in the events of the email: the reply of the server, a reason or a link; or null',
      example: details,
    },
    tags: { description: 'The tags of the email', example: [{ name: 'kind', value: 'order' }] },
    metadata: { description: 'The metadata of the email', example: { orderId: '4711' } },
  };
  return { description, fields };
}

const RECIPIENT = { recipient: 'grace@example.org' };
const ACCEPTED = { code: 250, enhanced: '2.0.0', text: 'Queued' };

function contact(description: string, example: { subscribed?: boolean; unsubscribeReason?: string } = {}) {
  const { subscribed = true, unsubscribeReason = null } = example;
  const fields: EventFields = {
    id: { description: 'The contact', example: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    contactBookId: { description: 'The contact book', example: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    email: { description: 'The email address', example: 'ada@example.com' },
    ...eachOwnField((name) => ({ description: 'Or null', example: OWN_FIELDS[name].example })),
    properties: { description: 'Its properties', example: { city: 'London' } },
    subscribed: { description: 'Also false while double opt-in is pending', example: subscribed },
    unsubscribeReason: {
      description: 'Why the contact is no longer subscribed; or null',
      example: unsubscribeReason,
    },
    consent: { description: 'How the contact agreed, as in the API; or null', example: null },
    source: { description: 'Where it came from, as in the API; or null', example: 'form' },
    sourceId: {
      description: 'The ID of the form, import, campaign or contact it came from; or null',
      example: null,
    },
    createdAt: { description: 'When it was added', example: AT },
    updatedAt: { description: 'When it was last updated', example: AT },
  };
  return { description, fields };
}

function domain(description: string, status: string, verificationError: string | null): EventDescription {
  const fields: EventFields = {
    id: { description: 'The domain', example: 1 },
    name: { description: 'Its name', example: 'example.com' },
    status: { description: 'Its status', example: status },
    errorMessage: { description: 'An internal error; or null', example: null },
    verificationError: {
      description: 'What is wrong with the DNS records; or null',
      example: verificationError,
    },
  };
  return { description, fields };
}

function brake(description: string, { isReleased = false, status = 'ON' } = {}): EventDescription {
  const cause = { measure: 'hard_bounces', window: 'day', cases: 24, outOf: 400, rate: 0.06 };
  const reason = '24 of 400 emails (6 %) bounced because their addresses do not exist in the last 24 hours.';
  const more = { campaignId: null, reason, releasedAt: null, releaseReason: null };
  const fields: EventFields = {
    id: { description: 'The domain', example: 1 },
    name: { description: 'Its name', example: 'example.com' },
    brake: {
      description: isReleased ? 'The brake before the release' : 'What was counted',
      example: { status, since: AT, ...cause, ...more },
    },
    ...(isReleased
      ? { reason: { description: 'The given reason', example: 'The bought list was deleted.' } }
      : {}),
  };
  return { description, fields };
}

function campaign(description: string, status: string): EventDescription {
  const fields: EventFields = {
    campaignId: { description: 'The campaign', example: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    name: { description: 'Its name', example: 'November news' },
    subject: { description: 'Its subject', example: 'What is new' },
    status: { description: 'Its status', example: status },
    statusReason: { description: 'Why it was paused automatically; or null', example: null },
    scheduledAt: { description: 'The start time; or null', example: AT },
    total: { description: 'The number of recipients', example: 1200 },
    sent: {
      description: 'The number of recipients with at least one attempt',
      example: status === 'SENT' ? 1200 : 0,
    },
  };
  return { description, fields };
}

const VERSION = { description: 'The live version', example: 1 };
const RUN: EventFields = {
  runId: { description: 'The run', example: 'run_01kbd8x4zvf7m8rk2q3w5t6y7h' },
  contactId: { description: 'The contact', example: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h' },
};

function automation(description: string, fields: EventFields): EventDescription {
  const automationId = { description: 'The automation', example: 'aut_01kbd8x4zvf7m8rk2q3w5t6y7h' };
  return { description, fields: { automationId, ...fields } };
}

function approval(description: string, state: string, reason: string | null = null): EventDescription {
  const fields: EventFields = {
    approvalId: { description: 'The approval', example: 'apr_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    emailId: { description: 'The email', example: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    mailboxId: {
      description: 'The mailbox that it is from; or null',
      example: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
    },
    by: { description: 'The API key of the agent', example: 'key_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    rule: { description: 'The rule of the send policy that demands the approval', example: 'mode' },
    state: { description: 'The new state', example: state },
    reason: { description: 'Why it was rejected; or null', example: reason },
  };
  return { description, fields };
}

const EVENTS: Record<EventType | 'webhook.test', EventDescription> = {
  'email.queued': email(
    'An email was accepted, or its scheduled time came, and it is queued for sending.',
    'QUEUED',
  ),
  'email.scheduled': email('An email was accepted and scheduled for later.', 'SCHEDULED'),
  'email.sent': email(
    'The first delivery attempt to this recipient was made. This does not tell whether it succeeded.',
    'SENT',
    RECIPIENT,
  ),
  'email.delivered': email(
    "The recipient's server accepted the email. It may still bounce later or end up in the spam folder.",
    'DELIVERED',
    { ...RECIPIENT, details: ACCEPTED },
  ),
  'email.delivery_delayed': email(
    "The recipient's server did not accept the email yet. Posthorn retries for four days.",
    'DELIVERY_DELAYED',
    { ...RECIPIENT, details: { code: 451, reason: 'Try again later', nextAttemptAt: AT } },
  ),
  'email.bounced': email(
    'The email could not be delivered to this recipient. It was rejected right away, or returned after it had been accepted. `details.bounceType` is hard or soft.',
    'BOUNCED',
    { ...RECIPIENT, details: { code: 550, enhanced: '5.1.1', reason: 'No such user', bounceType: 'hard' } },
  ),
  'email.complained': email(
    'The recipient marked the email as spam. The address is suppressed.',
    'COMPLAINED',
    {
      ...RECIPIENT,
      details: { feedbackType: 'abuse', source: 'report' },
    },
  ),
  'email.opened': email(
    'The tracking image was loaded. Some email apps load images even if nobody opens the email.',
    'OPENED',
    { details: { userAgent: 'Mozilla/5.0' } },
  ),
  'email.clicked': email('A link in the email was clicked.', 'CLICKED', {
    details: { link: 'https://example.com/', userAgent: 'Mozilla/5.0' },
  }),
  'email.suppressed': email(
    'The email was not sent to this recipient because the address is on your suppression list.',
    'SUPPRESSED',
    RECIPIENT,
  ),
  'email.cancelled': email('The email was cancelled before it was sent.', 'CANCELLED'),
  'email.failed': email(
    'The email could not be created or was rejected, or someone dropped its delivery to this recipient from the queue.',
    'FAILED',
    { ...RECIPIENT, details: { reason: 'Dropped from the queue.' } },
  ),
  'contact.created': contact('A contact was added, one by one, in bulk or by an import.'),
  'contact.updated': contact('A contact was updated or posted again.'),
  'contact.deleted': contact(
    'A contact was deleted. Deleting a whole contact book does not send this event for each contact.',
  ),
  'contact.unsubscribed': contact('A contact unsubscribed, through a link in an email or through the API.', {
    subscribed: false,
    unsubscribeReason: 'UNSUBSCRIBED',
  }),
  'contact.confirmed': contact('A contact confirmed their subscription (double opt-in).'),
  'domain.verified': domain('The DNS records of a domain were found. It can send email.', 'SUCCESS', null),
  'domain.failed': domain(
    'A domain could not be verified, or its DNS records were missing for too long. It cannot send email.',
    'FAILED',
    'The TXT record ph1._domainkey was not found.',
  ),
  'domain.warned': brake(
    'Complaints reached 0.1 % of the delivered emails of a domain, or hard bounces 2 %.',
    { status: 'WARNING' },
  ),
  'domain.braked': brake(
    'Complaints reached 0.3 % of the delivered emails of a domain, or hard bounces 5 %. Its campaigns were paused, and marketing emails of automations wait.',
  ),
  'domain.brake_released': brake('The brake of a domain was released.', { isReleased: true }),
  'campaign.scheduled': campaign('A campaign was scheduled.', 'SCHEDULED'),
  'campaign.unscheduled': campaign('A campaign was unscheduled and is a draft again.', 'DRAFT'),
  'campaign.started': campaign(
    'A campaign started sending. Its recipient list no longer changes.',
    'RUNNING',
  ),
  'campaign.paused': campaign('A campaign was paused.', 'PAUSED'),
  'campaign.resumed': campaign('A paused campaign was resumed.', 'RUNNING'),
  'campaign.sent': campaign(
    'Every recipient had a first attempt or was skipped. Some may still be retried.',
    'SENT',
  ),
  ...MAILBOX_EVENTS,
  'approval.requested': approval('An email of an agent waits for the approval of a person.', 'pending'),
  'approval.approved': approval('A person approved an email of an agent. It is sent.', 'approved'),
  'approval.rejected': approval(
    'A person rejected an email of an agent.',
    'rejected',
    'Please call instead.',
  ),
  'approval.expired': approval('Nobody decided about an email of an agent within 72 hours.', 'expired'),
  'approval.withdrawn': approval('An email of an agent was cancelled before anyone decided.', 'withdrawn'),
  'form.submitted': {
    description: 'Someone signed up by a form.',
    fields: {
      formId: { description: 'The form', example: 'frm_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      contactId: { description: 'The contact', example: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      contactBookId: { description: 'The contact book', example: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    },
  },
  'automation.published': automation('An automation was activated, or its changes were published.', {
    version: VERSION,
  }),
  'automation.paused': automation('An automation was paused.', { version: VERSION }),
  'automation.run.started': automation('A contact entered an automation.', RUN),
  'automation.run.ended': automation('The run of a contact ended.', {
    ...RUN,
    status: { description: 'DONE, EXITED, FAILED or CANCELLED', example: 'EXITED' },
    reason: { description: 'Why it ended; or null', example: 'replied' },
  }),
  'automation.step.failed': automation('A step of a run failed or is held until someone mends it.', {
    ...RUN,
    step: { description: 'The key of the step', example: 'hello' },
    error: { description: 'What went wrong', example: 'Template not found.' },
  }),
  'webhook.test': {
    description:
      'You asked for a test event. It is sent to one webhook, even if the webhook is not subscribed to it.',
    fields: {
      webhookId: { description: 'The webhook', example: 'whk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      message: { description: 'A short text', example: 'This is a test event. Your webhook works.' },
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
