/** Lists who did what in a thread. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
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
import { requireThread } from '../reading/find-thread.ts';
import { presentActor } from '../activity/present-actor.ts';
import type { ThreadActivity } from '../activity/activity.schema.ts';

type ActivityRow = Row<'mailbox_activity', 'id' | 'at' | 'actor' | 'actor_name' | 'type'> & {
  data: Record<string, unknown>;
};

/** Lists the newest first. */
export async function listActivity(
  db: Db,
  caller: Caller,
  threadId: string,
  page: PageRequest,
): Promise<Page<ThreadActivity>> {
  const thread = await requireThread(db, caller, threadId);
  const start = readPageStart('act', page);
  const { rows } = await sql<ActivityRow>`
    select id, at, actor, actor_name, type, data from mailbox_activity
    where team_id = ${caller.teamId} and thread_id = ${thread.id} and ${fromStart(start, 'id')}
    order by id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, ({ id, at, actor, actor_name, type, data }) => ({
    id: encodeId('act', id),
    type,
    actor: presentActor(actor, actor_name),
    by: actor,
    data,
    at: at.toISOString(),
  }));
}
