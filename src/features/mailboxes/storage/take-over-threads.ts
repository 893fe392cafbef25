/**
 * Merges threads into another one with everything that belongs to them. People do that (src/features/mailboxes/merging),
 * and messages that connect threads (conversation.ts). Nothing is lost:
 * - Messages, notes, activity, reminders and notifications go to the thread that is kept.
 * - It keeps its assignee and its snoozes. If it has none, it takes those of the others, the earliest first.
 * - The IDs of the others keep working through `merged_threads`.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

/** What a thread had before it was merged, so that the merge can be undone. */
export interface TakenOver {
  threadId: string;
  /** The oldest comes first. */
  messageIds: string[];
  had: ThreadBelongings;
}

export interface ThreadBelongings {
  aliases: string[];
  notes: string[];
  activity: string[];
  separated: string[];
  assignee: { userId: string; at: string } | null;
  /** Whether the thread that was kept had no assignee and took this one. */
  isAssigneeTaken: boolean;
}

/** The caller must have locked all these threads. With `modseq`, the messages get this change number. */
export async function takeOverThreads(
  trx: Db,
  teamId: number,
  keptId: string,
  ids: readonly string[],
  modseq: number | null = null,
): Promise<TakenOver[]> {
  const had = await readBelongings(trx, teamId, keptId, ids);
  await sql`
    update messages set thread_id = ${keptId}, modseq = coalesce(${modseq}::bigint, modseq)
    where team_id = ${teamId} and thread_id = any(${ids}::uuid[])
  `.execute(trx);
  await sql`
    update merged_threads set into_id = ${keptId} where team_id = ${teamId} and into_id = any(${ids}::uuid[])
  `.execute(trx);
  await moveBelongings(trx, teamId, keptId, ids);
  await sql`
    with gone as (
      delete from threads where team_id = ${teamId} and id = any(${ids}::uuid[])
      returning id, message_count, unread_count, starred_count, last_message_at
    ), noted as (
      insert into merged_threads (team_id, id, into_id) select ${teamId}, id, ${keptId} from gone
    ), total as (
      select sum(message_count)::integer as messages, sum(unread_count)::integer as unread,
        sum(starred_count)::integer as starred, max(last_message_at) as last
      from gone
    )
    update threads t set message_count = t.message_count + messages, unread_count = t.unread_count + unread,
      starred_count = t.starred_count + starred,
      last_message_at = greatest(t.last_message_at, last)
    from total where t.team_id = ${teamId} and t.id = ${keptId} and messages is not null
  `.execute(trx);
  return had;
}

type BelongingsRow = Row<'threads', 'id'> & {
  message_ids: string[];
  aliases: string[];
  notes: string[];
  activity: string[];
  separated: string[];
  user_id: Row<'thread_assignments'>['user_id'] | null;
  assigned_at: Row<'thread_assignments'>['assigned_at'] | null;
  is_taken: boolean;
};

async function readBelongings(
  trx: Db,
  teamId: number,
  keptId: string,
  ids: readonly string[],
): Promise<TakenOver[]> {
  const { rows } = await sql<BelongingsRow>`
    select t.id, a.user_id, a.assigned_at,
      array(select m.id from messages m where m.team_id = t.team_id and m.thread_id = t.id
        order by m.created_at, m.id) as message_ids,
      array(select g.id from merged_threads g where g.team_id = t.team_id and g.into_id = t.id) as aliases,
      array(select n.id from thread_notes n where n.team_id = t.team_id and n.thread_id = t.id) as notes,
      array(select h.id from mailbox_activity h where h.team_id = t.team_id and h.thread_id = t.id) as activity,
      array(select s.other_id from separated_threads s where s.team_id = t.team_id and s.thread_id = t.id) as separated,
      a.user_id is not null and not exists (
        select from thread_assignments k where k.team_id = t.team_id and k.thread_id = ${keptId})
        and row_number() over (order by a.assigned_at nulls last, t.id) = 1 as is_taken
    from threads t left join thread_assignments a on a.team_id = t.team_id and a.thread_id = t.id
    where t.team_id = ${teamId} and t.id = any(${ids}::uuid[]) order by t.id
  `.execute(trx);
  return rows.map((row) => ({
    threadId: row.id,
    messageIds: row.message_ids,
    had: {
      aliases: row.aliases,
      notes: row.notes,
      activity: row.activity,
      separated: row.separated,
      assignee: row.user_id === null ? null : { userId: row.user_id, at: row.assigned_at!.toISOString() },
      isAssigneeTaken: row.is_taken,
    },
  }));
}

async function moveBelongings(
  trx: Db,
  teamId: number,
  keptId: string,
  ids: readonly string[],
): Promise<void> {
  const others = sql`team_id = ${teamId} and thread_id = any(${ids}::uuid[])`;
  await sql`
    with notes as (
      update thread_notes set thread_id = ${keptId} where ${others}
    ), activity as (
      update mailbox_activity set thread_id = ${keptId} where ${others}
    ), notifications as (
      update mail_notifications set thread_id = ${keptId} where ${others}
    ), reminders as (
      update thread_snoozes set thread_id = ${keptId} where ${others} and kind = 'reminder'
    ), snoozes as (
      -- At most one for everyone, and one for each person.
      update thread_snoozes s set thread_id = ${keptId}
      from (
        select distinct on (user_id) id, user_id from thread_snoozes where ${others} and kind = 'snooze'
        order by user_id, until, id
      ) first
      where s.team_id = ${teamId} and s.id = first.id and not exists (
        select from thread_snoozes k where k.team_id = ${teamId} and k.thread_id = ${keptId} and k.kind = 'snooze'
          and k.user_id is not distinct from first.user_id)
    ), separated as (
      insert into separated_threads (team_id, thread_id, other_id)
      select ${teamId}, pair.* from separated_threads s
      cross join lateral (values (${keptId}::uuid, s.other_id), (s.other_id, ${keptId}::uuid)) as pair
      where s.team_id = ${teamId} and s.thread_id = any(${ids}::uuid[])
        and s.other_id <> ${keptId} and s.other_id <> all(${ids}::uuid[])
      on conflict do nothing
    )
    insert into thread_assignments (team_id, thread_id, mailbox_id, user_id, assigned_at)
    select team_id, ${keptId}, mailbox_id, user_id, assigned_at from thread_assignments where ${others}
    order by assigned_at, thread_id limit 1
    on conflict do nothing
  `.execute(trx);
}
