/** The messages that are being written, each in a window or below the conversation that it replies to. */
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { randomKey } from '../../../api/random-key.ts';
import { sharedValue } from '../../../api/shared-value.ts';

export interface ComposeContent {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  html: string;
  /** The quoted message, which is kept separate from the text. */
  quoted: string;
}

export interface Composition extends ComposeContent {
  key: string;
  mailboxId: string;
  place: 'window' | 'thread';
  /** The thread that it replies to. */
  threadId: string | null;
  draftId: string | null;
  /** The last known time at which the draft was saved. */
  savedAt: string | null;
  attachments: Message['attachments'];
  /** The message whose files are forwarded. */
  forwards: Message | null;
  isMinimised: boolean;
  /** How often it was requested while it was already open. */
  calls: number;
}

const EMPTY: Omit<Composition, 'key' | 'mailboxId'> = {
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  html: '',
  quoted: '',
  attachments: [],
  place: 'window',
  threadId: null,
  draftId: null,
  savedAt: null,
  forwards: null,
  isMinimised: false,
  calls: 0,
};
const MOST_WINDOWS = 3;

const compositions = sharedValue<readonly Composition[]>([]);

export function compose(mailboxId: string, start: Partial<Composition> = {}): void {
  compositions.set(withComposition(compositions.get(), { ...EMPTY, ...start, key: randomKey(), mailboxId }));
}

/** Pure: returns the list with the new composition, or with one more call of the one that is already open. */
export function withComposition(list: readonly Composition[], fresh: Composition): readonly Composition[] {
  const known = list.find(
    ({ draftId, place, threadId }) =>
      (fresh.draftId && draftId === fresh.draftId) ||
      // A conversation has one reply at a time.
      (fresh.place === 'thread' && place === 'thread' && threadId === fresh.threadId),
  );
  if (known) {
    const called = { ...known, isMinimised: false, calls: known.calls + 1 };
    return list.map((each) => (each === known ? called : each));
  }
  const windows = list.filter(({ place }) => place === 'window');
  const oldest = fresh.place === 'window' && windows.length >= MOST_WINDOWS ? windows[0] : undefined;
  return [...list.filter((each) => each !== oldest), fresh];
}

export function changeComposition(key: string, change: Partial<Composition>): void {
  compositions.set(compositions.get().map((each) => (each.key === key ? { ...each, ...change } : each)));
}

export function endComposition(key: string): void {
  compositions.set(compositions.get().filter((each) => each.key !== key));
}

export const useCompositions = compositions.use;
