/**
 * Records what happened to a thread, in the transaction of the change: the activity that people read, the event for
 * webhooks, and the update for listening clients.
 */
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { EventType } from '../../events/event-types.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { recordEvents } from '../../events/record-events.ts';
import type { ActivityType } from './activity.schema.ts';
import { recordActivity, type Actor } from './record-activity.ts';

/** UUIDs. */
export interface ThreadRef {
  mailboxId: string;
  threadId: string;
}

type ThreadEventType = Extract<EventType, `mailbox.thread.${string}` | 'mailbox.note.created'>;

export interface Happening {
  type: ActivityType;
  /** The details that the activity shows, with public IDs. */
  data?: Record<string, unknown>;
  /** Null if webhooks are not told. */
  event: { type: ThreadEventType; fields: Record<string, unknown> } | null;
}

export async function recordHappening(
  trx: Db,
  actor: Actor,
  { mailboxId, threadId }: ThreadRef,
  { type, data = {}, event }: Happening,
): Promise<void> {
  await recordActivity(trx, actor, [{ mailboxId, threadId, type, data }]);
  await recordThreadChanges(trx, actor.teamId, mailboxId, [threadId]);
  if (!event) return;
  const ids = { mailboxId: encodeId('mbx', mailboxId), threadId: encodeId('thr', threadId) };
  await recordEvents(trx, actor.teamId, [
    {
      type: event.type,
      subjectId: threadId,
      data: { mailboxId },
      notice: { ...ids, by: actor.by, ...event.fields },
    },
  ]);
}
