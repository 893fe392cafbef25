/** Builds the responses of SORT and THREAD from the columns of the messages. */
import { parseMailbox } from '../mime/address.ts';
import { baseSubject, isReplySubject } from '../mime/threading.ts';
import {
  sortMessages,
  threadBySubject,
  writeThreads,
  type SortableMessage,
  type SortKey,
} from './sort-thread.ts';
import { threadByReferences } from './thread-references.ts';

export type MessageOrder =
  { kind: 'sort'; keys: SortKey[] } | { kind: 'thread'; algorithm: 'REFERENCES' | 'ORDEREDSUBJECT' };

/** Values that the order does not need are null. Times are in milliseconds. */
type OrderRow = [
  uid: number,
  arrivedAt: number,
  sentAt: number,
  size: number | null,
  subject: string | null,
  sender: string | null,
  to: string | null,
  cc: string | null,
  messageId: string | null,
  references: string[] | null,
  more: MoreAddresses | null,
];

/** The first address of each field, where its column is not enough: a group, or several authors. */
type MoreAddresses = Partial<Record<'from' | 'to' | 'cc', { mailbox: string; shown: string }>>;

export interface OrderInput {
  /** Lists of rows as JSON, in the order of their UIDs. */
  batches: string[];
  order: MessageOrder;
  /** The UIDs of all messages of the folder if the response has message numbers; null if it has UIDs. */
  folderUids: Uint32Array | null;
}

/** Returns the text after `* SORT ` or `* THREAD `. */
export function writeOrder({ batches, order, folderUids }: OrderInput): string {
  const messages = batches.flatMap((rows) => (JSON.parse(rows) as OrderRow[]).map(toSortable));
  const numbers = folderUids && new Map(Array.from(folderUids, (uid, at) => [uid, at + 1]));
  const numberOf = (uid: number) => numbers?.get(uid) ?? uid;
  if (order.kind === 'sort')
    return sortMessages(messages, order.keys)
      .map(({ uid }) => numberOf(uid))
      .join(' ');
  const roots = order.algorithm === 'REFERENCES' ? threadByReferences(messages) : threadBySubject(messages);
  return writeThreads(roots, numberOf);
}

function toSortable([
  uid,
  arrivedAt,
  sentAt,
  size,
  subject,
  sender,
  to,
  cc,
  messageId,
  references,
  more,
]: OrderRow): SortableMessage {
  return {
    uid,
    arrivedAt,
    sentAt,
    size: size ?? 0,
    subject: subject === null ? '' : baseSubject(subject).toUpperCase(),
    isReply: subject !== null && isReplySubject(subject),
    from: more?.from?.mailbox.toUpperCase() ?? localPart(sender),
    to: more?.to?.mailbox.toUpperCase() ?? localPart(to),
    cc: more?.cc?.mailbox.toUpperCase() ?? localPart(cc),
    shownFrom: more?.from?.shown.toUpperCase() ?? shownName(sender),
    shownTo: more?.to?.shown.toUpperCase() ?? shownName(to),
    messageId,
    references: references ?? [],
  };
}

/** RFC 5256 section 3 compares the part before the @ of the first address. */
function localPart(person: string | null): string {
  if (person === null) return '';
  const address = parseMailbox(person)?.key ?? '';
  return address.slice(0, address.lastIndexOf('@')).toUpperCase();
}

/** RFC 5957 compares the display name, or the address if there is none. */
function shownName(person: string | null): string {
  if (person === null) return '';
  const mailbox = parseMailbox(person);
  return (mailbox?.name ?? mailbox?.email ?? '').toUpperCase();
}
