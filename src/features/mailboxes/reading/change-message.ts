/** Changes the flags, labels and folder of one message. */
import { recordLabelled } from '../activity/record-labelled.ts';
import { recordMoves } from './record-moves.ts';
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { reachColumns, requireReachable, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { changeFlags, type Flag } from '../storage/change-flags.ts';
import { moveMessages } from '../storage/move-messages.ts';
import { getMessage } from './messages.ts';
import type { Message, MessageUpdate } from './threads.schema.ts';

/** Reading marks messages as read. Everything else changes what others have to do. */
export function needToChange(update: MessageUpdate): 'read' | 'reply' {
  return Object.entries(update).some(([name, value]) => name !== 'read' && value !== undefined)
    ? 'reply'
    : 'read';
}

const FLAGS = ['read', 'starred', 'answered'] as const satisfies readonly Flag[];

export async function updateMessage(
  db: Db,
  caller: Caller,
  messageId: string,
  update: MessageUpdate,
): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const { teamId } = caller;
    const { rows } = await sql<Row<'messages', 'id' | 'mailbox_id' | 'thread_id' | 'labels'> & ReachRow>`
      select m.id, m.mailbox_id, m.thread_id, m.labels, ${reachColumns(caller)} from messages m
      join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
      where m.team_id = ${teamId} and m.id = ${decodeId('msg', messageId)}
    `.execute(trx);
    const row = rows[0];
    if (!row) throw notFound('Message');
    await requireReachable(trx, caller, row, 'Message', needToChange(update));
    const mailbox = { teamId, mailboxId: row.mailbox_id };
    const { folder, labels } = update;
    const add = { flags: FLAGS.filter((flag) => update[flag] === true), labels: labels ?? [] };
    const remove = {
      flags: FLAGS.filter((flag) => update[flag] === false),
      labels: labels ? row.labels.filter((label) => !labels.includes(label)) : [],
    };
    await changeFlags(trx, mailbox, [row.id], { add, remove });
    const added = add.labels.filter((label) => !row.labels.includes(label));
    await recordLabelled(trx, caller, row.mailbox_id, [row.thread_id], { added, removed: remove.labels });
    if (folder !== undefined) {
      const { moved } = await moveMessages(trx, mailbox, [row.id], folder);
      await recordMoves(trx, caller, row.mailbox_id, moved, folder);
    }
    return getMessage(trx, caller, messageId);
  });
}
