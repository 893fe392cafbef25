/**
 * What the formats of vendors tell beside the payload of an event, read from the email, message or domain. These facts
 * never change, so every attempt sends the same bytes while the email is kept.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import type { Payload } from './payload.ts';

export interface ToldEvent {
  teamId: number;
  /** The UUID of the event. */
  id: Row<'webhook_events'>['event_id'];
  payload: Payload;
  /** Undefined when the event is not about an email, or the email was deleted. */
  email: EmailFacts | undefined;
  message: MessageFacts | undefined;
  domain: DomainFacts | undefined;
}

type EmailFacts = CamelRow<'emails', 'id' | 'message_id' | 'created_at' | 'campaign_id' | 'opened_at'>;

/** As Resend names the fields of an attachment. */
export interface EventFile {
  id: string;
  filename: string | null;
  content_type: string;
  content_disposition: 'inline' | 'attachment';
  content_id: string | null;
  size: number;
}

interface MessageFacts extends CamelRow<
  'messages',
  'id' | 'message_id' | 'created_at' | 'size' | 'direction' | 'sender' | 'subject' | 'reply_to'
> {
  to: Row<'messages'>['to_addresses'];
  cc: Row<'messages'>['cc_addresses'];
  bcc: Row<'messages'>['bcc_addresses'];
  mailbox: Row<'mailboxes'>['address'];
  files: EventFile[];
}

type DomainFacts = CamelRow<'domains', 'id' | 'created_at' | 'region'>;

export async function addFacts(
  db: Db,
  teamId: number,
  events: Pick<ToldEvent, 'id' | 'payload'>[],
): Promise<ToldEvent[]> {
  const emails = await readEmails(db, teamId, idsIn(events, 'eml', 'emailId'));
  const messages = await readMessages(db, teamId, idsIn(events, 'msg', 'messageId'));
  const domains = await readDomains(db, teamId, events);
  return events.map(({ id, payload }) => ({
    teamId,
    id,
    payload,
    email: emails.get(asText(payload.data.emailId)),
    message: messages.get(asText(payload.data.messageId)),
    domain: domains.get(payload.data.id as number),
  }));
}

function idsIn(events: Pick<ToldEvent, 'payload'>[], prefix: 'eml' | 'msg', field: string): string[] {
  const ids = events.map(({ payload: { data } }) => decodeId(prefix, asText(data[field])));
  return [...new Set(ids.filter((id) => id !== null))];
}

async function readEmails(db: Db, teamId: number, ids: string[]): Promise<Map<string, EmailFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<EmailFacts>`
    select id, message_id as "messageId", created_at as "createdAt", campaign_id as "campaignId",
      opened_at as "openedAt"
    from all_emails where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [encodeId('eml', row.id), row]));
}

async function readMessages(db: Db, teamId: number, ids: string[]): Promise<Map<string, MessageFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<MessageFacts>`
    select m.id, m.message_id as "messageId", m.created_at as "createdAt", m.size, m.direction, m.sender, m.subject,
      m.reply_to as "replyTo", m.to_addresses as "to", m.cc_addresses as cc, m.bcc_addresses as bcc,
      box.address as mailbox, coalesce((
        select json_agg(json_build_object('id', a.no::text, 'filename', a.filename, 'content_type', a.content_type,
          'content_disposition', case when a.inline then 'inline' else 'attachment' end, 'content_id', a.content_id,
          'size', a.size) order by a.no)
        from message_attachments a where a.team_id = m.team_id and a.message_id = m.id
      ), '[]') as files
    from messages m join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${teamId} and m.id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [encodeId('msg', row.id), row]));
}

async function readDomains(
  db: Db,
  teamId: number,
  events: Pick<ToldEvent, 'payload'>[],
): Promise<Map<number, DomainFacts>> {
  const ofDomains = events.filter(({ payload: { type } }) => type.startsWith('domain.'));
  if (ofDomains.length === 0) return new Map();
  const { rows } = await sql<DomainFacts>`
    select id, created_at as "createdAt", region from domains
    where team_id = ${teamId} and id = any(${ofDomains.map(({ payload: { data } }) => data.id)}::int[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `emailId` is a UUID. Includes recipients that no header shows. */
export async function readRecipients(db: Db, teamId: number, emailId: string): Promise<string[]> {
  const { rows } = await sql<Row<'email_recipients', 'address'>>`
    select address from all_email_recipients where team_id = ${teamId} and email_id = ${emailId} order by no
  `.execute(db);
  return rows.map(({ address }) => address);
}
