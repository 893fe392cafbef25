/** Tells who has a thread open. It counts for 30 seconds, so clients repeat it. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { recordPresence } from '../../events/live-updates.ts';
import { requireThread } from '../reading/find-thread.ts';
import { PRESENCE_SECONDS, readTeamwork } from '../reading/read-teamwork.ts';
import type { ThreadTeamwork } from '../reading/thread-teamwork.schema.ts';

interface Presence {
  present: ThreadTeamwork['present'];
  /** Whether listening clients are told. */
  isNew: boolean;
}

export async function setPresence(
  db: Db,
  caller: Caller,
  threadId: string,
  state: Row<'thread_presence'>['state'],
): Promise<Presence> {
  return inTransaction(db, async (trx) => {
    const { id, mailbox_id: mailboxId } = await requireThread(trx, caller, threadId);
    const me = userKeyOf(caller);
    if (me === null) throw badRequest('Only people who are signed in can be present in a thread.');
    const { teamId } = caller;
    const { rows } = await sql<{ is_known: boolean }>`
      with before as (
        select state, seen_at from thread_presence
        where team_id = ${teamId} and thread_id = ${id} and user_id = ${me}
      ), after as (
        insert into thread_presence (team_id, thread_id, mailbox_id, user_id, state)
        values (${teamId}, ${id}, ${mailboxId}, ${me}, ${state})
        on conflict (team_id, thread_id, user_id) do update set state = excluded.state, seen_at = now()
      )
      select exists (
        select from before where state = ${state} and seen_at > now() - make_interval(secs => ${PRESENCE_SECONDS})
      ) as is_known
    `.execute(trx);
    // A heartbeat that changes nothing is no news.
    const isNew = !rows[0]!.is_known;
    if (isNew) await recordPresence(trx, { teamId, mailboxId, threadId: id });
    return { present: (await readTeamwork(trx, caller, [id])).get(id)?.present ?? [], isNew };
  });
}

/** The table has no foreign keys, so this also deletes the rows of threads that are gone. */
export async function dropOldPresence(db: Db): Promise<void> {
  await sql`delete from thread_presence where seen_at < now() - interval '1 day'`.execute(db);
}
