/** An event of an email, as the webhooks of vendors need it. */
import type { ToldEvent } from '../../../features/webhooks/event-facts.ts';
import type { EventType } from '../../../features/events/event-types.ts';
import type { EmailLabels } from '../../../features/sending/emails/emails.schema.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';

export interface EmailEvent {
  type: EventType;
  /** RFC 3339. */
  at: string;
  emailId: string;
  /** With angle brackets. Empty if the email was deleted. */
  messageId: string;
  /** The address that the event is about, or the first one if it is about the whole email. */
  recipient: string;
  isAboutAll: boolean;
  details: Record<string, unknown>;
  from: string;
  to: string[];
  subject: string;
  labels: EmailLabels;
}

/** Null for other events, such as those of contacts and campaigns. */
export function readEmailEvent({ payload, email }: ToldEvent): EmailEvent | null {
  const { type, timestamp, data } = payload;
  if (!type.startsWith('email.')) return null;
  const { emailId, recipient, from, to, subject, details, tags, metadata } = data as unknown as NoticeData;
  return {
    type: type as EventType,
    at: timestamp,
    emailId,
    messageId: email?.messageId ?? '',
    recipient: recipient ?? parseMailbox(to[0] ?? '')?.email ?? to[0] ?? '',
    isAboutAll: recipient === null,
    details: details ?? {},
    from,
    to,
    subject,
    labels: { tags, metadata },
  };
}

/** The fields of every `email.*` event (webhooks/events.ts). */
interface NoticeData extends EmailLabels {
  emailId: string;
  recipient: string | null;
  from: string;
  to: string[];
  subject: string;
  details: Record<string, unknown> | null;
}

/** Webhooks report seconds since 1970. */
export function toSeconds(at: string): number {
  return Math.floor(Date.parse(at) / 1000);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What the server of the recipient replied, or why there was no reply. */
export function replyOf({ text, reason }: EmailEvent['details']): string {
  return textOf(text) || textOf(reason);
}
