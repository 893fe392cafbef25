/** What is being written, wherever it stands: in a window at the edge, or below the conversation that it answers. */
import { useSyncExternalStore } from 'react';
import type { Message } from '../../../../src/features/threads/threads.schema.ts';

export interface ComposeContent {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  html: string;
  /** What it quotes stands below what was written, and apart from it. */
  quoted: string;
}

export interface Composition extends ComposeContent {
  key: string;
  mailboxId: string;
  place: 'window' | 'thread';
  /** The thread that it answers. */
  threadId: string | null;
  draftId: string | null;
  /** When the draft was last saved, as far as we know. */
  savedAt: string | null;
  attachments: Message['attachments'];
  /** Files of another message that go along when it is forwarded. */
  forwards: Message | null;
  isMinimised: boolean;
  /** How often somebody asked for it while it was open. */
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

let compositions: readonly Composition[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Composition[]): void {
  compositions = next;
  for (const listener of listeners) listener();
}

export function compose(mailboxId: string, start: Partial<Composition> = {}): void {
  const known = compositions.find(
    ({ draftId, place, threadId }) =>
      (start.draftId && draftId === start.draftId) ||
      // One answer to a conversation at a time.
      (start.place === 'thread' && place === 'thread' && threadId === start.threadId),
  );
  if (known) {
    changeComposition(known.key, { isMinimised: false, calls: known.calls + 1 });
    return;
  }
  const fresh = { ...EMPTY, ...start, key: crypto.getRandomValues(new Uint32Array(2)).join('-'), mailboxId };
  const windows = compositions.filter(({ place }) => place === 'window');
  const tooOld = fresh.place === 'window' && windows.length >= MOST_WINDOWS ? windows[0] : undefined;
  set([...compositions.filter((each) => each !== tooOld), fresh]);
}

export function changeComposition(key: string, change: Partial<Composition>): void {
  set(compositions.map((each) => (each.key === key ? { ...each, ...change } : each)));
}

export function endComposition(key: string): void {
  set(compositions.filter((each) => each.key !== key));
}

export function useCompositions(): readonly Composition[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => compositions,
  );
}
