/** Reads what a team knows about threads beside their messages: who has it, how long it waits, who looks at it. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { isSentOrWaiting } from '../storage/message-kinds.ts';
import type { ThreadTeamwork } from './thread-teamwork.schema.ts';

/** Presence counts for this long after it was last said. */
export const PRESENCE_SECONDS = 30;

interface TeamworkRow extends Row<'threads', 'id'> {
  user_id: Row<'thread_assignments'>['user_id'] | null;
  user_name: Row<'users'>['name'];
  snoozed_until: Date | null;
  reminder_at: Date | null;
  waiting_since: Date | null;
  note_count: number;
  labels: string[];
  has_attachment: boolean;
  present: { user_id: string; name: string; state: Row<'thread_presence'>['state'] }[];
}

/** Returns it by the UUIDs of the threads. Snoozes of other people and the caller's own presence are left out. */
export async function readTeamwork(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'person'>,
  threadIds: readonly string[],
): Promise<Map<string, ThreadTeamwork>> {
  if (threadIds.length === 0) return new Map();
  const me = userKeyOf(caller);
  const { rows } = await sql<TeamworkRow>`
    select t.id, a.user_id, coalesce(u.name, u.email) as user_name,
      (select max(s.until) from thread_snoozes s where s.team_id = t.team_id and s.thread_id = t.id
        and s.kind = 'snooze' and (s.user_id is null or s.user_id = ${me}::uuid)) as snoozed_until,
      (select min(s.until) from thread_snoozes s where s.team_id = t.team_id and s.thread_id = t.id
        and s.kind = 'reminder') as reminder_at,
      case when t.folder not in ('archive', 'spam', 'trash') then (
        select min(m.created_at) from messages m
        where m.team_id = t.team_id and m.thread_id = t.id and m.direction = 'in' and m.folder not in ('spam', 'trash')
          and m.created_at > coalesce((
            select max(own.created_at) from messages own
            where own.team_id = t.team_id and own.thread_id = t.id and ${isSentOrWaiting('own')}), '-infinity')
      ) end as waiting_since,
      (select count(*)::integer from thread_notes n where n.team_id = t.team_id and n.thread_id = t.id) as note_count,
      array(select distinct label from messages m, unnest(m.labels) as label
        where m.team_id = t.team_id and m.thread_id = t.id order by label) as labels,
      exists (select from messages m join message_attachments f on f.team_id = m.team_id and f.message_id = m.id
        where m.team_id = t.team_id and m.thread_id = t.id and m.attachment_count > 0 and not f.inline) as has_attachment,
      coalesce((
        select json_agg(json_build_object('user_id', p.user_id, 'name', coalesce(who.name, who.email), 'state', p.state)
          order by coalesce(who.name, who.email), p.user_id)
        from thread_presence p join users who on who.id = p.user_id
        where p.team_id = t.team_id and p.thread_id = t.id and p.user_id is distinct from ${me}::uuid
          and p.seen_at > now() - make_interval(secs => ${PRESENCE_SECONDS})
      ), '[]'::json) as present
    from threads t
    left join thread_assignments a on a.team_id = t.team_id and a.thread_id = t.id
    left join users u on u.id = a.user_id
    where t.team_id = ${caller.teamId} and t.id = any(${threadIds}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, present(row)]));
}

function present(row: TeamworkRow): ThreadTeamwork {
  return {
    assignee:
      row.user_id === null ? null : { user_id: encodeId('usr', row.user_id), name: row.user_name ?? '' },
    labels: row.labels,
    has_attachment: row.has_attachment,
    snoozed_until: row.snoozed_until?.toISOString() ?? null,
    note_count: row.note_count,
    reminder_at: row.reminder_at?.toISOString() ?? null,
    waiting_since: row.waiting_since?.toISOString() ?? null,
    present: row.present.map(({ user_id, name, state }) => ({
      user_id: encodeId('usr', user_id),
      name,
      state,
    })),
  };
}
