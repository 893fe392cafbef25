/** Tells webhooks of mailboxes, threads and drafts, in the transaction of the change. The activity shows none of these. */
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { recordEvents, type EventToRecord } from '../../events/record-events.ts';
import type { Actor } from './record-activity.ts';

/** UUIDs. */
interface NamedMailbox {
  id: string;
  address: string;
}

export async function recordMailboxEvent(
  trx: Db,
  { teamId, by }: Actor,
  ending: 'created' | 'updated' | 'deleted',
  { id, address }: NamedMailbox,
): Promise<void> {
  const notice = { mailboxId: encodeId('mbx', id), address, by };
  await recordEvents(trx, teamId, [
    { type: `mailbox.${ending}`, subjectId: id, notice, forWebhooksOnly: true },
  ]);
}

/** UUIDs. */
interface MessageRef {
  mailboxId: string;
  threadId: string;
  messageId: string;
}

/** Drafts are saved often, so the stream does not keep their events. */
export async function recordDraftEvent(
  trx: Db,
  { teamId, by }: Actor,
  ending: 'created' | 'updated' | 'sent' | 'deleted',
  { mailboxId, threadId, messageId: draftId }: MessageRef,
): Promise<void> {
  // A draft keeps its ID when it is sent.
  const messageId = ending === 'sent' ? { messageId: encodeId('msg', draftId) } : {};
  const notice = {
    ...presentRef({ mailboxId, threadId }),
    by,
    draftId: encodeId('msg', draftId),
    ...messageId,
  };
  await recordEvents(trx, teamId, [
    { type: `mailbox.draft.${ending}`, subjectId: draftId, notice, forWebhooksOnly: true },
  ]);
}

/** The stream has the message itself. */
export function threadEvent(
  type: 'mailbox.thread.created' | 'mailbox.thread.received',
  by: string | null,
  { mailboxId, threadId, messageId }: MessageRef,
): EventToRecord {
  const notice = { ...presentRef({ mailboxId, threadId }), by, messageId: encodeId('msg', messageId) };
  return { type, subjectId: threadId, notice, forWebhooksOnly: true };
}

function presentRef({ mailboxId, threadId }: Omit<MessageRef, 'messageId'>) {
  return { mailboxId: encodeId('mbx', mailboxId), threadId: encodeId('thr', threadId) };
}
