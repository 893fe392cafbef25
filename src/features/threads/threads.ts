/** Threads: the list with its search, and one with all its messages. */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Page } from '../../platform/pages.ts';
import type { Caller } from '../../platform/route.ts';
import { WAITS_IN_MAILBOX } from '../emails/waiting.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { requireThread, THREAD_COLUMNS, type ThreadRow } from './find-thread.ts';
import { MESSAGE_COLUMNS_IF_WHOLE, messagesWithRoom, presentMessage, type MessageRow } from './messages.ts';
import { readSearch } from './search-query.ts';
import type { FolderOrView, Thread, ThreadQuery, ThreadWithMessages } from './threads.schema.ts';

/** Newest first. */
export async function listThreads(
  db: Db,
  caller: Caller,
  mailboxId: string,
  query: ThreadQuery,
): Promise<Page<Thread>> {
  const { id: mailboxKey } = await requireMailbox(db, caller, mailboxId);
  const search = readSearch(mailboxKey, query.q ?? '');
  const conditions = [
    sql`t.team_id = ${caller.teamId}`,
    sql`t.mailbox_id = ${mailboxKey}`,
    inFolder(query.folder),
    ...(query.unread === undefined ? [] : [query.unread ? sql`t.unread_count > 0` : sql`t.unread_count = 0`]),
    ...(search.length === 0 ? [] : [hasMessage(sql.join(search, sql` and `))]),
    ...behind(query.cursor),
  ];
  const here = sql`threads t where ${sql.join(conditions, sql` and `)}`;
  const newestFirst = sql`order by t.last_message_at desc, t.id desc`;
  const limit = query.limit + 1;
  // What is passed over is only walked along in the index, and nothing of it is read.
  const select =
    query.offset === 0
      ? sql<ThreadRow>`select ${THREAD_COLUMNS} from ${here} ${newestFirst} limit ${limit}`
      : sql<ThreadRow>`
          select ${THREAD_COLUMNS} from (
            select t.id from ${here} ${newestFirst} offset ${query.offset} limit ${limit}
          ) place join threads t on t.team_id = ${caller.teamId} and t.id = place.id ${newestFirst}`;
  const { rows } =
    search.length === 0
      ? await select.execute(db)
      : await inTransaction(db, async (trx) => {
          // How a search is best done depends on how common its words are: a plan for all of them is wrong for some.
          await sql`set local plan_cache_mode = force_custom_plan`.execute(trx);
          return select.execute(trx);
        });
  const page = rows.slice(0, query.limit);
  return { items: page.map(present), next_cursor: rows.length > query.limit ? toCursor(page.at(-1)!) : null };
}

function inFolder(folder: FolderOrView | undefined): RawBuilder<unknown> {
  const shown = sql`t.folder not in ('trash', 'spam')`;
  switch (folder) {
    case undefined:
      return shown;
    case 'sent':
      return sql`${shown} and ${hasMessage(sql`m.direction = 'out' and m.email_id is not null and not exists (
        select 1 from emails e where e.team_id = m.team_id and e.id = m.email_id and e.status = 'SCHEDULED')`)}`;
    case 'drafts':
      return sql`${shown} and ${hasMessage(sql`m.direction = 'out' and m.email_id is null`)}`;
    case 'scheduled':
      return sql`${shown} and t.id in (
        select m.thread_id from emails e join messages m on m.team_id = e.team_id and m.email_id = e.id
        where e.team_id = t.team_id and ${WAITS_IN_MAILBOX})`;
    default:
      return sql`t.folder = ${folder}`;
  }
}

function hasMessage(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (
    select 1 from messages m where m.team_id = t.team_id and m.mailbox_id = t.mailbox_id and m.thread_id = t.id
      and ${condition})`;
}

const CURSOR = /^([0-9a-z]{1,11})-(thr_[0-9a-z]{26})$/;

/** The place of the last thread of the page before: when it last got a message, and its id. */
function behind(cursor: string | undefined): RawBuilder<unknown>[] {
  if (cursor === undefined) return [];
  const [, time, threadId] = CURSOR.exec(cursor) ?? [];
  const id = decodeId('thr', threadId ?? '');
  const at = new Date(Number.parseInt(time ?? '', 36));
  if (!id || Number.isNaN(at.getTime())) throw badRequest('cursor is not one that this list gave.');
  return [sql`(t.last_message_at, t.id) < (${at}::timestamptz, ${id}::uuid)`];
}

function toCursor({ last_message_at, id }: ThreadRow): string {
  return `${last_message_at.getTime().toString(36)}-${encodeId('thr', id)}`;
}

/** The newest messages whole, so many bytes of them; of older ones, which anybody could have sent, only drafts. */
export async function getThread(db: Db, caller: Caller, threadId: string): Promise<ThreadWithMessages> {
  const thread = await requireThread(db, caller, threadId);
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE_COLUMNS_IF_WHOLE} from ${messagesWithRoom(
      sql`where team_id = ${caller.teamId} and thread_id = ${thread.id}`,
      sql`(direction = 'out' and email_id is null)`,
    )}
    where m.team_id = ${caller.teamId} and m.thread_id = ${thread.id} order by m.created_at, m.id
  `.execute(db);
  return { ...present(thread), messages: rows.map((row) => presentMessage(row, thread.folder)) };
}

function present(row: ThreadRow): Thread {
  return {
    id: encodeId('thr', row.id),
    mailbox_id: encodeId('mbx', row.mailbox_id),
    subject: row.subject,
    folder: row.folder,
    unread: row.unread_count > 0,
    message_count: row.message_count,
    participants: row.participants,
    snippet: row.snippet,
    last_message_at: row.last_message_at.toISOString(),
  };
}
