/** Records mailbox events for live updates. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database.ts';
import type { MailboxRef } from './change-numbers.ts';

/** The channel of hints that mailboxes may have changed. */
export const MAIL_CHANNEL = 'mailbox_events';

export async function recordThreadChanges(
  trx: Db,
  teamId: number,
  mailboxId: string,
  threadIds: string[],
): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type, thread_id)
    select ${teamId}, ${mailboxId}, 'thread.changed', id from unnest(${threadIds}::uuid[]) as id
  `.execute(trx);
}

/** A folder was created, renamed or deleted. */
export async function recordFolderChange(trx: Db, { teamId, mailboxId }: MailboxRef): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type) values (${teamId}, ${mailboxId}, 'folders.changed')
  `.execute(trx);
}
