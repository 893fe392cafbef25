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
  happening: Happening,
): Promise<void> {
  await recordHappenings(trx, actor, mailboxId, [threadId], happening);
  await recordThreadChanges(trx, actor.teamId, mailboxId, [threadId]);
}

/** The same for several threads, whose messages have changed: clients have been told of that. */
export async function recordHappenings(
  trx: Db,
  actor: Actor,
  mailboxId: string,
  threadIds: readonly string[],
  { type, data = {}, event }: Happening,
): Promise<void> {
  const activity = threadIds.map((threadId) => ({ mailboxId, threadId, type, data }));
  await recordActivity(trx, actor, activity);
  if (!event) return;
  const events = threadIds.map((threadId) => ({
    type: event.type,
    subjectId: threadId,
    data: { mailboxId },
    notice: {
      mailboxId: encodeId('mbx', mailboxId),
      threadId: encodeId('thr', threadId),
      by: actor.by,
      ...event.fields,
    },
  }));
  await recordEvents(trx, actor.teamId, events);
}
