/** Locks the threads of messages, and updates the summaries of threads. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from './change-numbers.ts';
import { isDraft } from './message-kinds.ts';

const MAX_ATTEMPTS = 5;

/** Locks the threads of these messages in the order of their IDs. */
export async function lockThreadsOf(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  messageIds: readonly string[],
): Promise<void> {
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailboxId}`;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { rows: locked } = await sql<Row<'threads', 'id'>>`
      select id from threads
      where ${own} and id in (select thread_id from messages where ${own} and id = any(${messageIds}::uuid[]))
      order by id for update
    `.execute(trx);
    const { rows: others } = await sql`
      select 1 from messages where ${own} and id = any(${messageIds}::uuid[])
        and thread_id <> all(${locked.map(({ id }) => id)}::uuid[]) limit 1
    `.execute(trx);
    // If there are others, a thread was merged into another between reading and locking.
    if (others.length === 0) return;
  }
}

/** The caller must hold the threads' locks. Threads without messages are not changed. */
export async function refreshThreads(trx: Db, teamId: number, threadIds: readonly string[]): Promise<void> {
  await sql`
    update threads t set message_count = s.message_count, unread_count = s.unread_count,
      starred_count = s.starred_count, folder = s.folder, last_message_at = greatest(s.latest_at, t.returned_at), snippet = s.latest_snippet
    from (
      select m.thread_id, count(*)::integer as message_count,
        count(*) filter (where m.direction = 'in' and not m.read)::integer as unread_count,
        count(*) filter (where m.starred)::integer as starred_count,
        case when bool_or(m.folder = 'inbox') then 'inbox'
          else coalesce(
            (array_agg(m.folder order by m.created_at desc, m.id desc)
              filter (where m.folder not in ('sent', 'drafts', 'spam', 'trash')))[1],
            case when bool_or(m.folder in ('sent', 'drafts')) then 'sent'
              when bool_or(m.folder = 'spam') then 'spam' else 'trash' end)
        end as folder,
        (array_agg(m.created_at order by ${isDraft('m')}, m.created_at desc, m.id desc))[1] as latest_at,
        (array_agg(m.snippet order by ${isDraft('m')}, m.created_at desc, m.id desc))[1] as latest_snippet
      from messages m where m.team_id = ${teamId} and m.thread_id = any(${threadIds}::uuid[]) group by m.thread_id
    ) s
    where t.team_id = ${teamId} and t.id = s.thread_id
      and (t.message_count, t.unread_count, t.starred_count, t.folder, t.last_message_at, t.snippet) is distinct from
        (s.message_count, s.unread_count, s.starred_count, s.folder, greatest(s.latest_at, t.returned_at),
          s.latest_snippet)
  `.execute(trx);
}

export async function deleteEmptyThreads(
  trx: Db,
  teamId: number,
  threadIds: readonly string[],
): Promise<void> {
  await sql`
    with empty as (
      delete from threads t where t.team_id = ${teamId} and t.id = any(${threadIds}::uuid[])
        and not exists (select 1 from messages m where m.team_id = t.team_id and m.thread_id = t.id)
      returning t.id
    )
    delete from merged_threads where team_id = ${teamId} and into_id in (select id from empty)
  `.execute(trx);
}
