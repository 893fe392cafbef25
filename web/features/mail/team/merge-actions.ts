/** Merges conversations into one, and splits one in two. A toast offers to take it back, which `z` does as well. */
import type { Message, Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { keyOf } from '../parts/people.ts';

/** The conversation with the newest message takes the others in. */
export async function mergeThreads(threads: readonly Thread[]): Promise<void> {
  const [into, ...others] = threads.toSorted((a, b) => b.last_message_at.localeCompare(a.last_message_at));
  if (!into || others.length === 0) return;
  const people = new Set(into.participants.map(keyOf));
  const isSame = others.every(({ participants }) =>
    participants.every((person) => people.has(keyOf(person))),
  );
  await change(into.mailbox_id, {
    words: isSame ? t.merged(threads.length) : t.mergedPeople(threads.length),
    run: () => sendJson('POST', `/threads/${into.id}/merge`, { from: others.map(({ id }) => id) }),
    undo: () => sendJson('DELETE', `/threads/${into.id}/merge`),
  });
}

/** The message and those after it become a conversation of their own. */
export function splitThread(mailboxId: string, { id }: Message): Promise<void> {
  return change(mailboxId, {
    words: t.wasSplit,
    run: () => sendJson('POST', `/messages/${id}/split`),
    undo: () => sendJson('DELETE', `/messages/${id}/split`),
  });
}

interface Change {
  words: string;
  run(): Promise<unknown>;
  undo(): Promise<unknown>;
}

async function change(mailboxId: string, { words, run, undo }: Change): Promise<void> {
  const tried = async (action: () => Promise<unknown>) => {
    try {
      await action();
      return true;
    } catch (error) {
      showToast(t.failed(1, describeError(error)), { tone: 'bad' });
      return false;
    } finally {
      await refresh('mail', mailboxId);
    }
  };
  if (await tried(run))
    showToast(words, { action: { label: mailTexts.actions.undo, run: () => void tried(undo) } });
}
