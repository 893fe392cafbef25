/** Copies of what the server does not have yet, in the browser's own store, and their way back after a crash. */
import type { Message } from '../../../../src/features/threads/threads.schema.ts';
import { ApiError, getJson, sendJson } from '../../../api/client.ts';
import type { DraftBody } from './draft-saver.ts';

interface Unsaved {
  key: string;
  mailboxId: string;
  threadId: string | null;
  draftId: string | null;
  body: DraftBody;
}

const PREFIX = 'posthorn.unsaved.';
/** Younger ones of a tab that did not say goodbye most likely belong to one that is about to save them itself. */
export const LEFT_BEHIND_MS = 15_000;

interface Copy extends Unsaved {
  at: number;
  /** Its page has gone: nobody else will save it. */
  isLeft?: boolean;
}

/** Those of this page, which saves them itself. */
const own = new Set<string>();
window.addEventListener('pagehide', () => {
  for (const key of own) {
    const copy = readCopy(PREFIX + key);
    if (copy) localStorage.setItem(PREFIX + key, JSON.stringify({ ...copy, isLeft: true }));
  }
});

function readCopy(name: string): Copy | null {
  return JSON.parse(localStorage.getItem(name) ?? 'null') as Copy | null;
}

export function keepUnsaved({ key, mailboxId, threadId, draftId, body }: Unsaved): void {
  try {
    const copy = { key, mailboxId, threadId, draftId, body, at: Date.now() };
    localStorage.setItem(PREFIX + key, JSON.stringify(copy));
    own.add(key);
  } catch {
    // Full, as with a large picture in the text: the server's copy must do.
  }
}

export function forgetUnsaved(key: string): void {
  own.delete(key);
  localStorage.removeItem(PREFIX + key);
}

/** Whatever a closed tab left behind becomes a draft. Tells whether there was anything. */
export async function rescueUnsaved(mailboxId: string): Promise<boolean> {
  let hasRescued = false;
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const left = readCopy(name);
    if (!left || left.mailboxId !== mailboxId || own.has(left.key)) continue;
    if (!left.isLeft && Date.now() - left.at < LEFT_BEHIND_MS) continue;
    try {
      await rescue(left);
      hasRescued = true;
      localStorage.removeItem(name);
    } catch (error) {
      // Kept for the next time, unless the server will never take it.
      if (error instanceof ApiError && isForGood(error.status)) localStorage.removeItem(name);
    }
  }
  return hasRescued;
}

/** Who signs in, or waits a little, may say it again. */
function isForGood(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

/** The first save of a composition, by whichever tab and however often it is tried, makes one draft. */
export function firstSaveKey(key: string): string {
  return `draft-${key}`;
}

async function rescue(left: Copy): Promise<void> {
  const { key, mailboxId, threadId, draftId, body, at } = left;
  const path = `/mailboxes/${mailboxId}/drafts`;
  if (draftId === null) {
    const input = { ...body, thread_id: threadId };
    await sendJson('POST', path, input, { 'idempotency-key': firstSaveKey(key) }).catch((error: unknown) => {
      // It had been saved with other words. Better two drafts than lost words.
      if (error instanceof ApiError && error.status === 422) return sendJson('POST', path, input);
      throw error;
    });
    return;
  }
  const draft = await getJson<Message>(`${path}/${draftId}`);
  if (Date.parse(draft.created_at) < at) {
    await sendJson('PATCH', `${path}/${draftId}`, { ...body, if_unchanged_since: draft.created_at });
  }
}
