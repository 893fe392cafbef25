/** Notes of a thread. They are no messages: this folder has no way to MIME, so no note can leave. */
import { sql } from 'kysely';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, badRequest, invalidField, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { listReaders } from '../access/readers.ts';
import { presentActor } from '../activity/present-actor.ts';
import { userKeyOf, type Actor } from '../activity/record-activity.ts';
import { recordHappening, type ThreadRef } from '../activity/record-happening.ts';
import { addNotifications } from '../notifications/add-notifications.ts';
import { reachColumns, requireReachable, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { requireThread } from '../reading/find-thread.ts';
import { withCleanHtml } from '../storage/own-html.ts';
import { noteWords } from '../search/note-words.ts';
import {
  MAX_NOTE_LENGTH,
  MAX_NOTES,
  type NoteInput,
  type NoteUpdate,
  type ThreadNote,
} from './notes.schema.ts';

type NoteRow = Row<
  'thread_notes',
  | 'id'
  | 'thread_id'
  | 'mailbox_id'
  | 'author'
  | 'author_name'
  | 'html'
  | 'mentions'
  | 'created_at'
  | 'updated_at'
>;

const COLUMNS = sql`n.id, n.thread_id, n.mailbox_id, n.author, n.author_name, n.html, n.mentions, n.created_at, n.updated_at`;

/** Everyone who may read the mailbox may write notes. */
export async function writeNote(
  db: Db,
  caller: Caller,
  threadId: string,
  input: NoteInput,
): Promise<ThreadNote> {
  const { html } = await cleanNote(input);
  return inTransaction(db, async (trx) => {
    const thread = await requireThread(trx, caller, threadId, 'for update');
    const mentions = await requireMentioned(trx, caller.teamId, thread.mailbox_id, input.mentions ?? []);
    const ref = { mailboxId: thread.mailbox_id, threadId: thread.id };
    const note = await addNote(trx, caller, ref, { html, mentions });
    if (!note) throw badRequest(`A thread can have at most ${MAX_NOTES} notes.`);
    return present(note);
  });
}

/**
 * The HTML must be cleaned, and the mentioned people (UUIDs) must have access. The caller must have locked the thread.
 * Null if it has too many notes.
 */
export async function addNote(
  trx: Db,
  actor: Actor,
  ref: ThreadRef,
  { html, mentions }: { html: string; mentions: string[] },
): Promise<NoteRow | null> {
  const { rows } = await sql<NoteRow>`
    insert into thread_notes as n (team_id, id, thread_id, mailbox_id, author, author_name, html, mentions, words)
    select ${actor.teamId}, ${newUuid()}, ${ref.threadId}, ${ref.mailboxId}, ${actor.by},
      (select coalesce(u.name, u.email) from users u where u.id = ${userKeyOf(actor)}),
      ${html}, ${mentions}::uuid[], ${noteWords(ref.mailboxId, html)}::text[]
    where (
      select count(*) from thread_notes where team_id = ${actor.teamId} and thread_id = ${ref.threadId}
    ) < ${MAX_NOTES}
    returning ${COLUMNS}
  `.execute(trx);
  const note = rows[0];
  if (!note) return null;
  const noteId = encodeId('not', note.id);
  const userIds = mentions.map((id) => encodeId('usr', id));
  await recordHappening(trx, actor, ref, {
    type: 'noted',
    data: { note_id: noteId, mentions: userIds },
    event: { type: 'mailbox.note.created', fields: { noteId, mentions: userIds } },
  });
  await notifyMentioned(trx, actor, ref, mentions);
  return note;
}

/** Nobody is told of a note of their own. */
async function notifyMentioned(
  trx: Db,
  actor: Actor,
  ref: ThreadRef,
  mentions: readonly string[],
): Promise<void> {
  const userIds = mentions.filter((id) => id !== userKeyOf(actor));
  await addNotifications(trx, actor.teamId, [{ ...ref, messageId: null, kind: 'mention', userIds }]);
}

/** Lists the newest first. */
export async function listNotes(
  db: Db,
  caller: Caller,
  threadId: string,
  page: PageRequest,
): Promise<Page<ThreadNote>> {
  const thread = await requireThread(db, caller, threadId);
  const start = readPageStart('not', page);
  const { rows } = await sql<NoteRow>`
    select ${COLUMNS} from thread_notes n
    where n.team_id = ${caller.teamId} and n.thread_id = ${thread.id} and ${fromStart(start, 'n.id')}
    order by n.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, present);
}

export async function changeNote(
  db: Db,
  caller: Caller,
  noteId: string,
  update: NoteUpdate,
): Promise<ThreadNote> {
  const { html } = await cleanNote(update);
  return inTransaction(db, async (trx) => {
    const note = await requireOwnNote(trx, caller, noteId);
    const mentions = update.mentions
      ? await requireMentioned(trx, caller.teamId, note.mailbox_id, update.mentions)
      : note.mentions;
    const newHtml = html ?? note.html;
    const { rows } = await sql<NoteRow>`
      update thread_notes n set html = ${newHtml}, mentions = ${mentions}::uuid[],
        words = ${noteWords(note.mailbox_id, newHtml)}::text[], updated_at = now()
      where n.team_id = ${caller.teamId} and n.id = ${note.id} returning ${COLUMNS}
    `.execute(trx);
    const ref = { mailboxId: note.mailbox_id, threadId: note.thread_id };
    const added = mentions.filter((id) => !note.mentions.includes(id));
    await notifyMentioned(trx, caller, ref, added);
    await recordThreadChanges(trx, caller.teamId, note.mailbox_id, [note.thread_id]);
    return present(rows[0]!);
  });
}

export async function deleteNote(db: Db, caller: Caller, noteId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const note = await requireOwnNote(trx, caller, noteId);
    await sql`delete from thread_notes where team_id = ${caller.teamId} and id = ${note.id}`.execute(trx);
    await recordThreadChanges(trx, caller.teamId, note.mailbox_id, [note.thread_id]);
  });
}

/** Locks the note. */
async function requireOwnNote(trx: Db, caller: Caller, noteId: string): Promise<NoteRow> {
  const { rows } = await sql<NoteRow & ReachRow>`
    select ${COLUMNS}, ${reachColumns(caller)} from thread_notes n
    join mailboxes box on box.team_id = n.team_id and box.id = n.mailbox_id
    where n.team_id = ${caller.teamId} and n.id = ${decodeId('not', noteId)} for update of n
  `.execute(trx);
  const note = rows[0];
  if (!note) throw notFound('Note');
  await requireReachable(trx, caller, note, 'Note');
  if (note.author !== caller.by)
    throw new AppError('FORBIDDEN', 'Only the author of a note can change or delete it.');
  return note;
}

async function cleanNote<Input extends { html?: string | undefined }>(input: Input): Promise<Input> {
  if (input.html === undefined) return input;
  const clean = await withCleanHtml(input, MAX_NOTE_LENGTH);
  const html = clean.html ?? '';
  if (!html.includes('<img') && htmlToPlainText(html, MAX_NOTE_LENGTH).trim() === '')
    throw invalidField('html', 'must contain text');
  return clean;
}

/** Returns the UUIDs. */
async function requireMentioned(
  trx: Db,
  teamId: number,
  mailboxKey: string,
  userIds: readonly string[],
): Promise<string[]> {
  if (userIds.length === 0) return [];
  const readers = await listReaders(trx, teamId, mailboxKey);
  return [...new Set(userIds)].map((userId) => {
    const key = decodeId('usr', userId);
    if (key === null || !readers.has(key))
      throw invalidField('mentions', 'must be people with access to the mailbox');
    return key;
  });
}

function present(row: NoteRow): ThreadNote {
  return {
    id: encodeId('not', row.id),
    thread_id: encodeId('thr', row.thread_id),
    author: presentActor(row.author, row.author_name),
    html: row.html,
    mentions: row.mentions.map((id) => encodeId('usr', id)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
