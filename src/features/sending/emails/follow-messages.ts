/**
 * An email that was written in a mailbox is also a message of that mailbox, and may be the submission of a JMAP client.
 * This file updates both when the email leaves SCHEDULED. Only release.ts and cancel-waiting.ts make it leave, and both
 * call this in their transaction, after they have changed the emails.
 *
 * Locks are taken in the order of mailboxes/storage/change-numbers.ts: emails, change numbers by mailbox, then messages
 * and folders. A mailbox that is being deleted may have lost its change number; its messages are deleted too and are
 * not updated.
 */
import { runTogether, statement, toNumberArray, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { MAIL_CHANNEL, RECORD_AND_NOTIFY } from '../../events/live-updates.ts';

type LeavingEmail = Row<'emails', 'team_id' | 'id' | 'source'>;

/** The keys of emails that were written in a mailbox, as two array parameters. */
interface Written {
  teamIds: string;
  ids: string[];
}

/** Other emails have no message, so nothing is done for them. */
function keysOfWritten(emails: LeavingEmail[]): Written | null {
  const written = emails.filter(({ source }) => source === 'mailbox');
  if (written.length === 0) return null;
  return { teamIds: toNumberArray(written, ({ team_id }) => team_id), ids: written.map(({ id }) => id) };
}

export async function followReleased(trx: Db, emails: LeavingEmail[]): Promise<void> {
  const written = keysOfWritten(emails);
  if (!written) return;
  await runTogether(
    raiseChangeNumbers(trx, written),
    moveToSent(trx, written),
    markAnswered(trx, written),
    settleSubmissions(trx, written, 'final'),
    tellListeners(trx, written, 'message.left'),
  );
}

export async function followCancelled(trx: Db, emails: LeavingEmail[]): Promise<void> {
  const written = keysOfWritten(emails);
  if (!written) return;
  await runTogether(
    raiseChangeNumbers(trx, written),
    settleSubmissions(trx, written, 'canceled'),
    tellListeners(trx, written, 'message.taken_back'),
    makeDrafts(trx, written),
  );
}

/** Locks the change numbers. The statements after this one see everything that others committed before. */
async function raiseChangeNumbers(trx: Db, { teamIds, ids }: Written): Promise<void> {
  await statement(trx)`
    with email as (
      select * from unnest(${teamIds}::integer[], ${ids}::uuid[]) as e (team_id, id)
    ), locked as materialized (
      select team_id, mailbox_id from mailbox_change_numbers
      where (team_id, mailbox_id) in (
        select m.team_id, m.mailbox_id from email e join messages m on m.team_id = e.team_id and m.email_id = e.id
        union
        select s.team_id, s.mailbox_id
        from email e join mail_submissions s on s.team_id = e.team_id and s.email_id = e.id
      )
      order by team_id, mailbox_id for update
    )
    update mailbox_change_numbers c set modseq = c.modseq + 1 from locked
    where c.team_id = locked.team_id and c.mailbox_id = locked.mailbox_id`;
}

/** A message that was moved out of the drafts is not moved again. */
async function moveToSent(trx: Db, { teamIds, ids }: Written): Promise<void> {
  await statement(trx)`
    with leaving as materialized (
      select m.team_id, m.mailbox_id, m.thread_id, m.id, m.uid, c.modseq,
        row_number() over (partition by m.team_id, m.mailbox_id order by m.id) - 1 as nth
      from unnest(${teamIds}::integer[], ${ids}::uuid[]) as e (team_id, id)
      join messages m on m.team_id = e.team_id and m.email_id = e.id and m.folder = 'drafts'
      join mailbox_change_numbers c on c.team_id = m.team_id and c.mailbox_id = m.mailbox_id
    ), logged as (
      insert into vanished_messages (team_id, mailbox_id, modseq, folder, uid, message_id, thread_id)
      select team_id, mailbox_id, modseq, 'drafts', uid, id, thread_id from leaving
    ), place as (
      update folders f set next_uid = f.next_uid + l.count
      from (select team_id, mailbox_id, count(*) as count from leaving group by team_id, mailbox_id) l
      where f.team_id = l.team_id and f.mailbox_id = l.mailbox_id and f.id = 'sent'
      returning f.team_id, f.mailbox_id, f.next_uid - l.count as first_uid
    )
    update messages m set folder = 'sent', uid = first_uid + nth, modseq = leaving.modseq, saved_at = now()
    from leaving join place using (team_id, mailbox_id)
    where m.team_id = leaving.team_id and m.id = leaving.id`;
}

async function markAnswered(trx: Db, { teamIds, ids }: Written): Promise<void> {
  await statement(trx)`
    update messages answered set answered = true, modseq = c.modseq
    from unnest(${teamIds}::integer[], ${ids}::uuid[]) as e (team_id, id)
    join messages m on m.team_id = e.team_id and m.email_id = e.id
    join mailbox_change_numbers c on c.team_id = m.team_id and c.mailbox_id = m.mailbox_id
    where answered.team_id = m.team_id and answered.mailbox_id = m.mailbox_id
      and answered.message_id = m.in_reply_to and not answered.answered`;
}

async function makeDrafts(trx: Db, { teamIds, ids }: Written): Promise<void> {
  await statement(trx)`
    update messages m set email_id = null, draft = true, modseq = c.modseq
    from unnest(${teamIds}::integer[], ${ids}::uuid[]) as e (team_id, id), mailbox_change_numbers c
    where m.team_id = e.team_id and m.email_id = e.id and c.team_id = m.team_id and c.mailbox_id = m.mailbox_id`;
}

/** The message may have been deleted, so a submission has its own change number and notification. */
async function settleSubmissions(
  trx: Db,
  { teamIds, ids }: Written,
  undoStatus: Row<'mail_submissions'>['undo_status'],
): Promise<void> {
  await statement(trx)`
    update mail_submissions s set undo_status = ${undoStatus}, modseq = c.modseq
    from unnest(${teamIds}::integer[], ${ids}::uuid[]) as e (team_id, id), mailbox_change_numbers c
    where s.team_id = e.team_id and s.email_id = e.id and c.team_id = s.team_id and c.mailbox_id = s.mailbox_id
    returning pg_notify(${MAIL_CHANNEL}, '')`;
}

async function tellListeners(
  trx: Db,
  { teamIds, ids }: Written,
  type: 'message.left' | 'message.taken_back',
): Promise<void> {
  await statement(trx)`
    with live_update as (
      select m.team_id, m.mailbox_id, ${type}::text as type, m.thread_id, m.id as message_id
      from unnest(${teamIds}::integer[], ${ids}::uuid[]) as e (team_id, id)
      join messages m on m.team_id = e.team_id and m.email_id = e.id
      order by m.id
    ), ${RECORD_AND_NOTIFY}
    select`;
}
