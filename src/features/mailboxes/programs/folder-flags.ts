/** The flags of many messages at once, from the index messages_uid alone. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database.ts';
import type { Row } from '../../../platform/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

export interface FlaggedMessage {
  uid: number;
  modseq: number;
  read: boolean;
  starred: boolean;
  answered: boolean;
  draft: boolean;
  deleted: boolean;
  labels: string[];
}

const HALF = 0x8000_0000;
const RECORD_BYTES = 12;
/** Each record is a UID and a number: the change number, and below it a bit for each flag. */
const FLAG_BITS = 5;
const NO_LABELS: string[] = [];

/** In the order of their UIDs. They come in one value, because reading a hundred thousand rows takes a second. */
export async function readFlags(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
  { from, to }: { from: number; to: number },
): Promise<FlaggedMessage[]> {
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId}
    and uid between ${from} and ${to}`;
  const [{ rows }, { rows: labelled }] = await Promise.all([
    sql<{ packed: Buffer | null }>`
      select string_agg(int4send((uid - ${HALF}::bigint)::integer) || int8send(modseq * 32 + read::integer
        + starred::integer * 2 + answered::integer * 4 + draft::integer * 8 + deleted::integer * 16), ''::bytea) as packed
      from (select uid, modseq, read, starred, answered, draft, deleted from messages where ${own} order by uid) m
    `.execute(db),
    sql<Row<'messages', 'uid' | 'labels'>>`
      select uid, labels from messages where ${own} and labels <> '{}'
    `.execute(db),
  ]);
  return unpack(
    rows[0]!.packed ?? Buffer.alloc(0),
    new Map(labelled.map(({ uid, labels }) => [uid, labels])),
  );
}

function unpack(packed: Buffer, labels: Map<number, string[]>): FlaggedMessage[] {
  const messages: FlaggedMessage[] = [];
  for (let at = 0; at < packed.length; at += RECORD_BYTES) {
    const uid = packed.readInt32BE(at) + HALF;
    const [high, low] = [packed.readUInt32BE(at + 4), packed.readUInt32BE(at + 8)];
    messages.push({
      uid,
      modseq: high * 2 ** (32 - FLAG_BITS) + (low >>> FLAG_BITS),
      read: (low & 1) !== 0,
      starred: (low & 2) !== 0,
      answered: (low & 4) !== 0,
      draft: (low & 8) !== 0,
      deleted: (low & 16) !== 0,
      labels: labels.get(uid) ?? NO_LABELS,
    });
  }
  return messages;
}
