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
/** Younger ones most likely belong to a tab that is about to save them itself. */
const LEFT_BEHIND_MS = 15_000;

export function keepUnsaved({ key, mailboxId, threadId, draftId, body }: Unsaved): void {
  try {
    const copy = { key, mailboxId, threadId, draftId, body, at: Date.now() };
    localStorage.setItem(PREFIX + key, JSON.stringify(copy));
  } catch {
    // Full, as with a large picture in the text: the server's copy must do.
  }
}

export function forgetUnsaved(key: string): void {
  localStorage.removeItem(PREFIX + key);
}

/** Whatever a closed tab left behind becomes a draft. */
export async function rescueUnsaved(mailboxId: string): Promise<void> {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const left = JSON.parse(localStorage.getItem(name)!) as Unsaved & { at: number };
    if (left.mailboxId !== mailboxId || Date.now() - left.at < LEFT_BEHIND_MS) continue;
    try {
      await rescue(left);
      localStorage.removeItem(name);
    } catch (error) {
      // Kept for the next time, unless the server will never take it.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500)
        localStorage.removeItem(name);
    }
  }
}

/** The first save of a composition, by whichever tab and however often it is tried, makes one draft. */
export function firstSaveKey(key: string): string {
  return `draft-${key}`;
}

async function rescue(left: Unsaved & { at: number }): Promise<void> {
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
