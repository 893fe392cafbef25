/** Records what is seen of moved messages: the activity of their threads, and the event for webhooks. */
import type { Db } from '../../../platform/database/database.ts';
import type { Actor } from '../activity/record-activity.ts';
import { recordHappenings } from '../activity/record-happening.ts';
import type { MovedMessage } from '../storage/move-messages.ts';

/** A thread may have messages in several folders. What people wrote themselves does not say where it was. */
const OWN = ['sent', 'drafts'];

/** UUIDs. */
export async function recordMoves(
  trx: Db,
  actor: Actor,
  mailboxId: string,
  moved: readonly Pick<MovedMessage, 'threadId' | 'fromFolder'>[],
  folder: string,
): Promise<void> {
  const before = new Map<string, string>();
  for (const { threadId, fromFolder } of moved) {
    const known = before.get(threadId);
    if (known === undefined || OWN.includes(known)) before.set(threadId, fromFolder);
  }
  for (const previousFolder of new Set(before.values())) {
    const threadIds = [...before].filter(([, from]) => from === previousFolder).map(([id]) => id);
    await recordHappenings(trx, actor, mailboxId, threadIds, {
      type: 'moved',
      data: { folder },
      event: { type: 'mailbox.thread.moved', fields: { folder, previousFolder } },
    });
  }
}
