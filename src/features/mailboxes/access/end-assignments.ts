/** Ends the assignments of people who have lost their access, and tells of it as if someone had ended each. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import type { Actor } from '../activity/record-activity.ts';
import { recordHappenings } from '../activity/record-happening.ts';

type Ended = Row<'thread_assignments', 'mailbox_id' | 'user_id'> & { name: string; threads: string[] };

/** `which` is a condition on the table thread_assignments. */
export async function endAssignments(trx: Db, actor: Actor, which: RawBuilder<unknown>): Promise<void> {
  const { teamId } = actor;
  const { rows } = await sql<Ended>`
    with ended as (
      delete from thread_assignments where team_id = ${teamId} and ${which}
      returning mailbox_id, user_id, thread_id
    )
    select e.mailbox_id, e.user_id, coalesce(u.name, u.email) as name, array_agg(e.thread_id) as threads
    from ended e join users u on u.id = e.user_id
    group by e.mailbox_id, e.user_id, u.id
  `.execute(trx);
  for (const { mailbox_id: mailboxId, user_id, name, threads } of rows) {
    const previousUserId = encodeId('usr', user_id);
    await recordHappenings(trx, actor, mailboxId, threads, {
      type: 'unassigned',
      data: { previous_user_id: previousUserId, previous_name: name },
      event: { type: 'mailbox.thread.unassigned', fields: { previousUserId } },
    });
    await recordThreadChanges(trx, teamId, mailboxId, threads);
  }
}
