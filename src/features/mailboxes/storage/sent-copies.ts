/**
 * Email apps send a message and add a copy of it to the sent folder, in either order, but the folder must show one
 * message. Both operations hold the lock on the Message-ID (findThreads), so the second one finds the message that the
 * first has stored.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { finishChange } from './change-flags.ts';
import { lockChangeNumber, type MailboxRef } from './change-numbers.ts';
import { shortenId } from './store-message.ts';

type StoredCopy = CamelRow<'messages', 'id' | 'thread_id' | 'uid' | 'modseq'>;

/** Finds the message in the sent folder that was sent through us with this Message-ID. */
export async function findSentMessage(
  trx: Db,
  mailbox: MailboxRef,
  messageId: string,
): Promise<StoredCopy | null> {
  return findCopy(trx, mailbox, messageId, true);
}

/** Links the email to the copy that an email app stored before sending. Returns null if there is no copy. */
export async function attachToCopy(
  trx: Db,
  mailbox: MailboxRef & { userId: string | null },
  messageId: string,
  emailId: string,
): Promise<StoredCopy | null> {
  const copy = await findCopy(trx, mailbox, messageId, false);
  if (!copy) return null;
  const modseq = await lockChangeNumber(trx, mailbox);
  await sql`
    update messages set email_id = ${emailId}, direction = 'out', read = true, draft = false, modseq = ${modseq},
      author_id = coalesce(author_id, ${mailbox.userId}::uuid)
    where team_id = ${mailbox.teamId} and id = ${copy.id}
  `.execute(trx);
  await finishChange(trx, mailbox, modseq, [copy]);
  return copy;
}

async function findCopy(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  messageId: string,
  isSent: boolean,
): Promise<StoredCopy | null> {
  const { rows } = await sql<StoredCopy>`
    select id, thread_id as "threadId", uid, modseq from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and message_id = ${shortenId(messageId)} and folder = 'sent'
      and (email_id is not null) = ${isSent}
    order by uid limit 1
  `.execute(trx);
  return rows[0] ?? null;
}
