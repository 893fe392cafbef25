/** The rows of a draft, for who writes it and for who sends it. A draft is a message of our own without an email. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import type { MailboxRow } from '../mailboxes/find-mailbox.ts';
import type { StoredFile } from './store-message.ts';

export interface DraftRow {
  id: string;
  thread_id: string;
  /** Whether its thread has nothing else. */
  isAlone: boolean;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  html: string | null;
  text: string | null;
  /** When it was last saved. */
  created_at: Date;
}

/** Locked until the end of the transaction: a draft is sent or changed by one caller at a time. */
export async function requireDraft(
  trx: Db,
  caller: Caller,
  mailbox: MailboxRow,
  draftId: string,
): Promise<DraftRow> {
  const { rows } = await sql<DraftRow>`
    select m.id, m.thread_id, t.message_count = 1 as "isAlone", m.to_addresses, m.cc_addresses, m.bcc_addresses,
      m.subject, m.html, m.text, m.created_at
    from messages m join threads t on t.team_id = m.team_id and t.id = m.thread_id
    where m.team_id = ${caller.teamId} and m.mailbox_id = ${mailbox.id} and m.id = ${decodeId('msg', draftId)}
      and m.direction = 'out' and m.email_id is null
    for update
  `.execute(trx);
  if (!rows[0]) throw notFound('Draft');
  return rows[0];
}

export async function filesOfDraft(
  trx: Db,
  teamId: number,
  draft: { id: string } | null,
): Promise<StoredFile[]> {
  if (!draft) return [];
  const { rows } = await sql<StoredFile>`
    select a.filename, a.content_type as "contentType", a.content_id as "contentId", a.inline, b.bytes as content
    from message_attachments a join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
    where a.team_id = ${teamId} and a.message_id = ${draft.id} order by a.no
  `.execute(trx);
  return rows;
}

/** With all that hangs on it; a thread that had nothing else goes too. */
export async function removeMessage(
  trx: Db,
  teamId: number,
  { id, thread_id }: Pick<DraftRow, 'id' | 'thread_id'>,
): Promise<void> {
  await sql`
    with gone as (
      delete from messages where team_id = ${teamId} and id = ${id} returning read
    ), named as (
      delete from message_references where team_id = ${teamId} and message_id = ${id}
    ), files as (
      delete from message_attachments where team_id = ${teamId} and message_id = ${id} returning sha256
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select sha256 from files)
    )
    update threads set message_count = message_count - 1,
      unread_count = unread_count - (select count(*) from gone where not read)
    where team_id = ${teamId} and id = ${thread_id}
  `.execute(trx);
  await sql`
    delete from threads where team_id = ${teamId} and id = ${thread_id} and message_count = 0
  `.execute(trx);
}
