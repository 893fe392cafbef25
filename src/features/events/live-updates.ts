/**
 * The only place that writes live updates of mailboxes (`mailbox_events`), in the transaction of the change. An update
 * contains only the IDs of what changed; listening clients read the rest from the API.
 *
 * Writers whose door calls `hintMail` after the commit use RECORD_LIVE_UPDATES. Writers in features below the mailboxes
 * use RECORD_AND_NOTIFY.
 */
import { sql } from 'kysely';
import { Fragment, type Db } from '../../platform/database/database.ts';

/** The channel of hints that mailboxes may have changed. */
export const MAIL_CHANNEL = 'mailbox_events';

const INSERT = `
  insert into mailbox_events (team_id, mailbox_id, type, thread_id, message_id)
  select team_id, mailbox_id, type, thread_id, message_id from live_update`;

/**
 * Follows a `with` that has `live_update`, one row per update in the order of recording: team_id, mailbox_id, type,
 * thread_id and message_id.
 */
export const RECORD_LIVE_UPDATES = new Fragment(`told as (${INSERT})`);

/** The same, and PostgreSQL notifies listeners when the transaction commits. */
export const RECORD_AND_NOTIFY = new Fragment(
  `told as (${INSERT} returning pg_notify('${MAIL_CHANNEL}', ''))`,
);

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

/** Someone opened a thread, or began to reply. */
export async function recordPresence(
  trx: Db,
  { teamId, mailboxId, threadId }: { teamId: number; mailboxId: string; threadId: string },
): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type, thread_id)
    values (${teamId}, ${mailboxId}, 'presence.changed', ${threadId})
  `.execute(trx);
}

/** A folder was created, renamed or deleted. */
export async function recordFolderChange(
  trx: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type) values (${teamId}, ${mailboxId}, 'folders.changed')
  `.execute(trx);
}

/** Emails of agents wait for a person, or no longer do. The mailboxes may have been deleted since. */
export async function recordApprovalChanges(
  trx: Db,
  teamId: number,
  mailboxIds: readonly string[],
): Promise<void> {
  if (mailboxIds.length === 0) return;
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type)
    select ${teamId}, id, 'approvals.changed' from mailboxes
    where team_id = ${teamId} and id = any(${mailboxIds}::uuid[])
    returning pg_notify(${MAIL_CHANNEL}, '')
  `.execute(trx);
}

/** Open streams check the access of their callers. */
export async function recordAccessChange(
  trx: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type) values (${teamId}, ${mailboxId}, 'access.changed')
    returning pg_notify(${MAIL_CHANNEL}, '')
  `.execute(trx);
}
