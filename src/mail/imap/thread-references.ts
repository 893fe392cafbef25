/**
 * The REFERENCES algorithm of THREAD (RFC 5256 section 3): a message is a child of its nearest reference, and threads
 * with the same base subject are joined. The numbers in comments are the steps of the RFC.
 */
import { byDate, type SortableMessage, type ThreadNode } from './sort-thread.ts';

interface Container extends ThreadNode {
  parent: Container | null;
  children: Container[];
  message: SortableMessage | null;
  /** True if it had children while the references were read. */
  isParent: boolean;
}

const MAX_LEVELS = 500;

export function threadByReferences(messages: SortableMessage[]): ThreadNode[] {
  const roots = prune(linkReferences(messages));
  for (const root of roots) setDate(root);
  const joined = joinBySubject(roots.toSorted(byDate));
  sortAll(joined);
  return joined.toSorted(byDate);
}

/** (1) and (2): returns the containers without a parent. */
function linkReferences(messages: SortableMessage[]): Container[] {
  const byId = new Map<string, Container>();
  const all: Container[] = [];
  function create(message: SortableMessage | null): Container {
    const { uid = null, sentAt = Infinity } = message ?? {};
    const container: Container = { uid, sentAt, message, parent: null, children: [], isParent: false };
    all.push(container);
    return container;
  }
  function find(id: string): Container {
    const found = byId.get(id) ?? create(null);
    byId.set(id, found);
    return found;
  }
  for (const message of messages) {
    // A message without an ID, or with the ID of another message, gets an ID that no message refers to.
    const known = message.messageId === null ? null : find(message.messageId);
    const own = known && known.message === null ? fill(known, message) : create(message);
    let ancestor: Container | null = null;
    for (const id of message.references) {
      const next = find(id);
      if (ancestor && next.parent === null && canBeChild(ancestor, next)) setParent(next, ancestor);
      ancestor = next;
    }
    // The message's own references take precedence over those of other messages.
    own.parent = null;
    if (ancestor && canBeChild(ancestor, own)) setParent(own, ancestor);
  }
  for (const container of all) container.parent?.children.push(container);
  return all.filter(({ parent }) => parent === null);
}

function fill(container: Container, message: SortableMessage): Container {
  return Object.assign(container, { message, uid: message.uid, sentAt: message.sentAt });
}

function setParent(child: Container, parent: Container): void {
  child.parent = parent;
  parent.isParent = true;
}

function adopt(parent: Container, child: Container): void {
  child.parent = parent;
  parent.children.push(child);
}

/**
 * False if the child is an ancestor of the parent, which would form a cycle, or if there are too many levels to tell.
 */
function canBeChild(parent: Container, child: Container): boolean {
  if (!child.isParent) return parent !== child;
  let at: Container | null = parent;
  for (let level = 0; at && level < MAX_LEVELS; level += 1) {
    if (at === child) return false;
    at = at.parent;
  }
  return at === null;
}

/** (3): removes containers without a message, except roots with several children. */
function prune(roots: Container[]): Container[] {
  const inOrder = listBelow(roots);
  // Start with the deepest, so that the children of a container are pruned before it.
  for (const container of inOrder.toReversed())
    container.children = container.children.flatMap((child) =>
      child.message === null ? child.children : child,
    );
  for (const container of inOrder) for (const child of container.children) child.parent = container;
  return roots.flatMap((root) => {
    if (root.message !== null || root.children.length > 1) return root;
    for (const child of root.children) child.parent = null;
    return root.children;
  });
}

/** Returns parents before their children. It is iterative, because a thread can have thousands of levels. */
function listBelow(roots: Container[]): Container[] {
  const found: Container[] = [];
  const stack = [...roots];
  for (let next = stack.pop(); next; next = stack.pop()) {
    found.push(next);
    for (const child of next.children) stack.push(child);
  }
  return found;
}

/** (4): a container without a message has the date of its first child. */
function setDate(root: Container): void {
  if (root.message !== null) return;
  root.children.sort(byDate);
  root.sentAt = root.children[0]?.sentAt ?? Infinity;
}

function sortAll(roots: Container[]): void {
  for (const container of listBelow(roots)) {
    container.children.sort(byDate);
    setDate(container);
  }
}

/** Returns the message that gives a thread its subject. */
function subjectOf(root: Container): SortableMessage | null {
  return root.message ?? root.children[0]?.message ?? null;
}

/** (5) */
function joinBySubject(roots: Container[]): Container[] {
  const table = new Map<string, Container>();
  for (const root of roots) {
    const { subject = '', isReply = false } = subjectOf(root) ?? {};
    if (subject === '') continue;
    const found = table.get(subject);
    const isBetter =
      !found ||
      (found.message !== null && root.message === null) ||
      (root.message !== null && subjectOf(found)!.isReply && !isReply);
    if (isBetter) table.set(subject, root);
  }
  const gone = new Set<Container>();
  const added: Container[] = [];
  for (const root of roots) {
    const { subject = '', isReply = false } = subjectOf(root) ?? {};
    const first = subject === '' ? root : table.get(subject)!;
    if (first === root) continue;
    gone.add(root);
    if (first.message === null && root.message === null)
      for (const child of root.children) adopt(first, child);
    else if (first.message === null || (isReply && !subjectOf(first)!.isReply)) adopt(first, root);
    else {
      const { sentAt } = first;
      const dummy: Container = {
        uid: null,
        sentAt,
        message: null,
        parent: null,
        children: [],
        isParent: true,
      };
      adopt(dummy, first);
      adopt(dummy, root);
      gone.add(first);
      added.push(dummy);
      table.set(subject, dummy);
    }
  }
  return [...roots, ...added].filter((root) => !gone.has(root));
}
