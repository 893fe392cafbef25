/**
 * Changes of messages by email apps, with what the team sees of them: the activity of the threads, and the events for
 * webhooks. Webmail and the API record theirs per thread (reading/change-threads.ts).
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { appActor } from '../activity/record-activity.ts';
import { recordLabelled } from '../activity/record-labelled.ts';
import { needOfFlags } from '../access/message-needs.ts';
import { refuseOthersDrafts } from '../writing/draft-owner.ts';
import { recordMoves } from '../reading/record-moves.ts';
import { changeFlags, type FlagChange, type FlagsChanged } from '../storage/change-flags.ts';
import { moveMessages, type MessagesMoved } from '../storage/move-messages.ts';

/** The login of an email app. The UUIDs of the rows; `userId` is null if an API key made the password. */
export interface AppLogin {
  teamId: number;
  mailboxId: string;
  userId: string | null;
}

/** Larger changes are those of a clean-up, which nobody reads in the activity of each thread. */
const MOST_RECORDED = 1_000;
/** Keywords that email apps set for themselves (RFC 5788). They are no labels. */
const OF_APPS = /^(?:\$|(?:non|not)?junk$)/i;

export async function moveByApp(
  db: Db,
  login: AppLogin,
  messageIds: readonly string[],
  folder: string,
  options: { renumbers?: boolean } = {},
): Promise<MessagesMoved> {
  return inTransaction(db, async (trx) => {
    await refuseOthersDrafts(trx, login, messageIds);
    const result = await moveMessages(trx, login, messageIds, folder, options);
    const moved = result.moved.filter(({ fromFolder }) => fromFolder !== folder);
    if (moved.length <= MOST_RECORDED)
      await recordMoves(trx, appActor(login), login.mailboxId, moved, folder);
    return result;
  });
}

export async function changeFlagsByApp(
  db: Db,
  login: AppLogin,
  messageIds: readonly string[],
  change: FlagChange,
  options: { unchangedSince?: number } = {},
): Promise<FlagsChanged> {
  // Reading marks a draft as read, whoever wrote it.
  if (needOfFlags('drafts', change) !== 'read') await refuseOthersDrafts(db, login, messageIds);
  if (!concernsLabels(change) || messageIds.length > MOST_RECORDED)
    return changeFlags(db, login, messageIds, change, options);
  return inTransaction(db, async (trx) => {
    const before = await readLabels(trx, login, messageIds);
    const result = await changeFlags(trx, login, messageIds, change, options);
    const ids = result.changed.map(({ id }) => id);
    await recordLabels(trx, login, before, await readLabels(trx, login, ids));
    return result;
  });
}

function concernsLabels(change: FlagChange): boolean {
  if ('set' in change) return true;
  const named = [...(change.add?.labels ?? []), ...(change.remove?.labels ?? [])];
  return named.some((label) => !OF_APPS.test(label));
}

type Labelled = Row<'messages', 'id' | 'thread_id' | 'labels'>;

async function readLabels(
  trx: Db,
  { teamId, mailboxId }: AppLogin,
  messageIds: readonly string[],
): Promise<Map<string, Labelled>> {
  const { rows } = await sql<Labelled>`
    select id, thread_id, labels from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = any(${messageIds}::uuid[])
  `.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Threads with the same change are recorded together. */
async function recordLabels(
  trx: Db,
  login: AppLogin,
  before: ReadonlyMap<string, Labelled>,
  after: ReadonlyMap<string, Labelled>,
): Promise<void> {
  const changes = new Map<string, { added: Set<string>; removed: Set<string> }>();
  for (const [id, { thread_id: threadId, labels }] of after) {
    const had = before.get(id)?.labels ?? [];
    const change = changes.get(threadId) ?? { added: new Set(), removed: new Set() };
    for (const label of labels) if (!had.includes(label) && !OF_APPS.test(label)) change.added.add(label);
    for (const label of had) if (!labels.includes(label) && !OF_APPS.test(label)) change.removed.add(label);
    changes.set(threadId, change);
  }
  const groups = new Map<string, { added: string[]; removed: string[]; threadIds: string[] }>();
  for (const [threadId, change] of changes) {
    const [added, removed] = [[...change.added].toSorted(), [...change.removed].toSorted()];
    const key = JSON.stringify([added, removed]);
    const group = groups.get(key) ?? { added, removed, threadIds: [] };
    group.threadIds.push(threadId);
    groups.set(key, group);
  }
  for (const { added, removed, threadIds } of groups.values())
    await recordLabelled(trx, appActor(login), login.mailboxId, threadIds, { added, removed });
}
