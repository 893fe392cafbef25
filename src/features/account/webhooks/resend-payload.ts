/**
 * Payloads in the shape of Resend, for webhooks with the format `resend`. Fields that the event does not have are read
 * from the email, message or domain. These never change, so every attempt sends the same bytes while the email is kept.
 */
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { isMembership } from '../../audience/segments/membership.ts';
import type { Payload } from './payload.ts';

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

export async function toResendPayloads(
  db: Db,
  teamId: number,
  payloads: Payload[],
): Promise<ResendPayload[]> {
  const emails = await readEmails(db, teamId, idsIn(payloads, 'eml', 'emailId'));
  const messages = await readMessages(db, teamId, idsIn(payloads, 'msg', 'messageId'));
  const domains = await readDomains(db, teamId, payloads);
  return payloads.map((payload) => {
    const { type, timestamp, data } = payload;
    const email = emails.get(asText(data.emailId));
    const message = messages.get(asText(data.messageId));
    const group = type.split('.')[0];
    const shape =
      group === 'email'
        ? emailData(payload, email)
        : group === 'mailbox'
          ? receivedData(payload, message)
          : group === 'contact'
            ? contactData(data)
            : group === 'domain'
              ? domainData(payload, domains.get(data.id as number))
              : data;
    return { type: toResendType(type), created_at: timestamp, data: shape };
  });
}

function idsIn(payloads: Payload[], prefix: 'eml' | 'msg', field: string): string[] {
  const ids = payloads.map(({ data }) => decodeId(prefix, asText(data[field])));
  return [...new Set(ids.filter((id) => id !== null))];
}

type EmailFacts = CamelRow<'emails', 'id' | 'message_id' | 'created_at' | 'campaign_id'>;

async function readEmails(db: Db, teamId: number, ids: string[]): Promise<Map<string, EmailFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<EmailFacts>`
    select id, message_id as "messageId", created_at as "createdAt", campaign_id as "campaignId"
    from emails where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [encodeId('eml', row.id), row]));
}

interface MessageFacts extends CamelRow<'messages', 'id' | 'message_id' | 'created_at'> {
  cc: Row<'messages'>['cc_addresses'];
  mailbox: Row<'mailboxes'>['address'];
  attachments: Record<string, unknown>[] | null;
}

async function readMessages(db: Db, teamId: number, ids: string[]): Promise<Map<string, MessageFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<MessageFacts>`
    select m.id, m.message_id as "messageId", m.created_at as "createdAt", m.cc_addresses as cc, box.address as mailbox, (
      select json_agg(json_build_object('id', a.no::text, 'filename', a.filename, 'content_type', a.content_type,
        'content_disposition', case when a.inline then 'inline' else 'attachment' end, 'content_id', a.content_id)
        order by a.no)
      from message_attachments a where a.team_id = m.team_id and a.message_id = m.id
    ) as attachments
    from messages m join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${teamId} and m.id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [encodeId('msg', row.id), row]));
}

function emailData({ type, timestamp, data }: Payload, email: EmailFacts | undefined) {
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

function receivedData({ timestamp, data }: Payload, message: MessageFacts | undefined) {
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
    attachments: message?.attachments ?? [],
  };
}

function contactData(data: Record<string, unknown>) {
  const properties = (data.properties ?? {}) as Record<string, unknown>;
  return {
    id: data.id,
    audience_id: data.contactBookId,
    // A contact belongs to a segment by a property of that name.
    segment_ids: Object.keys(properties).filter((name) => isMembership(name) && properties[name] === true),
    email: data.email,
    first_name: data.firstName,
    last_name: data.lastName,
    unsubscribed: data.subscribed !== true,
    created_at: data.createdAt,
    updated_at: data.updatedAt,
  };
}

type DomainFacts = CamelRow<'domains', 'id' | 'created_at' | 'region'>;

async function readDomains(db: Db, teamId: number, payloads: Payload[]): Promise<Map<number, DomainFacts>> {
  const ofDomains = payloads.filter(({ type }) => type.startsWith('domain.'));
  if (ofDomains.length === 0) return new Map();
  const { rows } = await sql<DomainFacts>`
    select id, created_at as "createdAt", region from domains
    where team_id = ${teamId} and id = any(${ofDomains.map(({ data }) => data.id)}::int[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The records would change between attempts, so the list is empty. */
function domainData({ timestamp, data: { id, name, status } }: Payload, domain: DomainFacts | undefined) {
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
