/** What moves or marks whole threads: one, or many in one statement for each table. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { decodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { noteThreadsChanged } from './events.ts';
import { requireThread } from './find-thread.ts';
import type { ManyThreadsUpdate, ManyThreadsUpdated, ThreadUpdate } from './threads.schema.ts';

/** Every message of it at once. */
export async function updateThread(
  db: Db,
  caller: Caller,
  threadId: string,
  update: ThreadUpdate,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id, mailbox_id } = await requireThread(trx, caller, threadId, 'for update');
    await changeRows(trx, caller.teamId, mailbox_id, [id], update);
  });
}

/** Those that are there, all of them together; the others are named. */
export async function updateThreads(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { ids, ...update }: ManyThreadsUpdate,
): Promise<ManyThreadsUpdated> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const found = await lockThreads(trx, caller.teamId, mailbox.id, ids);
    await changeRows(trx, caller.teamId, mailbox.id, [...new Set(found.values())], update);
    const notFound = [...new Set(ids)].filter((id) => !found.has(id));
    return { success: notFound.length === 0, not_found: notFound };
  });
}

/** Which row each of these ids means, also that of a thread that became part of another. Locked in one order. */
export async function lockThreads(
  trx: Db,
  teamId: number,
  mailboxId: string,
  threadIds: readonly string[],
): Promise<Map<string, string>> {
  const keyOf = new Map<string, string>();
  for (const threadId of threadIds) {
    const key = decodeId('thr', threadId);
    if (key) keyOf.set(threadId, key);
  }
  const { rows } = await sql<{ asked: string; id: string }>`
    with asked as (
      select a.id as asked, coalesce(into_id, a.id) as id from unnest(${[...keyOf.values()]}::uuid[]) as a (id)
      left join merged_threads m on m.team_id = ${teamId} and m.id = a.id
    ), locked as materialized (
      select t.id from threads t
      where t.team_id = ${teamId} and t.mailbox_id = ${mailboxId} and t.id in (select asked.id from asked)
      order by t.id for update
    )
    select asked.asked, asked.id from asked join locked using (id)
  `.execute(trx);
  const rowOf = new Map(rows.map(({ asked, id }) => [asked, id]));
  return new Map(
    [...keyOf].flatMap(([threadId, key]) => (rowOf.has(key) ? [[threadId, rowOf.get(key)!]] : [])),
  );
}

async function changeRows(
  trx: Db,
  teamId: number,
  mailboxId: string,
  ids: string[],
  { read, folder }: ThreadUpdate,
): Promise<void> {
  if (read !== undefined) {
    await sql`
      update messages set read = ${read}
      where team_id = ${teamId} and thread_id = any(${ids}::uuid[]) and read <> ${read}
    `.execute(trx);
  }
  await sql`
    update threads set folder = ${folder ?? sql`folder`},
      unread_count = ${read === undefined ? sql`unread_count` : read ? 0 : sql`message_count`}
    where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(trx);
  await noteThreadsChanged(trx, teamId, mailboxId, ids);
}
