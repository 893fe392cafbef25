/** Finds the copy of a message that was sent through the submission port, so that it is not stored twice. */
import { sql } from 'kysely';
import { readHead } from '../../../mail/mime/parse-headers.ts';
import { readAnyHeaders } from '../../../mail/mime/raw-headers.ts';
import type { Db } from '../../../platform/database.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { shortenId } from '../storage/store-message.ts';

/** Null if no sent message has the Message-ID of these bytes. */
export async function findSentCopy(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  raw: Buffer,
): Promise<{ uid: number } | null> {
  const { messageId } = readHead(readAnyHeaders(raw));
  if (messageId === null) return null;
  const { rows } = await sql<{ uid: number }>`
    select uid from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and message_id = ${shortenId(messageId)} and folder = 'sent'
    order by uid limit 1
  `.execute(db);
  return rows[0] ?? null;
}
