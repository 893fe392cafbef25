/**
 * The folder that a client has open, with the message number of each UID. The numbers change only when the client is
 * notified (RFC 9051 section 7.5.1), so deleted messages stay in the list until then.
 */
import type { FolderView } from '../../features/mailboxes/email-apps/folder-view.ts';
import type { RecentRange } from '../../features/mailboxes/email-apps/recent-messages.ts';
import type { FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import { isInRanges, resolveRanges, type SequenceSet } from '../../mail/imap/sequence-set.ts';

export class SelectedFolder {
  readonly folder: FolderRow;
  readonly isReadOnly: boolean;
  /** The change number up to which changes have been reported. */
  modseq: number;
  uids: Uint32Array;
  /** Deleted messages that have not been reported to the client yet. */
  readonly vanished = new Set<number>();
  /** Labels that the client has seen in FLAGS. */
  readonly keywords: Set<string>;
  /** The messages that are \Recent in this session, in increasing order. Always empty in IMAP4rev2. */
  recent: RecentRange[] = [];
  /** The number of recent messages that was last sent to the client. */
  toldRecent = 0;

  constructor({ folder, uids, modseq }: FolderView, isReadOnly: boolean, keywords: string[]) {
    this.folder = folder;
    this.uids = uids;
    this.modseq = modseq;
    this.isReadOnly = isReadOnly;
    this.keywords = new Set(keywords);
  }

  /** Returns the number of a message, or 0. */
  numberOf(uid: number): number {
    const at = lowerBound(this.uids, uid);
    return this.uids[at] === uid ? at + 1 : 0;
  }

  /** Returns the numbers of messages in the order of their UIDs. All must be in the list. */
  numbersOf(uids: Uint32Array): Uint32Array {
    let place = uids.length > 0 ? this.numberOf(uids[0]!) - 1 : 0;
    return uids.map((uid) => {
      while (this.uids[place]! < uid) place += 1;
      return place + 1;
    });
  }

  addRecent(range: RecentRange | null): void {
    const last = this.recent.at(-1);
    if (last && range && last.to + 1 === range.from) last.to = range.to;
    else if (range) this.recent.push({ ...range });
  }

  isRecent(uid: number): boolean {
    return isInRanges(this.recent, uid);
  }

  countRecent(): number {
    return this.recent.reduce(
      (count, { from, to }) => count + lowerBound(this.uids, to + 1) - lowerBound(this.uids, from),
      0,
    );
  }

  /** Returns the UIDs of a set, in increasing order. */
  resolve(set: SequenceSet, isUid: boolean, saved: readonly number[]): number[] {
    if (set === '$') return saved.filter((uid) => this.numberOf(uid) > 0);
    const found: number[] = [];
    for (const { from, to } of resolveRanges(set, isUid ? (this.uids.at(-1) ?? 0) : this.uids.length)) {
      const start = isUid ? lowerBound(this.uids, from) : from - 1;
      const end = isUid ? lowerBound(this.uids, to + 1) : to;
      for (let at = Math.max(start, 0); at < Math.min(end, this.uids.length); at += 1)
        found.push(this.uids[at]!);
    }
    return found;
  }

  /** Returns whether a set names a message number that does not exist. */
  exceeds(set: SequenceSet): boolean {
    if (set === '$') return false;
    return set.some(
      ({ from, to }) => (to === Infinity ? this.uids.length === 0 : to > this.uids.length) || from < 1,
    );
  }

  /** Adds new messages. Returns those that were not in the list. */
  add(uids: number[]): number[] {
    const fresh = [...new Set(uids)].filter((uid) => this.numberOf(uid) === 0).toSorted((a, b) => a - b);
    if (fresh.length === 0) return [];
    const last = this.uids.at(-1) ?? 0;
    const merged = new Uint32Array(this.uids.length + fresh.length);
    merged.set(this.uids);
    merged.set(fresh, this.uids.length);
    if (fresh[0]! < last) merged.sort();
    this.uids = merged;
    return fresh;
  }

  /** Removes the vanished messages from the list. Returns their numbers, the highest first, and their UIDs. */
  forgetVanished(): { numbers: number[]; uids: number[] } {
    const uids = [...this.vanished].toSorted((a, b) => a - b);
    const numbers = uids.map((uid) => this.numberOf(uid)).toReversed();
    if (uids.length > 0) this.uids = this.uids.filter((uid) => !this.vanished.has(uid));
    this.vanished.clear();
    return { numbers, uids };
  }
}

/** Returns the first index whose value is not less. */
function lowerBound(values: Uint32Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
