/** What the readers of messages offer to their writer. A reader leaves out what nobody has asked for. */
import { toFlagBits } from '../../features/mailboxes/email-apps/folder-flags.ts';
import type { ListedText } from '../../features/mailboxes/email-apps/listed-messages.ts';
import type { ProgramMessage } from '../../features/mailboxes/email-apps/message-rows.ts';
import type { MimePart } from '../../mail/mime/parse/mime-tree.ts';

/** Texts are Latin-1. A message that was deleted in the meantime has none. */
export interface FetchedMessage extends Partial<Record<ListedText, string>> {
  uid: number;
  modseq: number;
  /** See `readFlagBits`. */
  flags: number;
  /** Undefined if it has none. */
  labels: string[] | undefined;
  createdAt?: Date;
  size?: number;
  row?: ProgramMessage;
  /** Null if the message was deleted in the meantime, or its bytes are lost. */
  source?: Buffer | null;
  tree?: MimePart;
  /** True if this FETCH has marked it as read. */
  isMarked?: boolean;
}

/** A message with its row, of which the reader needs more than the writer. */
export type RowMessage<Row extends ProgramMessage = ProgramMessage> = FetchedMessage & { row: Row };

export function toFetched<Row extends ProgramMessage>(row: Row): RowMessage<Row> {
  const { uid, modseq, labels, createdAt, size } = row;
  return {
    uid,
    modseq,
    flags: toFlagBits(row),
    labels: labels.length > 0 ? labels : undefined,
    createdAt,
    size: size ?? 0,
    row,
  };
}
