/** Reads what SORT and THREAD compare. */
import { sql } from 'kysely';
import type { SortableMessage } from '../../../mail/imap/sort-thread.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { baseSubject, isReplySubject } from '../../../mail/mime/threading.ts';
import type { Db } from '../../../platform/database.ts';
import type { CamelRow, Row } from '../../../platform/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

interface SortableRow extends CamelRow<
  'messages',
  'uid' | 'created_at' | 'size' | 'subject' | 'sender' | 'message_id'
> {
  sentAt: Date;
  to: string | null;
  cc: string | null;
  references: Row<'messages'>['reference_ids'];
}

export async function readSortable(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
  uids: number[],
): Promise<SortableMessage[]> {
  const { rows } = await sql<SortableRow>`
    select uid, created_at as "createdAt", coalesce(sent_at, created_at) as "sentAt", size, subject, sender, to_addresses[1] as "to", cc_addresses[1] as cc,
      message_id as "messageId", reference_ids as "references"
    from messages where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId}
      and uid = any(${uids}::bigint[])
    order by uid
  `.execute(db);
  return rows.map((row) => ({
    uid: row.uid,
    arrivedAt: row.createdAt.getTime(),
    sentAt: row.sentAt.getTime(),
    size: row.size ?? 0,
    subject: baseSubject(row.subject).toUpperCase(),
    isReply: isReplySubject(row.subject),
    from: localPart(row.sender),
    to: localPart(row.to),
    cc: localPart(row.cc),
    shownFrom: shownName(row.sender),
    shownTo: shownName(row.to),
    messageId: row.messageId,
    references: row.references,
  }));
}

/** RFC 5256 section 3 compares the part before the @ of the first address. */
function localPart(person: string | null): string {
  const address = parseMailbox(person ?? '')?.key ?? '';
  return address.slice(0, address.lastIndexOf('@')).toUpperCase();
}

/** RFC 5957: the display name, otherwise the address. */
function shownName(person: string | null): string {
  const mailbox = parseMailbox(person ?? '');
  return (mailbox?.name ?? mailbox?.email ?? '').toUpperCase();
}
