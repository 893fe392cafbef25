/** Reads messages, their source and their attachments. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { MailboxNeed } from '../../api/mailbox-access.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { readContent } from '../../sending/emails/read-content.ts';
import {
  INVITATION_COLUMN,
  presentInvitation,
  type StoredInvitation,
} from '../invitations/present-invitation.ts';
import { presentUnsubscribe, type ListUnsubscribe } from '../lists/list-unsubscribe.ts';
import { reachColumns, requireReachable, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { addWarnings } from './add-warnings.ts';
import { completeBodies, LACKS_DISPLAY } from './derive-display.ts';
import type { Message } from './threads.schema.ts';

type AttachmentRow = Row<
  'message_attachments',
  'no' | 'filename' | 'content_type' | 'content_id' | 'inline' | 'size'
>;

export interface MessageRow extends Row<
  'messages',
  | 'id'
  | 'mailbox_id'
  | 'thread_id'
  | 'direction'
  | 'email_id'
  | 'cancel_if_replied'
  | 'message_id'
  | 'sender'
  | 'to_addresses'
  | 'cc_addresses'
  | 'bcc_addresses'
  | 'reply_to'
  | 'delivered_to'
  | 'author_id'
  | 'subject'
  | 'text'
  | 'html'
  | 'display_html'
  | 'body_bytes'
  | 'read'
  | 'starred'
  | 'answered'
  | 'labels'
  | 'folder'
  | 'draft'
  | 'raw_sha256'
  | 'created_at'
> {
  email_status: Row<'emails'>['status'] | null;
  scheduled_at: Row<'emails'>['scheduled_at'];
  author_name: string | null;
  authentication: Message['authentication'];
  spam: Message['spam'];
  list_unsubscribe: ListUnsubscribe | null;
  invitation: StoredInvitation | null;
  attachments: AttachmentRow[];
  /** True if text and HTML were left out to limit the size of the response. */
  body_omitted?: boolean;
  /** Null if it was not looked up. */
  first_contact?: boolean | null;
  warnings?: Message['warnings'];
  /** True if the message may need a display form that was not stored. */
  lacks_display?: boolean;
}

/** Columns of `m` in MESSAGE_TABLES, without text and HTML. */
export const COLUMNS_WITHOUT_BODY = sql`
  m.id, m.mailbox_id, m.thread_id, m.direction, m.email_id, e.status as email_status, e.scheduled_at,
  m.cancel_if_replied, m.message_id, m.sender, m.to_addresses, m.cc_addresses, m.bcc_addresses, m.reply_to, m.delivered_to, m.list_unsubscribe, m.subject,
  m.read, m.starred, m.answered, m.labels, m.folder, m.draft, m.author_id,
  (select coalesce(who.name, who.email) from users who where who.id = m.author_id) as author_name, m.authentication, m.spam, m.raw_sha256, m.body_bytes, m.created_at,
  case when m.attachment_count = 0 then '[]'::json else (
    select json_agg(json_build_object('no', a.no, 'filename', a.filename, 'content_type', a.content_type,
      'content_id', a.content_id, 'inline', a.inline, 'size', a.size) order by a.no)
    from message_attachments a where a.team_id = m.team_id and a.message_id = m.id
  ) end as attachments,
  ${INVITATION_COLUMN}`;
const MESSAGE_COLUMNS = sql`${COLUMNS_WITHOUT_BODY}, m.text, m.html, m.display_html,
  ${LACKS_DISPLAY} as lacks_display`;
/** Columns of `messagesWithBodyLimit`. */
export const LIMITED_MESSAGE_COLUMNS = sql`${COLUMNS_WITHOUT_BODY}, case when has_body then m.text end as text,
  case when has_body then m.html end as html, case when has_body then m.display_html end as display_html,
  has_body and ${LACKS_DISPLAY} as lacks_display, not has_body as body_omitted`;
/** Maximum bytes of text and HTML in one response. The message that crosses the limit is still included. */
const MAX_BODIES_BYTES = 8 * 1024 * 1024;
export const MESSAGE_TABLES = sql`messages m left join emails e on e.team_id = m.team_id and e.id = m.email_id`;

/** MESSAGE_TABLES with `has_body`: true while the bodies of newer messages stay below MAX_BODIES_BYTES. */
export function messagesWithBodyLimit(
  which: RawBuilder<unknown>,
  alwaysWithBody: RawBuilder<unknown> = sql`false`,
): RawBuilder<unknown> {
  return sql`${MESSAGE_TABLES} join (
    select id, sum(bytes) over (order by created_at desc, id desc) - bytes < ${MAX_BODIES_BYTES} or ${alwaysWithBody} as has_body
    from (
      select *, coalesce(body_bytes,
        coalesce(octet_length(text), 0) + coalesce(octet_length(html), 0) + coalesce(octet_length(display_html), 0)) as bytes
      from messages ${which}
    ) sized
  ) body on body.id = m.id`;
}

export async function getMessage(
  db: Db,
  caller: Caller,
  messageId: string,
  need: MailboxNeed = 'read',
): Promise<Message> {
  const rows = await completeBodies(db, caller.teamId, [await findMessage(db, caller, messageId, need)]);
  const [row] = await addWarnings(db, caller.teamId, rows);
  return presentMessage(row!);
}

export interface Bytes extends CamelRow<'message_attachments', 'content_type' | 'filename'> {
  bytes: Buffer;
}

/** Returns the message as received, or as sent but without the DKIM signature. */
export async function getRawMessage(db: Db, caller: Caller, messageId: string): Promise<Bytes> {
  const row = await findMessage(db, caller, messageId);
  const bytes = await readSource(db, caller.teamId, row);
  if (!bytes) throw notFound('The message source');
  return { contentType: 'message/rfc822', filename: `${messageId}.eml`, bytes };
}

/** `id` is a UUID. Null if the message was deleted. For work in the background, which has no caller. */
export async function readMessageSource(db: Db, teamId: number, id: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom('messages')
    .select(['raw_sha256', 'email_id'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? readSource(db, teamId, row) : null;
}

async function readSource(
  db: Db,
  teamId: number,
  { raw_sha256, email_id }: Pick<MessageRow, 'raw_sha256' | 'email_id'>,
): Promise<Buffer | null> {
  if (raw_sha256 === null) return email_id === null ? null : readContent(db, teamId, email_id);
  const { rows } = await sql<StoredBlob>`
    select sha256, bytes, inflated_size as "inflatedSize", object_key as "objectKey" from blobs where team_id = ${teamId} and sha256 = ${raw_sha256}
  `.execute(db);
  return rows[0] ? readBlob(db, rows[0]) : null;
}

export async function getAttachment(db: Db, caller: Caller, messageId: string, no: number): Promise<Bytes> {
  const { id } = await findMessage(db, caller, messageId);
  const { rows } = await sql<Omit<Bytes, 'bytes'> & StoredBlob>`
    select a.content_type as "contentType", a.filename, b.sha256, b.bytes, b.inflated_size as "inflatedSize", b.object_key as "objectKey"
    from message_attachments a
    join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
    where a.team_id = ${caller.teamId} and a.message_id = ${id} and a.no = ${no}
  `.execute(db);
  if (!rows[0]) throw notFound('Attachment');
  const { contentType, filename, ...blob } = rows[0];
  return { contentType, filename, bytes: await readBlob(db, blob) };
}

/** Joins the mailbox, so that messages of a deleted mailbox are not found. */
async function findMessage(
  db: Db,
  caller: Caller,
  messageId: string,
  need: MailboxNeed = 'read',
): Promise<MessageRow> {
  const { rows } = await sql<MessageRow & ReachRow>`
    select ${MESSAGE_COLUMNS}, ${reachColumns(caller)} from ${MESSAGE_TABLES}
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = ${decodeId('msg', messageId)}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Message');
  await requireReachable(db, caller, row, 'Message', need);
  return row;
}

/** The folder of thread `t`. A thread that has only drafts is shown under drafts. */
export const SHOWN_FOLDER = sql<string>`
  case when t.folder = 'sent' and not exists (
    select 1 from messages own where own.team_id = t.team_id and own.thread_id = t.id
      and not ${isDraft('own')}
  ) then 'drafts' else t.folder end`;

export function presentMessage(row: MessageRow): Message {
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
    delivered_to: row.delivered_to,
    author:
      row.author_id === null ? null : { user_id: encodeId('usr', row.author_id), name: row.author_name },
    subject: row.subject,
    html: row.html,
    display_html: row.display_html,
    text: row.text,
    body_omitted: row.body_omitted ?? false,
    read: row.read,
    starred: row.starred,
    answered: row.answered,
    labels: row.labels,
    folder: row.folder,
    attachments: row.attachments.map(({ no, ...attachment }) => ({ n: no, ...attachment })),
    message_id: row.message_id,
    authentication: row.authentication,
    spam: row.spam,
    unsubscribe: presentUnsubscribe(row.list_unsubscribe),
    invitation: presentInvitation(row.invitation),
    first_contact: row.first_contact ?? null,
    warnings: row.warnings ?? [],
    send_at: status === 'waiting' ? (row.scheduled_at?.toISOString() ?? null) : null,
    cancel_if_replied: status === 'waiting' && row.cancel_if_replied,
    created_at: row.created_at.toISOString(),
  };
}

const FAILED = ['BOUNCED', 'REJECTED', 'RENDERING_FAILURE', 'SUPPRESSED', 'FAILED'];

function statusOf({ direction, email_id, email_status, draft }: MessageRow): Message['status'] {
  if (direction === 'in') return 'received';
  // Without an email, an email app sent the message and stored its own copy.
  if (email_id === null) return draft ? 'draft' : 'sent';
  if (email_status === 'SCHEDULED') return 'waiting';
  return FAILED.includes(email_status ?? '') ? 'bounced' : 'sent';
}
