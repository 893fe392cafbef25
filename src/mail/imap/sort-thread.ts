/** Orders messages for SORT, groups them by subject for THREAD, and writes threads (RFC 5256). */

export interface SortableMessage {
  uid: number;
  /** INTERNALDATE. */
  arrivedAt: number;
  sentAt: number;
  size: number;
  /** The base subject. Like all texts here it is in upper case, because RFC 5051 compares in upper case. */
  subject: string;
  /** True if the subject marks a reply or a forwarded message. */
  isReply: boolean;
  /** The mailbox of the first address. */
  from: string;
  to: string;
  cc: string;
  /** The display name, or the address. */
  shownFrom: string;
  shownTo: string;
  messageId: string | null;
  /** Oldest ancestor first. */
  references: string[];
}

export const SORT_KEYS = [
  'ARRIVAL',
  'CC',
  'DATE',
  'FROM',
  'SIZE',
  'SUBJECT',
  'TO',
  'DISPLAYFROM',
  'DISPLAYTO',
] as const;
type SortName = (typeof SORT_KEYS)[number];
export interface SortKey {
  name: SortName;
  isReverse: boolean;
}

const VALUES: Record<SortName, (message: SortableMessage) => number | string> = {
  ARRIVAL: ({ arrivedAt }) => arrivedAt,
  CC: ({ cc }) => cc,
  DATE: ({ sentAt }) => sentAt,
  FROM: ({ from }) => from,
  SIZE: ({ size }) => size,
  SUBJECT: ({ subject }) => subject,
  TO: ({ to }) => to,
  DISPLAYFROM: ({ shownFrom }) => shownFrom,
  DISPLAYTO: ({ shownTo }) => shownTo,
};

/** Messages that are equal in all keys stay in the order of their UIDs. */
export function sortMessages(messages: SortableMessage[], keys: SortKey[]): SortableMessage[] {
  return messages.toSorted((one, other) => {
    for (const { name, isReverse } of keys) {
      const [a, b] = [VALUES[name](one), VALUES[name](other)];
      if (a !== b) return a < b === isReverse ? 1 : -1;
    }
    return one.uid - other.uid;
  });
}

export interface ThreadNode {
  /** Null for a message that is referenced but not among those found. */
  uid: number | null;
  sentAt: number;
  children: ThreadNode[];
}

/** ORDEREDSUBJECT: of the messages with the same subject, the earliest is the root and the others are its children. */
export function threadBySubject(messages: SortableMessage[]): ThreadNode[] {
  const bySubject = new Map<string, SortableMessage[]>();
  for (const message of sortMessages(messages, [{ name: 'DATE', isReverse: false }])) {
    const group = bySubject.get(message.subject);
    if (group) group.push(message);
    else bySubject.set(message.subject, [message]);
  }
  return [...bySubject.values()].map(([first, ...others]) => ({
    ...toNode(first!),
    children: others.map(toNode),
  }));
}

function toNode({ uid, sentAt }: SortableMessage): ThreadNode {
  return { uid, sentAt, children: [] };
}

/** Sorts by date, and messages of the same date by their UIDs. A missing message has the date of its first child. */
export function byDate(one: ThreadNode, other: ThreadNode): number {
  return one.sentAt - other.sentAt || placeOf(one) - placeOf(other);
}

function placeOf(node: ThreadNode): number {
  return node.uid ?? node.children[0]?.uid ?? 0;
}

/** Writes `(1 2 (3)(4 5))`. A chain of single replies is written flat, so that long threads are not nested deeply. */
export function writeThreads(roots: ThreadNode[], numberOf: (uid: number) => number): string {
  const pieces: string[] = [];
  // An explicit stack, because a thread can have thousands of levels.
  const stack: (ThreadNode | ')')[] = [];
  for (const root of roots.toReversed()) stack.push(root);
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (item === ')') {
      pieces.push(')');
      continue;
    }
    const chain: number[] = [];
    let node: ThreadNode = item;
    for (;;) {
      if (node.uid !== null) chain.push(numberOf(node.uid));
      if (node.children.length !== 1) break;
      node = node.children[0]!;
    }
    pieces.push(`(${chain.join(' ')}`);
    if (node.children.length > 0 && chain.length > 0) pieces.push(' ');
    stack.push(')');
    for (const child of node.children.toReversed()) stack.push(child);
  }
  return pieces.join('');
}
