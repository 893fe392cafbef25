/** An event as Mailgun shows it. */
import { z } from 'zod';
import type { ListedEmailEvent } from '../../../features/activity/email-log/list-events-by-time.ts';
import type { Suppression } from '../../../features/sending/suppressions/suppressions.schema.ts';
import { parseAddress, parseMailbox } from '../../../mail/mime/address.ts';
import { nameOf, severityOf } from './event-types.ts';
import { findBatch, showTags } from './labels.ts';

const deliveryStatus = z.object({
  code: z.number(),
  message: z.string(),
  description: z.string(),
  'enhanced-code': z.string(),
});

export const shownEvent = z.object({
  id: z.string(),
  event: z.string(),
  timestamp: z.number(),
  'log-level': z.string(),
  recipient: z.string(),
  'recipient-domain': z.string(),
  severity: z.enum(['permanent', 'temporary']).optional(),
  reason: z.string().optional(),
  'delivery-status': deliveryStatus.optional(),
  url: z.string().optional(),
  'client-info': z.object({ 'user-agent': z.string() }).optional(),
  message: z.object({
    headers: z.object({ to: z.string(), 'message-id': z.string(), from: z.string(), subject: z.string() }),
    attachments: z.array(z.unknown()),
  }),
  envelope: z.object({ sender: z.string(), targets: z.string(), transport: z.string() }),
  tags: z.array(z.string()),
  campaigns: z.array(z.unknown()),
  'user-variables': z.record(z.string(), z.string()),
  flags: z.object({
    'is-authenticated': z.boolean(),
    'is-routed': z.boolean(),
    'is-system-test': z.boolean(),
    'is-test-mode': z.boolean(),
  }),
});
type ShownEvent = z.infer<typeof shownEvent>;

const FLAGS = {
  'is-authenticated': true,
  'is-routed': false,
  'is-system-test': false,
  'is-test-mode': false,
};

type Reasons = Map<string, Suppression['reason']>;

/** Mailgun's codes and reasons for email that it did not try to deliver. Ghost reads the codes. */
const WITHHELD: Record<Suppression['reason'], { code: number; reason: string; message: string }> = {
  HARD_BOUNCE: {
    code: 605,
    reason: 'suppress-bounce',
    message: 'Not delivering to previously bounced address',
  },
  MANUAL: {
    code: 606,
    reason: 'suppress-unsubscribe',
    message: 'Not delivering to unsubscribed recipient',
  },
  ERASED: {
    code: 606,
    reason: 'suppress-unsubscribe',
    message: 'Not delivering to unsubscribed recipient',
  },
  COMPLAINT: {
    code: 607,
    reason: 'suppress-complaint',
    message: 'Not delivering to a user who marked your messages as spam',
  },
};

/** The event of an email as a whole is shown with its first recipient. */
export function recipientOf({ recipient, to }: ListedEmailEvent): string {
  return recipient ?? parseMailbox(to[0] ?? '')?.email ?? to[0] ?? '';
}

/** `reasons` are those of the suppressed recipients. */
export function presentEvent(event: ListedEmailEvent, domain: string, reasons: Reasons): ShownEvent {
  const { type, position, data, labels } = event;
  const recipient = recipientOf(event);
  const severity = severityOf(type);
  const batchId = findBatch(labels.tags);
  const agent = data?.userAgent;
  return {
    id: position.id,
    event: nameOf(type),
    timestamp: toSeconds(position.at),
    'log-level': severity === null ? 'info' : severity === 'permanent' ? 'error' : 'warn',
    recipient,
    'recipient-domain': recipient.slice(recipient.lastIndexOf('@') + 1),
    ...(severity === null ? {} : { severity }),
    ...describeOutcome(event, reasons, recipient),
    ...(typeof data?.link === 'string' ? { url: data.link } : {}),
    ...(typeof agent === 'string' ? { 'client-info': { 'user-agent': agent } } : {}),
    message: {
      headers: {
        to: event.to.join(', '),
        'message-id':
          batchId === undefined ? event.messageId.replaceAll(/^<|>$/g, '') : `${batchId}@${domain}`,
        from: event.sender,
        subject: event.subject,
      },
      attachments: [],
    },
    envelope: {
      sender: parseMailbox(event.sender)?.email ?? event.sender,
      targets: recipient,
      transport: 'smtp',
    },
    tags: showTags(labels.tags),
    campaigns: [],
    'user-variables': labels.metadata,
    flags: { ...FLAGS },
  };
}

/** Returns seconds with microseconds, as a number. */
function toSeconds(at: string): number {
  return Number(`${Date.parse(`${at.slice(0, 19)}Z`) / 1000}${at.slice(19, -1)}`);
}

function describeOutcome({ type, data }: ListedEmailEvent, reasons: Reasons, recipient: string) {
  if (type === 'email.suppressed') {
    // An address that is no longer suppressed is shown as bounced.
    const withheld = WITHHELD[reasons.get(parseAddress(recipient)?.key ?? '') ?? 'HARD_BOUNCE'];
    const { code, reason, message } = withheld;
    return { reason, 'delivery-status': { code, message, description: message, 'enhanced-code': '' } };
  }
  const severity = severityOf(type);
  if (severity === null && type !== 'email.delivered') return {};
  const text = textOf(data?.text);
  const reason = textOf(data?.reason);
  return {
    ...(severity === null ? {} : { reason: data?.bounceType === 'hard' ? 'bounce' : 'generic' }),
    'delivery-status': {
      // Mailgun has these codes for failures without a reply, such as a name that is not in DNS.
      code: typeof data?.code === 'number' ? data.code : codeWithoutReply(severity),
      message: text || reason,
      description: reason,
      'enhanced-code': textOf(data?.enhanced),
    },
  };
}

function codeWithoutReply(severity: 'permanent' | 'temporary' | null): number {
  if (severity === null) return 250;
  return severity === 'permanent' ? 498 : 499;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
