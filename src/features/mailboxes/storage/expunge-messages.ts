/** Deletes messages permanently. Waiting ones are cancelled first. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { cancelWaiting } from '../../sending/emails/cancel-waiting.ts';
import { finishChange } from './change-flags.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from './change-numbers.ts';
import { deleteParts } from './message-parts.ts';
import { deleteEmptyThreads, lockThreadsOf } from './refresh-threads.ts';

type ExpungedMessage = CamelRow<'messages', 'id' | 'thread_id' | 'folder' | 'uid'>;

export interface MessagesExpunged {
  expunged: ExpungedMessage[];
  modseq: number;
}

/** Messages that do not exist are ignored. With `inFolder`, so are messages that have been moved out of it. */
export async function expungeMessages(
  db: Db,
  mailbox: MailboxRef,
  messageIds: readonly string[],
  { inFolder }: { inFolder?: string } = {},
): Promise<MessagesExpunged> {
  return inTransaction(db, async (trx) => {
    const { teamId } = mailbox;
    await lockThreadsOf(trx, mailbox, messageIds);
    const named = sql`team_id = ${teamId} and mailbox_id = ${mailbox.mailboxId} and id = any(${messageIds}::uuid[])
      ${inFolder === undefined ? sql`` : sql`and folder = ${inFolder}`}`;
    const { rows: emails } = await sql<{ id: NonNullable<Row<'messages'>['email_id']> }>`
      select email_id as id from messages where ${named} and email_id is not null
    `.execute(trx);
    if (emails.length > 0)
      await cancelWaiting(
        trx,
        teamId,
        emails.map(({ id }) => id),
      );
    const modseq = await lockChangeNumber(trx, mailbox);
    const { rows: expunged } = await sql<ExpungedMessage>`
      select id, thread_id as "threadId", folder, uid from messages where ${named} order by folder, uid
    `.execute(trx);
    if (expunged.length > 0) {
      await storeChangeNumber(trx, mailbox, modseq);
      await deleteMessageRows(
        trx,
        mailbox,
        expunged.map(({ id }) => id),
        modseq,
      );
      await deleteEmptyThreads(
        trx,
        teamId,
        expunged.map(({ threadId }) => threadId),
      );
      await finishChange(trx, mailbox, modseq, expunged);
    }
    return { expunged, modseq };
  });
}

/**
 * Deletes messages with their files and references, and logs that they vanished. Blobs are only marked as unused,
 * because other messages may share them. The caller must have locked and stored the change number.
 */
export async function deleteMessageRows(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  messageIds: readonly string[],
  modseq: number,
): Promise<void> {
  await sql`
    with deleted as (
      delete from messages where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = any(${messageIds}::uuid[])
      returning id, thread_id, folder, uid, raw_sha256
    ), ${deleteParts(teamId)}
    insert into vanished_messages (team_id, mailbox_id, modseq, folder, uid, message_id, thread_id)
    select ${teamId}, ${mailboxId}, ${modseq}, folder, uid, id, thread_id from deleted
  `.execute(trx);
}
