/**
 * Reads the data that email apps show in a list of messages: flags, date, size, and texts of message_structures. All
 * messages come in two values, one of numbers and one of texts, because a row for each message costs more than its
 * contents.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { FLAG_BITS, toLabels } from './folder-flags.ts';
import { withUids } from './message-rows.ts';

/** Columns of message_structures. */
const COLUMNS = { header: 'header', envelope: 'envelope', body: 'body', bodyStructure: 'body_structure' };
export type ListedText = keyof typeof COLUMNS;

/** It has the requested texts, in Latin-1. */
interface ListedMessage extends Partial<Record<ListedText, string>> {
  uid: number;
  modseq: number;
  /** See `readFlagBits`. */
  flags: number;
  /** Undefined if it has none. */
  labels: string[] | undefined;
  size: number;
  /** The precision is one second. */
  createdAt: Date;
}

export interface ListedMessages {
  /** Sorted by UID. */
  messages: ListedMessage[];
  /**
   * The UIDs of messages that cannot be listed: the structure does not exist yet or is out of date, the message is a
   * draft, or a text is too long or contains NUL.
   */
  others: number[];
}

/** Messages with a longer text are read one by one, so that a batch stays small. */
const MAX_TEXT_BYTES = 32 * 1024;
const FIXED_BYTES = 28;
const LENGTH_BYTES = 4;

/** UIDs without a message are left out. */
export async function readListedMessages(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  uids: readonly number[],
  texts: readonly ListedText[],
): Promise<ListedMessages> {
  const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId}
    and ${withUids(uids)}`;
  const record = sql.join(
    [
      sql`int8send((uid << 8) | ${FLAG_BITS})`,
      sql`int8send(modseq)`,
      sql`int8send(floor(date_part('epoch', created_at))::bigint)`,
      sql`int4send(coalesce(${texts.length > 0 ? sql`s.size` : sql`m.size`}, -1))`,
      ...texts.map((text) => sql`int4send(coalesce(octet_length(s.${sql.ref(COLUMNS[text])}), -1))`),
    ],
    sql` || `,
  );
  const { rows } = await sql<{
    packed: Buffer | null;
    text: string | null;
    labels: Record<string, string[]> | null;
  }>`
    select string_agg(record, ''::bytea) as packed, convert_from(string_agg(bytes, ''::bytea), 'LATIN1') as text,
      json_object_agg(uid, labels) filter (where labels <> '{}') as labels
    from (
      select uid, labels, ${record} as record, ${texts.length > 0 ? joinTexts(texts) : sql`null::bytea`} as bytes
      from messages m ${texts.length > 0 ? structureOf(texts) : sql``}
      where ${own} order by uid
    ) listed
  `.execute(db);
  const { packed, text, labels } = rows[0]!;
  return unpack(packed ?? Buffer.alloc(0), text ?? '', { texts, labels: toLabels(labels) });
}

function joinTexts(texts: readonly ListedText[]) {
  return sql.join(
    texts.map((text) => sql`s.${sql.ref(COLUMNS[text])}`),
    sql` || `,
  );
}

/** OFFSET makes PostgreSQL look up each row by its key, because it does not know how few there are. */
function structureOf(texts: readonly ListedText[]) {
  const columns = texts.map((text) => sql.ref(COLUMNS[text]));
  const isShown = columns.map(
    (column) =>
      sql`octet_length(${column}) <= ${sql.lit(MAX_TEXT_BYTES)} and position('\\x00'::bytea in ${column}) = 0`,
  );
  return sql`left join lateral (
    select size, ${sql.join(columns)} from message_structures
    where team_id = m.team_id and message_id = m.id
      and source = coalesce(encode(m.raw_sha256, 'hex'), m.email_id::text) and ${sql.join(isShown, sql` and `)}
    offset 0
  ) s on true`;
}

function unpack(
  packed: Buffer,
  text: string,
  { texts, labels }: { texts: readonly ListedText[]; labels: Map<number, string[]> },
): ListedMessages {
  const messages: ListedMessage[] = [];
  const others: number[] = [];
  const recordBytes = FIXED_BYTES + texts.length * LENGTH_BYTES;
  let place = 0;
  for (let at = 0; at < packed.length; at += recordBytes) {
    const uid = packed.readUInt32BE(at + 3);
    const size = packed.readInt32BE(at + 24);
    if (size < 0) {
      others.push(uid);
      continue;
    }
    const message: ListedMessage = {
      uid,
      flags: packed[at + 7]!,
      modseq: readInt64(packed, at + 8),
      createdAt: new Date(readInt64(packed, at + 16) * 1_000),
      size,
      labels: labels.get(uid),
    };
    for (const [nth, name] of texts.entries()) {
      const length = packed.readInt32BE(at + FIXED_BYTES + nth * LENGTH_BYTES);
      message[name] = text.slice(place, (place += length));
    }
    messages.push(message);
  }
  return { messages, others };
}

function readInt64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
