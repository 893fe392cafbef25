/** What merging, splitting and undoing share. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { finishChange } from '../storage/change-flags.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { lockNames } from '../storage/conversation.ts';
import { moveRows } from '../storage/move-messages.ts';
import { collectPeople } from '../storage/participants.ts';
import { toSubjectKey } from '../storage/store-message.ts';
import type { ThreadBelongings } from '../storage/take-over-threads.ts';

const UNDO_DAYS = 30;
/** The messages whose people are the participants of a thread. */
const MOST_READ = 1_000;
/** The number of messages that one request gives to another thread. */
const MOST_MOVED = 10_000;

/** True for a change that can still be undone. The statement must name `thread_changes c`. */
export const UNDOABLE = sql`(c.undone_at is null and c.created_at > now() - make_interval(days => ${UNDO_DAYS}))`;

export interface ThreadChange {
  mailbox: MailboxRef;
  kind: Row<'thread_changes'>['kind'];
  threadId: string;
  otherId: string;
  messageIds: string[];
  had: ThreadBelongings | null;
  modseq: number;
}

export async function recordThreadChange(trx: Db, change: ThreadChange): Promise<void> {
  const { mailbox, kind, threadId, otherId, messageIds, had, modseq } = change;
  await sql`
    insert into thread_changes (team_id, id, mailbox_id, kind, thread_id, other_id, message_ids, before, modseq)
    values (${mailbox.teamId}, ${newUuid()}, ${mailbox.mailboxId}, ${kind}, ${threadId}, ${otherId},
      ${messageIds}::uuid[], ${JSON.stringify(had ?? {})}::jsonb, ${modseq})
  `.execute(trx);
}

/**
 * Locks out incoming messages that refer to these threads, as receiving does (conversation.ts). Must be called before
 * the threads are locked.
 */
export async function lockConversationsOf(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  threadIds: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ name: NonNullable<Row<'messages'>['message_id']> }>`
    select distinct message_id as name from messages
    where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[]) and message_id is not null
    limit ${MOST_MOVED + 1}
  `.execute(trx);
  if (rows.length > MOST_MOVED)
    throw badRequest(`Threads with more than ${MOST_MOVED} messages cannot be merged or split.`);
  await lockNames(
    trx,
    mailboxId,
    rows.map(({ name }) => name),
  );
}

/** Gives messages to another thread. The caller has locked the change number, and stores it. */
export async function giveMessages(
  trx: Db,
  teamId: number,
  messageIds: readonly string[],
  threadId: string,
  modseq: number,
): Promise<void> {
  await sql`
    update messages set thread_id = ${threadId}, modseq = ${modseq}
    where team_id = ${teamId} and id = any(${messageIds}::uuid[])
  `.execute(trx);
}

/** Creates the row of a thread that gets its messages next. */
export async function insertThread(trx: Db, { teamId, mailboxId }: MailboxRef, id: string): Promise<void> {
  await sql`
    insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys, snippet,
      message_count, unread_count, starred_count, last_message_at)
    values (${teamId}, ${id}, ${mailboxId}, 'sent', '', '', '{}', '{}', '', 0, 0, 0, '-infinity')
  `.execute(trx);
}

/** Derives the subject and the participants of threads from their messages. */
export async function describeThreads(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  threadIds: readonly string[],
): Promise<void> {
  const { rows: boxes } = await sql<Row<'mailboxes', 'address_key'>>`
    select address_key from mailboxes where team_id = ${teamId} and id = ${mailboxId}
  `.execute(trx);
  for (const threadId of threadIds) {
    const { rows } = await sql<Row<'messages', 'sender' | 'to_addresses' | 'cc_addresses' | 'subject'>>`
      select sender, to_addresses, cc_addresses, subject from messages
      where team_id = ${teamId} and thread_id = ${threadId} order by created_at, id limit ${MOST_READ}
    `.execute(trx);
    const people = collectPeople(
      rows.flatMap(({ sender, to_addresses, cc_addresses }) => [sender, ...to_addresses, ...cc_addresses]),
      boxes[0]?.address_key ?? '',
    );
    const subject = rows[0]?.subject ?? '';
    await sql`
      update threads set subject = ${subject}, base_subject = ${toSubjectKey(subject)},
        participants = ${people.shown}, participant_keys = ${people.keys}
      where team_id = ${teamId} and id = ${threadId}
    `.execute(trx);
  }
}

/** The messages of these threads that are in a folder move to another one, whose row may be missing. */
export async function moveBetween(
  trx: Db,
  mailbox: MailboxRef,
  threadIds: readonly string[],
  [from, to]: readonly ['inbox' | 'snoozed', 'inbox' | 'snoozed'],
  modseq: number,
): Promise<void> {
  const { teamId, mailboxId } = mailbox;
  const { rows } = await sql<Row<'messages', 'id'>>`
    select m.id from messages m join folders f on f.team_id = m.team_id and f.mailbox_id = m.mailbox_id and f.id = ${to}
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.thread_id = any(${threadIds}::uuid[])
      and m.folder = ${from}
  `.execute(trx);
  if (rows.length === 0) return;
  await moveRows(
    trx,
    mailbox,
    rows.map(({ id }) => id),
    to,
    modseq,
  );
}

/** Stores the change number, updates the threads that are left and tells clients about those that are gone. */
export async function finishThreads(
  trx: Db,
  mailbox: MailboxRef,
  modseq: number,
  { changed, gone = [] }: { changed: readonly string[]; gone?: readonly string[] },
): Promise<void> {
  await finishChange(
    trx,
    mailbox,
    modseq,
    changed.map((threadId) => ({ threadId })),
  );
  await recordThreadChanges(trx, mailbox.teamId, mailbox.mailboxId, [...gone]);
}
