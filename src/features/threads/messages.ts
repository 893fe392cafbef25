/** Messages as they are shown, and the bytes behind them. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { keepToDomainName } from '../mailboxes/find-mailbox.ts';
import type { FolderOrView, Message } from './threads.schema.ts';

interface AttachmentRow {
  no: number;
  filename: string | null;
  content_type: string;
  content_id: string | null;
  inline: boolean;
  size: number;
}

export interface MessageRow {
  id: string;
  mailbox_id: string;
  thread_id: string;
  direction: 'in' | 'out';
  email_id: string | null;
  email_status: string | null;
  scheduled_at: Date | null;
  cancel_if_replied: boolean;
  message_id: string | null;
  sender: string;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  reply_to: string[];
  subject: string;
  text: string | null;
  html: string | null;
  read: boolean;
  authentication: Message['authentication'];
  raw_sha256: Buffer | null;
  created_at: Date;
  attachments: AttachmentRow[];
  /** Its text and HTML stayed behind. */
  body_omitted?: boolean;
}

/** Of `m` in MESSAGE_TABLES: all but what it says. */
const MESSAGE_FRAME = sql`
  m.id, m.mailbox_id, m.thread_id, m.direction, m.email_id, e.status as email_status, e.scheduled_at,
  m.cancel_if_replied, m.message_id, m.sender, m.to_addresses, m.cc_addresses, m.bcc_addresses, m.reply_to, m.subject,
  m.read, m.authentication, m.raw_sha256, m.created_at,
  case when m.attachment_count = 0 then '[]'::json else (
    select json_agg(json_build_object('no', a.no, 'filename', a.filename, 'content_type', a.content_type,
      'content_id', a.content_id, 'inline', a.inline, 'size', a.size) order by a.no)
    from message_attachments a where a.team_id = m.team_id and a.message_id = m.id
  ) end as attachments`;
const MESSAGE_COLUMNS = sql`${MESSAGE_FRAME}, m.text, m.html`;
/** The same of `messagesWithRoom`. */
export const MESSAGE_COLUMNS_IF_WHOLE = sql`${MESSAGE_FRAME}, case when is_whole then m.text end as text,
  case when is_whole then m.html end as html, not is_whole as body_omitted`;
/** Of texts and HTML in one answer, and one message more: some could be read, all of a flood could not. */
const MAX_BODIES_BYTES = 8 * 1024 * 1024;
const MESSAGE_TABLES = sql`messages m left join emails e on e.team_id = m.team_id and e.id = m.email_id`;

/** MESSAGE_TABLES with `is_whole`: whether those of them that are newer leave room for what a message says. */
export function messagesWithRoom(
  which: RawBuilder<unknown>,
  alwaysWhole: RawBuilder<unknown> = sql`false`,
): RawBuilder<unknown> {
  return sql`${MESSAGE_TABLES} join (
    select id, sum(bytes) over (order by created_at desc, id desc) - bytes < ${MAX_BODIES_BYTES} or ${alwaysWhole} as is_whole
    from (
      select *, coalesce(octet_length(text), 0) + coalesce(octet_length(html), 0) as bytes from messages ${which}
    ) sized
  ) body on body.id = m.id`;
}

export async function getMessage(db: Db, caller: Caller, messageId: string): Promise<Message> {
  const { folder, ...row } = await findMessage(db, caller, messageId);
  return presentMessage(row, folder);
}

export interface Bytes {
  contentType: string;
  filename: string | null;
  bytes: Buffer;
}

/** As it came in, or as it goes out less the signature. */
export async function getRawMessage(db: Db, caller: Caller, messageId: string): Promise<Bytes> {
  const row = await findMessage(db, caller, messageId);
  const { rows } = row.raw_sha256
    ? await sql<{ bytes: Buffer }>`
        select bytes from blobs where team_id = ${caller.teamId} and sha256 = ${row.raw_sha256}`.execute(db)
    : await sql<{ bytes: Buffer }>`
        select raw as bytes from email_contents where team_id = ${caller.teamId} and email_id = ${row.email_id}
      `.execute(db);
  if (!rows[0]) throw notFound('The message in one piece');
  return { contentType: 'message/rfc822', filename: `${messageId}.eml`, bytes: rows[0].bytes };
}

export async function getAttachment(db: Db, caller: Caller, messageId: string, no: number): Promise<Bytes> {
  const { id } = await findMessage(db, caller, messageId);
  const { rows } = await sql<Bytes>`
    select a.content_type as "contentType", a.filename, b.bytes from message_attachments a
    join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
    where a.team_id = ${caller.teamId} and a.message_id = ${id} and a.no = ${no}
  `.execute(db);
  if (!rows[0]) throw notFound('Attachment');
  return rows[0];
}

/** Through its mailbox, whose deletion takes it out of sight. */
async function findMessage(
  db: Db,
  caller: Caller,
  messageId: string,
): Promise<MessageRow & { folder: FolderOrView }> {
  const { rows } = await sql<MessageRow & { domain: string; folder: FolderOrView }>`
    select ${MESSAGE_COLUMNS}, box.domain, ${SHOWN_FOLDER} as folder from ${MESSAGE_TABLES}
    join threads t on t.team_id = m.team_id and t.id = m.thread_id
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = ${decodeId('msg', messageId)}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Message');
  await keepToDomainName(db, caller, row.domain);
  return row;
}

/** Of the thread `t`: one with nothing but drafts is among the drafts. */
export const SHOWN_FOLDER = sql<FolderOrView>`
  case when t.folder = 'sent' and not exists (
    select 1 from messages own where own.team_id = t.team_id and own.thread_id = t.id
      and (own.direction = 'in' or own.email_id is not null)
  ) then 'drafts' else t.folder end`;

export function presentMessage(row: MessageRow, folder: FolderOrView): Message {
  const status = statusOf(row);
  return {
    id: encodeId('msg', row.id),
    thread_id: encodeId('thr', row.thread_id),
    direction: row.direction,
    status,
    from: row.sender,
    to: row.to_addresses,
    cc: row.cc_addresses,
    bcc: row.bcc_addresses,
    reply_to: row.reply_to,
    subject: row.subject,
    html: row.html,
    text: row.text,
    body_omitted: row.body_omitted ?? false,
    read: row.read,
    folder,
    attachments: row.attachments.map(({ no, ...attachment }) => ({ n: no, ...attachment })),
    message_id: row.message_id,
    authentication: row.authentication,
    send_at: status === 'waiting' ? row.scheduled_at!.toISOString() : null,
    cancel_if_replied: status === 'waiting' && row.cancel_if_replied,
    created_at: row.created_at.toISOString(),
  };
}

const FAILED = ['BOUNCED', 'REJECTED', 'RENDERING_FAILURE', 'SUPPRESSED', 'FAILED'];

function statusOf({ direction, email_id, email_status }: MessageRow): Message['status'] {
  if (direction === 'in') return 'received';
  if (email_id === null) return 'draft';
  if (email_status === 'SCHEDULED') return 'waiting';
  return FAILED.includes(email_status ?? '') ? 'bounced' : 'sent';
}
