/** Sending with a saved reply adds its files to the message, and does its actions to the thread. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest, invalidField } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { MAX_ATTACHMENTS, MAX_CONTENT_BYTES } from '../../sending/emails/emails.schema.ts';
import { recordLabelled } from '../activity/record-labelled.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { recordMoves } from '../reading/record-moves.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { moveMessages } from '../storage/move-messages.ts';
import type { StoredFile } from '../storage/store-message.ts';
import { setAssignee } from '../teamwork/assign.ts';
import { readReplyFiles } from './reply-files.ts';
import type { SavedReplyAction } from './saved-replies.schema.ts';

export interface UsedReply {
  files: StoredFile[];
  actions: SavedReplyAction[];
}

const NOTHING: UsedReply = { files: [], actions: [] };

export async function readUsedReply(
  trx: Db,
  teamId: number,
  mailboxId: string,
  replyId: string | null | undefined,
): Promise<UsedReply> {
  if (!replyId) return NOTHING;
  const { rows } = await sql<Row<'saved_replies', 'id'> & { actions: SavedReplyAction[] }>`
    select id, actions from saved_replies
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${decodeId('srp', replyId)}
  `.execute(trx);
  const reply = rows[0];
  if (!reply) throw invalidField('saved_reply_id', 'must be a saved reply of this mailbox');
  return {
    files: await readReplyFiles(trx, { teamId, mailboxId, replyId: reply.id }),
    actions: reply.actions,
  };
}

export function joinFiles(own: StoredFile[], added: StoredFile[]): StoredFile[] {
  if (added.length === 0) return own;
  const files = [...own, ...added];
  if (files.length > MAX_ATTACHMENTS)
    throw badRequest(`A message can have at most ${MAX_ATTACHMENTS} files with those of the saved reply.`);
  if (files.reduce((sum, { content }) => sum + content.length, 0) > MAX_CONTENT_BYTES)
    throw badRequest('Attachments can be at most 25 MiB in total with those of the saved reply.');
  return files;
}

/** The caller must have locked the thread, or just made it. A person who has lost access is not assigned. */
export async function doActions(
  trx: Db,
  caller: Caller,
  { mailboxId, threadId }: { mailboxId: string; threadId: string },
  actions: readonly SavedReplyAction[],
): Promise<void> {
  if (actions.length === 0) return;
  const mailbox = { teamId: caller.teamId, mailboxId };
  for (const action of actions) {
    if (action.type === 'assign') {
      const userKey = action.user_id === 'me' ? userKeyOf(caller) : decodeId('usr', action.user_id);
      if (userKey !== null) await setAssignee(trx, caller, { mailboxId, threadId }, userKey);
      continue;
    }
    const { rows } = await sql<Row<'messages', 'id' | 'folder'>>`
      select id, folder from messages where team_id = ${caller.teamId} and thread_id = ${threadId}
    `.execute(trx);
    const idsOf = (messages: typeof rows) => messages.map(({ id }) => id);
    if (action.type === 'label') {
      const added = [action.value];
      const { changed } = await changeFlags(trx, mailbox, idsOf(rows), { add: { labels: added } });
      if (changed.length > 0)
        await recordLabelled(trx, caller, mailboxId, [threadId], { added, removed: [] });
    } else {
      const inInbox = idsOf(rows.filter(({ folder }) => folder === 'inbox'));
      const { moved } = await moveMessages(trx, mailbox, inInbox, 'archive');
      await recordMoves(trx, caller, mailboxId, moved, 'archive');
    }
  }
}
