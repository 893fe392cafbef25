/** Says in a sentence what became of an email for each recipient. */
import type { FailureClass } from '../../../mail/bounces/failure-classes.ts';

export interface RecipientEvent {
  status: string;
  recipient: string | null;
  createdAt: string;
  data: unknown;
}

interface Explained {
  recipient: string;
  status: string;
  sentence: string;
  reply: string | null;
}

const MAX_RECIPIENTS = 50;

const CAUSES: Record<FailureClass, string> = {
  invalid_recipient: 'the address does not exist',
  bad_domain: 'the domain of the address does not exist or takes no email',
  inactive_mailbox: 'the mailbox is switched off',
  quota: 'the mailbox is full',
  greylisted: 'the server asks every new sender to try again later',
  rate_limit: 'the server takes no more email from here for now',
  reputation: 'the server distrusts the IP address or the domain of the sender',
  spam_block: 'the server takes it for spam',
  policy: 'a rule of the receiving server forbids it',
  authentication: 'SPF, DKIM or DMARC of the sender did not pass',
  invalid_sender: 'the server does not accept the address of the sender',
  too_large: 'the email is too large',
  content: 'the server does not accept the content',
  tls: 'no encrypted connection was possible',
  protocol: 'the servers did not understand each other',
  routing: 'the receiving server passes it on wrongly',
  server: 'the receiving server has a fault',
  dns: 'DNS did not answer',
  network: 'no connection to the receiving server was possible',
  expired: 'it could not be delivered in four days',
  other: 'the receiving server did not accept it',
};

const SENTENCES: Record<string, string> = {
  SCHEDULED: 'It waits for its time.',
  QUEUED: 'It is in the queue and will be sent shortly.',
  SENT: 'It was handed to the next server.',
  DELIVERED: 'The receiving server accepted it. If it is not in the inbox, it may be in the spam folder.',
  OPENED: 'It was delivered and opened.',
  CLICKED: 'It was delivered, and a link in it was clicked.',
  COMPLAINED: 'It was delivered, and the recipient reported it as spam. The address gets no more email.',
  SUPPRESSED:
    'It was not sent, because the address is suppressed after a bounce, a complaint or by a person of the team.',
  CANCELLED: 'It was cancelled before it was sent.',
  REJECTED: 'It was rejected before it was sent.',
  RENDERING_FAILURE: 'It was not sent, because its content could not be made.',
  FAILED: 'It was not sent.',
};

/** The newest event of each recipient tells. */
export function explainRecipients(events: RecipientEvent[], only?: string): Explained[] {
  const newest = new Map<string, RecipientEvent>();
  for (const event of events) {
    if (event.recipient === null) continue;
    if (only === undefined || event.recipient.toLowerCase() === only.toLowerCase())
      newest.set(event.recipient, event);
  }
  return [...newest].slice(0, MAX_RECIPIENTS).map(([recipient, { status, data }]) => ({
    recipient,
    status,
    sentence: explain(status, dataOf(data)),
    reply: dataOf(data).text ?? dataOf(data).reason ?? null,
  }));
}

interface EventData {
  class?: string;
  text?: string;
  reason?: string;
  bounceType?: string;
  nextAttemptAt?: string;
}

function dataOf(data: unknown): EventData {
  if (typeof data !== 'object' || data === null) return {};
  const entries = Object.entries(data).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(entries);
}

function explain(status: string, data: EventData): string {
  const cause =
    data.class !== undefined && Object.hasOwn(CAUSES, data.class)
      ? CAUSES[data.class as FailureClass]
      : CAUSES.other;
  if (status === 'DELIVERY_DELAYED') {
    const next = data.nextAttemptAt === undefined ? '' : ` at ${data.nextAttemptAt}`;
    return `It was not accepted yet, because ${cause}. It is tried again${next}.`;
  }
  if (status === 'BOUNCED') {
    const end = data.bounceType === 'hard' ? ' It is not tried again.' : ' No attempts are left.';
    return `It was not delivered, because ${cause}.${end}`;
  }
  return SENTENCES[status] ?? `Its status is ${status}.`;
}
