/** Records that threads got or lost labels: in their activity, and for webhooks. */
import type { Db } from '../../../platform/database/database.ts';
import type { Actor } from './record-activity.ts';
import { recordHappenings } from './record-happening.ts';

/** Keywords. */
export interface LabelsChanged {
  added: readonly string[];
  removed: readonly string[];
}

/** The IDs are UUIDs. Without a change, nothing is recorded. */
export async function recordLabelled(
  trx: Db,
  actor: Actor,
  mailboxId: string,
  threadIds: readonly string[],
  { added, removed }: LabelsChanged,
): Promise<void> {
  if (added.length + removed.length === 0) return;
  await recordHappenings(trx, actor, mailboxId, threadIds, {
    type: 'labelled',
    data: { added, removed },
    event: { type: 'mailbox.thread.labelled', fields: { added, removed } },
  });
}
