/** Payloads in the shape of Resend, for webhooks with the format `resend`. */
import type { EventFile, ToldEvent } from '../../../../features/webhooks/event-facts.ts';
import { jsonRequest, type WriteRequest } from '../../../../features/webhooks/format.ts';
import { sign } from '../../../../features/webhooks/signature.ts';
import { eachName } from '../audience/contact-names.ts';
import { INBOX_TYPES, isInboxType, toInboxData } from '../inboxes/inbox-events.ts';
import { isMembership } from '../../../../features/audience/segments/membership.ts';
import { readMessageSource } from '../../../../features/mailboxes/reading/messages.ts';
import { readOwnHeaders, type EmailHeader } from '../../../../features/sending/emails/read-own-headers.ts';
import { parseMailbox } from '../../../../mail/mime/address.ts';
import { decodeWords } from '../../../../mail/mime/parse/encoded-words.ts';
import { readAnyHeaders } from '../../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { encodeId } from '../../../../platform/ids.ts';

export interface ResendPayload {
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

/** Our event types for each event type of Resend. Resend may have one type for several of ours. */
const OUR_TYPES: Record<string, string[]> = {
  'email.sent': ['email.sent'],
  'email.scheduled': ['email.scheduled'],
  'email.delivered': ['email.delivered'],
  'email.delivery_delayed': ['email.delivery_delayed'],
  'email.complained': ['email.complained'],
  'email.bounced': ['email.bounced'],
  'email.opened': ['email.opened'],
  'email.clicked': ['email.clicked'],
  'email.failed': ['email.failed'],
  'email.suppressed': ['email.suppressed'],
  'email.received': ['mailbox.message.received'],
  'contact.created': ['contact.created'],
  'contact.updated': ['contact.updated', 'contact.unsubscribed', 'contact.confirmed'],
  'contact.deleted': ['contact.deleted'],
  'domain.updated': ['domain.verified', 'domain.failed'],
  ...Object.fromEntries(Object.entries(INBOX_TYPES).map(([ours, theirs]) => [theirs, [ours]])),
};
const RESEND_TYPES = new Map(
  Object.entries(OUR_TYPES).flatMap(([theirs, ours]) => ours.map((type) => [type, theirs])),
);

/** Null for a type that Posthorn has no event for. */
export function toOurTypes(resendType: string): string[] | null {
  return Object.hasOwn(OUR_TYPES, resendType) ? OUR_TYPES[resendType]! : null;
}

/** A type without a counterpart keeps its name. */
export function toResendType(type: string): string {
  return RESEND_TYPES.get(type) ?? type;
}

/** Svix signs Resend's webhooks. Its headers are those of Standard Webhooks under other names. */
export const writeResendRequest: WriteRequest = async (db, event, { secrets, now }) => {
  const request = jsonRequest(await toResendPayload(db, event));
  const signed = sign(secrets, encodeId('evt', event.id), now, request.body);
  return {
    ...request,
    headers: {
      'svix-id': signed['webhook-id'],
      'svix-timestamp': signed['webhook-timestamp'],
      'svix-signature': signed['webhook-signature'],
    },
  };
};

export async function toResendPayload(db: Db, event: ToldEvent): Promise<ResendPayload> {
  const { type, timestamp } = event.payload;
  return { type: toResendType(type), created_at: timestamp, data: await toData(db, event) };
}

async function toData(db: Db, event: ToldEvent): Promise<Record<string, unknown>> {
  const { type, data } = event.payload;
  if (isInboxType(type)) return toInboxData(db, event);
  switch (type.split('.')[0]) {
    case 'email':
      return { ...emailData(event), headers: await readEmailHeaders(db, event) };
    case 'mailbox':
      return { ...receivedData(event), headers: await readMessageHeaders(db, event) };
    case 'contact':
      return contactData(data);
    case 'domain':
      return domainData(event);
    default:
      return data;
  }
}

async function readEmailHeaders(db: Db, { teamId, email }: ToldEvent): Promise<EmailHeader[]> {
  return email ? readOwnHeaders(db, teamId, email.id) : [];
}

/** All headers, in the order of the message. */
async function readMessageHeaders(db: Db, { teamId, message }: ToldEvent): Promise<EmailHeader[]> {
  const source = message && (await readMessageSource(db, teamId, message.id));
  if (!source) return [];
  return readAnyHeaders(source).headers.map(({ name, value }) => ({ name, value: decodeWords(value) }));
}

function emailData({ payload: { type, timestamp, data }, email }: ToldEvent) {
  const details = (data.details ?? {}) as Record<string, unknown>;
  const tags = (data.tags ?? []) as { name: string; value: string }[];
  return {
    email_id: data.emailId,
    created_at: email?.createdAt.toISOString() ?? timestamp,
    message_id: email?.messageId ?? null,
    from: data.from,
    // An event is about one recipient.
    to: data.recipient === null ? data.to : [writtenAs(data.to as string[], asText(data.recipient))],
    subject: data.subject,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    ...(email?.campaignId ? { broadcast_id: encodeId('cmp', email.campaignId) } : {}),
    ...describe(type, timestamp, details),
  };
}

/** Returns the address with its name, as it is in the To header. */
function writtenAs(to: string[], recipient: string): string {
  const isRecipient = (written: string) => {
    const mailbox = parseMailbox(written);
    return mailbox?.email.toLowerCase() === recipient.toLowerCase();
  };
  return to.find(isRecipient) ?? recipient;
}

function describe(
  type: string,
  timestamp: string,
  details: Record<string, unknown>,
): Record<string, unknown> {
  const reason = asText(details.reason ?? details.text);
  switch (type) {
    case 'email.bounced': {
      const kind = details.bounceType === 'hard' ? 'Permanent' : 'Transient';
      return { bounce: { message: reason, type: kind, subType: 'General' } };
    }
    case 'email.clicked': {
      const { link = '', userAgent = '' } = details;
      return { click: { ipAddress: '', link, timestamp, userAgent } };
    }
    case 'email.failed':
      return { failed: { reason } };
    case 'email.suppressed':
      return {
        suppressed: { message: 'The address is on the suppression list.', type: 'OnAccountSuppressionList' },
      };
    default:
      return {};
  }
}

function receivedData({ payload: { timestamp, data }, message }: ToldEvent) {
  return {
    email_id: data.messageId,
    created_at: message?.createdAt.toISOString() ?? timestamp,
    from: data.from,
    to: data.to,
    cc: message?.cc ?? [],
    bcc: [],
    received_for: message ? [message.mailbox] : [],
    message_id: message?.messageId ?? '',
    subject: data.subject,
    attachments: (message?.files ?? []).map(withoutSize),
  };
}

function withoutSize(file: EventFile): Omit<EventFile, 'size'> {
  const { size: _, ...shown } = file;
  return shown;
}

function contactData(data: Record<string, unknown>) {
  const properties = (data.properties ?? {}) as Record<string, unknown>;
  return {
    id: data.id,
    audience_id: data.contactBookId,
    // A contact belongs to a segment by a property of that name.
    segment_ids: Object.keys(properties).filter((name) => isMembership(name) && properties[name] === true),
    email: data.email,
    ...eachName((ours) => data[ours]),
    unsubscribed: data.subscribed !== true,
    created_at: data.createdAt,
    updated_at: data.updatedAt,
  };
}

/** The records would change between attempts, so the list is empty. */
function domainData({ payload: { timestamp, data }, domain }: ToldEvent) {
  const { id, name, status } = data;
  return {
    id: `${id as number}`,
    name,
    status: toResendStatus(asText(status)),
    created_at: domain?.createdAt.toISOString() ?? timestamp,
    region: toResendRegion(domain?.region),
    records: [],
  };
}

/** `status` is that of a domain or of one of its records. */
export function toResendStatus(status: string): string {
  return status === 'SUCCESS' ? 'verified' : status.toLowerCase();
}

const REGIONS = ['us-east-1', 'eu-west-1', 'sa-east-1', 'ap-northeast-1'];

/** Resend's SDKs in some languages reject other regions than its own. */
export function toResendRegion(region: string | undefined): string {
  return region !== undefined && REGIONS.includes(region) ? region : REGIONS[0]!;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
