/** Labels whole threads: all their messages get or lose the keywords. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { recordLabelled } from '../activity/record-labelled.ts';
import { requireThread, type ThreadRow } from '../reading/find-thread.ts';
import { presentThread } from '../reading/present-thread.ts';
import type { Thread } from '../reading/threads.schema.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { toKeywords } from './labels.ts';
import { MAX_LABELS_OF_THREAD } from './labels.schema.ts';

/** Replaces the labels of the thread. They are given by their IDs or keywords. */
export async function setThreadLabels(
  db: Db,
  caller: Caller,
  threadId: string,
  labels: readonly string[],
): Promise<Thread> {
  return changeThread(db, caller, threadId, async (trx, thread, before) => {
    const wanted = await toKeywords(trx, refOf(caller, thread), labels);
    return {
      add: wanted.filter((keyword) => !before.includes(keyword)),
      remove: before.filter((keyword) => !wanted.includes(keyword)),
    };
  });
}

/** Adds and removes labels, which are given by their IDs or keywords. A label that is in both is removed. */
export async function labelThread(
  db: Db,
  caller: Caller,
  threadId: string,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<Thread> {
  return changeThread(db, caller, threadId, async (trx, thread, before) => {
    const mailbox = refOf(caller, thread);
    const removed = await toKeywords(trx, mailbox, remove);
    const added = await toKeywords(trx, mailbox, add);
    return {
      add: added.filter((keyword) => !before.includes(keyword) && !removed.includes(keyword)),
      remove: removed.filter((keyword) => before.includes(keyword)),
    };
  });
}

interface LabelChange {
  add: string[];
  remove: string[];
}

async function changeThread(
  db: Db,
  caller: Caller,
  threadId: string,
  decide: (trx: Db, thread: ThreadRow, before: string[]) => Promise<LabelChange>,
): Promise<Thread> {
  return inTransaction(db, async (trx) => {
    const thread = await requireThread(trx, caller, threadId, 'for update', 'reply');
    const { rows } = await sql<Row<'messages', 'id' | 'labels'>>`
      select id, labels from messages where team_id = ${caller.teamId} and thread_id = ${thread.id}
    `.execute(trx);
    const before = [...new Set(rows.flatMap(({ labels }) => labels))];
    const { add, remove } = await decide(trx, thread, before);
    if (before.length - remove.length + add.length > MAX_LABELS_OF_THREAD)
      throw badRequest(`A thread can have at most ${MAX_LABELS_OF_THREAD} labels.`);
    if (add.length + remove.length > 0) {
      const ids = rows.map(({ id }) => id);
      await changeFlags(trx, refOf(caller, thread), ids, {
        add: { labels: add },
        remove: { labels: remove },
      });
      await recordLabelled(trx, caller, thread.mailbox_id, [thread.id], { added: add, removed: remove });
    }
    return presentThread(trx, caller, thread);
  });
}

function refOf({ teamId }: Caller, { mailbox_id: mailboxId }: ThreadRow) {
  return { teamId, mailboxId };
}
