/** Lists the changes of a mailbox since a change number, for clients that synchronise. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from './change-numbers.ts';

type ChangedSince = CamelRow<'messages', 'id' | 'thread_id' | 'folder' | 'uid' | 'modseq' | 'created_modseq'>;

interface VanishedSince extends CamelRow<
  'vanished_messages',
  'folder' | 'modseq' | 'message_id' | 'thread_id'
> {
  /** 0 means that the folder itself was deleted. */
  uid: Row<'vanished_messages'>['uid'];
}

export interface Changes {
  /** The number of the latest change of the mailbox. */
  modseq: number;
  /** False if the log of vanished messages no longer reaches back to `since`. The client must then start over. */
  isComplete: boolean;
  /** New and changed messages, the earliest change first. */
  changed: ChangedSince[];
  /** Messages that left their folder. A moved one is also in `changed`. */
  vanished: VanishedSince[];
}

/** With `folder`, lists only changes that concern that folder. Everything after `since` up to `modseq` is included. */
export async function listChangesSince(
  db: Db,
  mailbox: MailboxRef,
  since: number,
  { folder }: { folder?: string } = {},
): Promise<Changes> {
  const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}`;
  // The number is read first, so changes that commit in between have a higher one and are left for the next call.
  const { modseq, forgotten_modseq } = await readChangeNumber(db, mailbox);
  const range = sql`${own} and modseq > ${since} and modseq <= ${modseq}
    ${folder === undefined ? sql`` : sql`and folder = ${folder}`}`;
  const { rows: changed } = await sql<ChangedSince>`
    select id, thread_id as "threadId", folder, uid, modseq, created_modseq as "createdModseq"
    from messages where ${range} order by modseq, folder, uid
  `.execute(db);
  const { rows: vanished } = await sql<VanishedSince>`
    select folder, uid, modseq, message_id as "messageId", thread_id as "threadId"
    from vanished_messages where ${range} order by modseq, folder, uid
  `.execute(db);
  return { modseq, isComplete: since >= forgotten_modseq, changed, vanished };
}

/** Returns zero for a mailbox that does not exist. */
export async function readChangeNumber(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
): Promise<Row<'mailbox_change_numbers', 'modseq' | 'forgotten_modseq'>> {
  const { rows } = await sql<Row<'mailbox_change_numbers', 'modseq' | 'forgotten_modseq'>>`
    select modseq, forgotten_modseq from mailbox_change_numbers
    where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(db);
  return rows[0] ?? { modseq: 0, forgotten_modseq: 0 };
}
