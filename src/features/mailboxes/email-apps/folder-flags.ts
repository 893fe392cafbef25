/** Reads the flags of many messages, from the index messages_uid alone. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

export interface FlaggedMessage {
  read: boolean;
  starred: boolean;
  answered: boolean;
  draft: boolean;
  deleted: boolean;
  labels: string[];
}

/** The flags are sorted by UID. There is no object for each message, because there may be a hundred thousand. */
export interface FolderFlags {
  uids: Uint32Array;
  /** See `readFlagBits`. */
  bits: Uint8Array;
  /** The change numbers of the messages. Null if the caller does not need them. */
  modseqs: Float64Array | null;
  /** Labels by UID, only for messages that have labels. */
  labels: Map<number, string[]>;
}

/** The five flags as bits, in SQL. */
export const FLAG_BITS = sql<number>`(read::integer | (starred::integer << 1) | (answered::integer << 2)
  | (draft::integer << 3) | (deleted::integer << 4))`;
/** The number of different sets of flags. */
export const FLAG_SETS = 32;

export function readFlagBits(bits: number, labels: string[]): FlaggedMessage {
  return {
    read: (bits & 1) !== 0,
    starred: (bits & 2) !== 0,
    answered: (bits & 4) !== 0,
    draft: (bits & 8) !== 0,
    deleted: (bits & 16) !== 0,
    labels,
  };
}

export function toFlagBits(message: Omit<FlaggedMessage, 'labels'>): number {
  const { read, starred, answered, draft, deleted } = message;
  return (
    Number(read) |
    (Number(starred) << 1) |
    (Number(answered) << 2) |
    (Number(draft) << 3) |
    (Number(deleted) << 4)
  );
}

/** All flags come in one value, because reading a hundred thousand rows takes a second. */
export async function readFlags(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
  { from, to, withModseq }: { from: number; to: number; withModseq: boolean },
): Promise<FolderFlags> {
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId}
    and uid between ${from} and ${to}`;
  const record = sql`int8send((uid << 8) | ${FLAG_BITS})`;
  const { rows } = await sql<{ packed: Buffer | null; labels: Record<string, string[]> | null }>`
    select string_agg(${withModseq ? sql`${record} || int8send(modseq)` : record}, ''::bytea) as packed,
      (select json_object_agg(uid, labels) from messages where ${own} and labels <> '{}') as labels
    from (select uid, modseq, read, starred, answered, draft, deleted from messages where ${own} order by uid) m
  `.execute(db);
  return unpack(rows[0]!.packed ?? Buffer.alloc(0), withModseq, rows[0]!.labels);
}

function unpack(
  packed: Buffer,
  withModseq: boolean,
  labelled: Record<string, Row<'messages'>['labels']> | null,
): FolderFlags {
  const size = withModseq ? 16 : 8;
  const count = packed.length / size;
  const uids = new Uint32Array(count);
  const bits = new Uint8Array(count);
  const modseqs = withModseq ? new Float64Array(count) : null;
  for (let at = 0, offset = 0; at < count; at += 1, offset += size) {
    uids[at] = packed.readUInt32BE(offset + 3);
    bits[at] = packed[offset + 7]!;
    if (modseqs) modseqs[at] = packed.readUInt32BE(offset + 8) * 2 ** 32 + packed.readUInt32BE(offset + 12);
  }
  return { uids, bits, modseqs, labels: toLabels(labelled) };
}

/** Converts an object whose keys are UIDs. */
export function toLabels(labelled: Record<string, string[]> | null): Map<number, string[]> {
  return new Map(Object.entries(labelled ?? {}).map(([uid, labels]) => [Number(uid), labels]));
}
