/** Senders that a mailbox does not want mail from. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { refuseTooMany } from '../mailboxes/limit-per-mailbox.ts';
import { MAX_BLOCKS, type BlockedSender, type BlockInput } from './blocks.schema.ts';

type BlockRow = Row<'mailbox_blocks', 'id' | 'entry' | 'action' | 'created_at'>;

const COLUMNS = sql`id, entry, action, created_at`;

/** Lists the newest first. */
export async function listBlocks(db: Db, caller: Caller, mailboxId: string): Promise<BlockedSender[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<BlockRow>`
    select ${COLUMNS} from mailbox_blocks where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id}
    order by id desc limit ${MAX_BLOCKS}
  `.execute(db);
  return rows.map(present);
}

/** Blocking a sender again changes the action. */
export async function blockSender(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { entry, action }: BlockInput,
): Promise<BlockedSender> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'settings');
    await refuseTooMany(
      trx,
      { teamId: caller.teamId, id: mailbox.id },
      {
        table: 'mailbox_blocks',
        most: MAX_BLOCKS,
        message: `A mailbox can have at most ${MAX_BLOCKS} blocked senders.`,
      },
    );
    const { rows } = await sql<BlockRow>`
      insert into mailbox_blocks (team_id, mailbox_id, id, entry, action, created_by)
      values (${caller.teamId}, ${mailbox.id}, ${newUuid()}, ${entry}, ${action}, ${caller.by})
      on conflict (team_id, mailbox_id, entry) do update set action = excluded.action
      returning ${COLUMNS}
    `.execute(trx);
    return present(rows[0]!);
  });
}

export async function unblockSender(
  db: Db,
  caller: Caller,
  mailboxId: string,
  blockId: string,
): Promise<void> {
  const mailbox = await requireMailbox(db, caller, mailboxId, 'settings');
  const { rows } = await sql`
    delete from mailbox_blocks
    where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('blk', blockId)}
    returning 1
  `.execute(db);
  if (rows.length === 0) throw notFound('Blocked sender');
}

function present({ id, entry, action, created_at }: BlockRow): BlockedSender {
  return { id: encodeId('blk', id), entry, action, created_at: created_at.toISOString() };
}
