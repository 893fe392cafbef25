/** Reads messages of a folder together with their bytes, so that a small message takes one round trip. */
import { statement, toNumberArray, type Db } from '../../../platform/database/database.ts';
import { decompressNow } from '../../../platform/compress.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { MESSAGE_COLUMNS, type ProgramMessage } from './message-rows.ts';

export interface WholeMessage extends ProgramMessage {
  /** Null for a message that `readSource` must read: a large one, or one whose bytes are stored elsewhere. */
  bytes: Row<'blobs'>['bytes'];
}

interface WholeMessages {
  /** Sorted by UID. */
  messages: WholeMessage[];
  /** The change number of the mailbox at this time. Null if there are no messages. */
  modseq: number | null;
}

/** Maximum total size of the messages whose bytes one statement reads. */
const MAX_BYTES = 256 * 1024;

/** Leaves out UIDs without a message, and messages that have not changed since `changedSince`. */
export async function readWholeMessages(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
  uids: readonly number[],
  changedSince: number | null = null,
): Promise<WholeMessages> {
  if (uids.length === 0) return { messages: [], modseq: null };
  // OFFSET makes PostgreSQL look up each blob by its key, because it does not know how few there are.
  const rows = await statement<
    WholeMessage & {
      inflatedSize: Row<'blobs'>['inflated_size'];
      mailboxModseq: Row<'mailbox_change_numbers'>['modseq'] | null;
    }
  >(db)`
    select m.*, b.bytes, b."inflatedSize", (
      select modseq from mailbox_change_numbers where team_id = ${teamId} and mailbox_id = ${mailboxId}
    ) as "mailboxModseq"
    from (
      select ${MESSAGE_COLUMNS}, sum(size) over (order by uid) as "sizeSoFar" from messages
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId}
        and uid = any(${toNumberArray(uids, (uid) => uid)}::bigint[]) and modseq > ${changedSince ?? -1}
    ) m left join lateral (
      select bytes, inflated_size as "inflatedSize" from blobs where team_id = ${teamId} and sha256 = m."rawHash" offset 0
    ) b on m."sizeSoFar" <= ${MAX_BYTES}
    order by m.uid`;
  for (const row of rows) if (row.bytes) row.bytes = decompressNow({ ...row, bytes: row.bytes });
  return { messages: rows, modseq: rows[0]?.mailboxModseq ?? null };
}
