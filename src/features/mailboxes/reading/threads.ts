/** Lists and searches threads, and reads one with all its messages. */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { WAITS_IN_MAILBOX } from '../../sending/emails/waiting.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { addWarnings } from './add-warnings.ts';
import { completeBodies } from './derive-display.ts';
import { requireThread, THREAD_COLUMNS, type ThreadRow } from './find-thread.ts';
import {
  LIMITED_MESSAGE_COLUMNS,
  messagesWithBodyLimit,
  presentMessage,
  type MessageRow,
} from './messages.ts';
import { isSystemFolder } from '../storage/folder-names.ts';
import { findFolder, findFolderByName } from '../storage/folder-rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { isDraft, isSentOrWaiting } from '../storage/message-kinds.ts';
import { presentThread, presentThreads } from './present-thread.ts';
import { searchedWords } from '../search/note-words.ts';
import { ANYWHERE, readFolder, readPlainWords, readSearch } from '../search/search-query.ts';
import { VIEWS, type Thread, type ThreadQuery, type ThreadWithMessages } from './threads.schema.ts';

/** Lists the newest first. */
export async function listThreads(
  db: Db,
  caller: Caller,
  mailboxId: string,
  query: ThreadQuery,
): Promise<Page<Thread>> {
  const { id: mailboxKey } = await requireMailbox(db, caller, mailboxId);
  const ref = { teamId: caller.teamId, mailboxId: mailboxKey };
  const search = await readSearch(db, ref, query.q ?? '');
  const folder = readFolder(query.q ?? '') ?? query.folder;
  const conditions = [
    sql`t.team_id = ${caller.teamId}`,
    sql`t.mailbox_id = ${mailboxKey}`,
    ...inFolderOf(caller, await findListedFolder(db, ref, folder)),
    ...(query.unread === undefined ? [] : [query.unread ? sql`t.unread_count > 0` : sql`t.unread_count = 0`]),
    ...(query.starred === undefined
      ? []
      : [query.starred ? sql`t.starred_count > 0` : sql`t.starred_count = 0`]),
    ...(query.label === undefined ? [] : [hasMessage(hasLabel(ref, query.label))]),
    ...(search.length === 0 ? [] : [await findsText(db, caller.teamId, mailboxKey, query.q ?? '', search)]),
    ...byTeam(caller, query),
    ...afterCursor(query.cursor),
  ];
  const matching = sql`threads t where ${sql.join(conditions, sql` and `)}`;
  const newestFirst = sql`order by t.last_message_at desc, t.id desc`;
  const limit = query.limit + 1;
  // With an offset, rows are skipped within the index, and only the threads of the page are read.
  const select =
    query.offset === 0
      ? sql<ThreadRow>`select ${THREAD_COLUMNS} from ${matching} ${newestFirst} limit ${limit}`
      : sql<ThreadRow>`
          select ${THREAD_COLUMNS} from (
            select t.id from ${matching} ${newestFirst} offset ${query.offset} limit ${limit}
          ) page join threads t on t.team_id = ${caller.teamId} and t.id = page.id ${newestFirst}`;
  const { rows } =
    search.length === 0
      ? await select.execute(db)
      : await inTransaction(db, async (trx) => {
          // The best plan depends on how common the words are, so a generic plan would be slow for some searches.
          await sql`set local plan_cache_mode = force_custom_plan`.execute(trx);
          return select.execute(trx);
        });
  const page = rows.slice(0, query.limit);
  return {
    items: await presentThreads(db, caller, page),
    next_cursor: rows.length > query.limit ? toCursor(page.at(-1)!) : null,
  };
}

/** Returns the ID of a folder, or the name of a view. */
async function findListedFolder(
  db: Db,
  mailbox: MailboxRef,
  folder: string | undefined,
): Promise<string | undefined> {
  if (folder === undefined || folder === ANYWHERE || VIEWS.includes(folder) || isSystemFolder(folder))
    return folder;
  const found = (await findFolder(db, mailbox, folder)) ?? (await findFolderByName(db, mailbox, folder));
  if (!found) throw badRequest('folder must be the name or ID of a folder of this mailbox.');
  return found.id;
}

/** What a person has snoozed for themselves is in that person's snoozed threads instead. */
function inFolderOf(caller: Caller, folder: string | undefined): RawBuilder<unknown>[] {
  const me = userKeyOf(caller);
  if (me === null || folder === undefined || folder === ANYWHERE || VIEWS.includes(folder))
    return [inFolder(folder)];
  const isMine = sql`exists (
    select from thread_snoozes s where s.team_id = t.team_id and s.mailbox_id = t.mailbox_id and s.thread_id = t.id
      and s.kind = 'snooze' and s.user_id = ${me}::uuid)`;
  if (folder !== 'snoozed') return [inFolder(folder), sql`not ${isMine}`];
  return [sql`(t.folder = 'snoozed' or ${isMine})`];
}

function inFolder(folder: string | undefined): RawBuilder<unknown> {
  const shown = sql`t.folder not in ('trash', 'spam')`;
  const kept = sql`m.folder not in ('trash', 'spam')`;
  switch (folder) {
    case undefined:
      return shown;
    case ANYWHERE:
      return sql`true`;
    case 'sent':
      return sql`${shown} and ${hasMessage(sql`${isSentOrWaiting('m')} and ${kept} and not exists (
        select 1 from emails e where e.team_id = m.team_id and e.id = m.email_id and e.status = 'SCHEDULED')`)}`;
    case 'drafts':
      return sql`${shown} and ${hasMessage(sql`${isDraft('m')} and ${kept}`)}`;
    case 'scheduled':
      return sql`${shown} and t.id in (
        select m.thread_id from emails e join messages m on m.team_id = e.team_id and m.email_id = e.id
        where e.team_id = t.team_id and ${WAITS_IN_MAILBOX} and ${kept})`;
    default:
      return isSystemFolder(folder) ? sql`t.folder = ${folder}` : hasMessage(sql`m.folder = ${folder}`);
  }
}

const MOST_NOTED_THREADS = 1_000;

/** Matches threads with a message that meets the conditions, or with a note that has all the words. */
async function findsText(
  db: Db,
  teamId: number,
  mailboxKey: string,
  q: string,
  search: RawBuilder<unknown>[],
): Promise<RawBuilder<unknown>> {
  const found = hasMessage(sql.join(search, sql` and `));
  const words = searchedWords(mailboxKey, readPlainWords(q));
  if (words.length === 0) return found;
  const { rows } = await sql<Row<'thread_notes', 'thread_id'>>`
    select distinct thread_id from thread_notes
    where team_id = ${teamId} and mailbox_id = ${mailboxKey} and words @> ${words}::text[] limit ${MOST_NOTED_THREADS}
  `.execute(db);
  const noted = rows.map(({ thread_id }) => thread_id);
  return noted.length === 0 ? found : sql`(${found} or t.id = any(${noted}::uuid[]))`;
}

/** The filters by assignee and by mention. */
function byTeam(caller: Caller, { assignee, mentions }: ThreadQuery): RawBuilder<unknown>[] {
  const me = userKeyOf(caller);
  if (me === null && (assignee === 'me' || mentions))
    throw badRequest('Only people who are signed in can ask for threads of their own.');
  const assigned = sql`select from thread_assignments a where a.team_id = t.team_id and a.thread_id = t.id`;
  const filters: RawBuilder<unknown>[] = [];
  if (assignee === 'none') filters.push(sql`not exists (${assigned})`);
  else if (assignee !== undefined) {
    const userKey = assignee === 'me' ? me : decodeId('usr', assignee);
    filters.push(sql`exists (${assigned} and a.user_id = ${userKey}::uuid)`);
  }
  if (mentions)
    filters.push(sql`exists (
      select from thread_notes n where n.team_id = t.team_id and n.thread_id = t.id and n.mentions @> ${[me]}::uuid[])`);
  return filters;
}

/** `label` is the ID of a label or its keyword. IDs have the form of keywords. */
function hasLabel({ teamId, mailboxId }: MailboxRef, label: string): RawBuilder<unknown> {
  const named = sql`
    select keyword from mailbox_labels
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${decodeId('lab', label)}`;
  return sql`m.labels <> '{}' and m.labels @> array[coalesce((${named}), ${label}::text)]`;
}

function hasMessage(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (
    select 1 from messages m where m.team_id = t.team_id and m.mailbox_id = t.mailbox_id and m.thread_id = t.id
      and ${condition})`;
}

const CURSOR = /^([0-9a-z]{1,11})-(thr_[0-9a-z]{26})$/;

/** The cursor contains the time of the last message and the ID of the last thread on the previous page. */
function afterCursor(cursor: string | undefined): RawBuilder<unknown>[] {
  if (cursor === undefined) return [];
  const [, time, threadId] = CURSOR.exec(cursor) ?? [];
  const id = decodeId('thr', threadId ?? '');
  const at = new Date(Number.parseInt(time ?? '', 36));
  if (!id || Number.isNaN(at.getTime())) throw badRequest('The cursor is not valid for this list.');
  return [sql`(t.last_message_at, t.id) < (${at}::timestamptz, ${id}::uuid)`];
}

/** Returns the cursor of the page after this thread, for clients that name the thread by its ID. */
export async function cursorBehind(db: Db, caller: Caller, threadId: string): Promise<string> {
  return toCursor(await requireThread(db, caller, threadId));
}

function toCursor({ last_message_at, id }: ThreadRow): string {
  return `${last_message_at.getTime().toString(36)}-${encodeId('thr', id)}`;
}

/** Includes the bodies of drafts and of the newest messages up to a limit, because anyone can send many large ones. */
export async function getThread(db: Db, caller: Caller, threadId: string): Promise<ThreadWithMessages> {
  const thread = await requireThread(db, caller, threadId);
  const { rows } = await sql<MessageRow>`
    select ${LIMITED_MESSAGE_COLUMNS} from ${messagesWithBodyLimit(
      sql`where team_id = ${caller.teamId} and thread_id = ${thread.id}`,
      sql`(direction = 'out' and email_id is null and draft)`,
    )}
    where m.team_id = ${caller.teamId} and m.thread_id = ${thread.id} order by m.created_at, m.id
  `.execute(db);
  const shown = await completeBodies(db, caller.teamId, rows);
  const warned = await addWarnings(db, caller.teamId, shown);
  return {
    ...(await presentThread(db, caller, thread)),
    messages: warned.map((row) => presentMessage(row)),
  };
}
