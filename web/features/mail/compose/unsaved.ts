/** Copies of unsaved drafts in the browser's storage, and their recovery after a crash. */
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { ApiError, getJson, sendJson } from '../../../api/client.ts';

export interface DraftBody {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  html: string;
}

interface Unsaved {
  key: string;
  mailboxId: string;
  threadId: string | null;
  draftId: string | null;
  body: DraftBody;
}

const PREFIX = 'posthorn.unsaved.';
/** A newer copy of a tab that was not closed properly most likely belongs to a tab that is about to save it. */
export const LEFT_BEHIND_MS = 15_000;

interface Copy extends Unsaved {
  at: number;
  /** True if the page was closed, so that no one else will save it. */
  isLeft?: boolean;
}

/** The copies of this page, which saves them itself. */
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
    // The storage is full, for example because of a large image. Only the server has a copy then.
  }
}

export function forgetUnsaved(key: string): void {
  own.delete(key);
  localStorage.removeItem(PREFIX + key);
}

/** Turns copies that closed tabs left behind into drafts. Returns whether there were any. */
export async function recoverUnsaved(mailboxId: string): Promise<boolean> {
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
      // Keep it for the next time, unless the server will never accept it.
      if (error instanceof ApiError && isForGood(error.status)) localStorage.removeItem(name);
    }
  }
  return hasRescued;
}

/** A request without a session, or above the rate limit, can succeed later. */
function isForGood(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

/** The first save of a composition creates one draft, even if several tabs send it several times. */
export function firstSaveKey(key: string): string {
  return `draft-${key}`;
}

async function rescue(left: Copy): Promise<void> {
  const { key, mailboxId, threadId, draftId, body, at } = left;
  const path = `/mailboxes/${mailboxId}/drafts`;
  if (draftId === null) {
    const input = { ...body, thread_id: threadId };
    await sendJson('POST', path, input, { 'idempotency-key': firstSaveKey(key) }).catch((error: unknown) => {
      // The draft was already saved with another text. Two drafts are better than lost text.
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
