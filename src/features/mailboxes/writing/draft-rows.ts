/** Reads and writes the rows of drafts. A draft is an outgoing message with the draft flag and without an email. */
import { sql } from 'kysely';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { RECORD_LIVE_UPDATES } from '../../events/live-updates.ts';
import type { MailboxRow } from '../mailboxes/find-mailbox.ts';
import { addDerivedBodies } from '../storage/derived-bodies.ts';
import { formatPerson, type People } from '../storage/participants.ts';
import { MAX_CHARACTERS, searchedTextOf } from '../storage/search-words.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { deleteMessageRows } from '../storage/expunge-messages.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { deleteEmptyThreads, refreshThreads } from '../storage/refresh-threads.ts';
import { toSnippet, toSubjectKey } from '../storage/store-message.ts';

export interface DraftRow extends Row<
  'messages',
  | 'id'
  | 'thread_id'
  | 'to_addresses'
  | 'cc_addresses'
  | 'bcc_addresses'
  | 'subject'
  | 'html'
  | 'text'
  | 'display_html'
  | 'body_bytes'
  | 'raw_sha256'
  | 'author_id'
> {
  /** True if the draft is the only message of its thread. */
  isAlone: boolean;
  /** The time of the last save. */
  created_at: Row<'messages'>['created_at'];
}

/** Locks the draft until the end of the transaction, so that one caller at a time sends or changes it. */
export async function requireDraft(
  trx: Db,
  caller: Caller,
  mailbox: MailboxRow,
  draftId: string,
): Promise<DraftRow> {
  const find = () => lockDraft(trx, caller.teamId, mailbox.id, decodeId('msg', draftId));
  // Try twice: the thread may have been merged into another between reading and locking.
  const draft = (await find()) ?? (await find());
  if (!draft) throw notFound('Draft');
  const [whole] = await addDerivedBodies(trx, caller.teamId, [draft]);
  return whole!;
}

/** Locks the thread before the message, as all operations that change both do. */
async function lockDraft(
  trx: Db,
  teamId: number,
  mailboxId: string,
  id: string | null,
): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`
    with thread as materialized (
      select t.id, t.message_count from threads t
      where t.team_id = ${teamId} and t.mailbox_id = ${mailboxId}
        and t.id = (select thread_id from messages where team_id = ${teamId} and id = ${id})
      for update
    )
    select m.id, m.thread_id, t.message_count = 1 as "isAlone", m.to_addresses, m.cc_addresses, m.bcc_addresses,
      m.subject, m.html, m.text, m.display_html, m.body_bytes, m.raw_sha256, m.author_id, m.created_at
    from thread t join messages m on m.thread_id = t.id
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.id = ${id}
      and ${isDraft('m')}
    for update of m
  `.execute(trx);
  return rows[0];
}

/** The content of a draft without its files. */
export interface DraftContent {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  /** The HTML must be sanitised. */
  html: string | null;
  text: string | null;
}

/**
 * Updates the draft in place. `people` are the participants of the whole thread. The draft gets a new UID, because
 * email apps expect that the content of a message with the same UID never changes. The steps of the statement, by
 * their names in it:
 *
 *   thread       the participants, and the subject and snippet if the draft is alone in the thread
 *   live_update  the updates for listening clients                                    RECORD_LIVE_UPDATES
 *   before       the draft as it was, whose UID has vanished (`logged`) and whose source is no longer used (`marked`)
 *   searched     the words
 *   place        the new UID
 */
export async function saveDraftRow(
  trx: Db,
  teamId: number,
  mailbox: MailboxRow,
  draft: DraftRow,
  content: DraftContent,
  people: People,
): Promise<void> {
  const { to, cc, bcc, subject, html, text } = content;
  const from = formatPerson(mailbox);
  const plain = text ?? (html ? htmlToPlainText(html, MAX_CHARACTERS) : '');
  const words = searchedTextOf(mailbox.id, { from, to: [...to, ...cc, ...bcc], subject, text: plain });
  const snippet = toSnippet(plain);
  const now = new Date();
  // A thread that has only this draft takes its subject and snippet from it.
  const threadText = draft.isAlone
    ? sql`, subject = ${subject}, base_subject = ${toSubjectKey(subject)}, snippet = ${snippet}, last_message_at = ${now}`
    : sql``;
  const ref = { teamId, mailboxId: mailbox.id };
  const modseq = await lockChangeNumber(trx, ref);
  await storeChangeNumber(trx, ref, modseq);
  await sql`
    with thread as (
      update threads set participants = ${people.shown}, participant_keys = ${people.keys} ${threadText}
      where team_id = ${teamId} and id = ${draft.thread_id}
    ), live_update as (
      select ${teamId}::integer as team_id, ${mailbox.id}::uuid as mailbox_id, 'thread.changed' as type,
        ${draft.thread_id}::uuid as thread_id, ${draft.id}::uuid as message_id
    ), ${sql.raw(RECORD_LIVE_UPDATES.text)}, before as materialized (
      select folder, uid, raw_sha256 from messages where team_id = ${teamId} and id = ${draft.id}
    ), logged as (
      insert into vanished_messages (team_id, mailbox_id, modseq, folder, uid, message_id, thread_id)
      select ${teamId}, ${mailbox.id}, ${modseq}, folder, uid, ${draft.id}, ${draft.thread_id} from before
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select raw_sha256 from before)
    ), searched as (
      insert into message_words (team_id, message_id, words) values (${teamId}, ${draft.id}, ${words})
      on conflict (team_id, message_id) do update set words = excluded.words
    ), place as (
      update folders f set next_uid = f.next_uid + 1 from before
      where f.team_id = ${teamId} and f.mailbox_id = ${mailbox.id} and f.id = before.folder
      returning f.next_uid - 1 as uid
    )
    update messages m set sender = ${from}, to_addresses = ${to}, cc_addresses = ${cc}, bcc_addresses = ${bcc},
      subject = ${subject}, html = ${html}, display_html = null, text = ${text}, body_bytes = null, snippet = ${snippet}, search = null,
      created_at = ${now}, saved_at = ${now}, raw_sha256 = null, size = null, modseq = ${modseq}, uid = place.uid
    from place where m.team_id = ${teamId} and m.id = ${draft.id}
  `.execute(trx);
}

/** Deletes a message with its files and references, and its thread if that is then empty. */
export async function removeMessage(
  trx: Db,
  mailbox: MailboxRef,
  { id, thread_id }: Pick<DraftRow, 'id' | 'thread_id'>,
): Promise<void> {
  const modseq = await lockChangeNumber(trx, mailbox);
  await storeChangeNumber(trx, mailbox, modseq);
  await deleteMessageRows(trx, mailbox, [id], modseq);
  await deleteEmptyThreads(trx, mailbox.teamId, [thread_id]);
  await refreshThreads(trx, mailbox.teamId, [thread_id]);
}
