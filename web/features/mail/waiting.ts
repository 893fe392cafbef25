/** Messages that wait: what can be done with one until it leaves. Exactly one side wins; who comes too late is told. */
import { ApiError, getJson, sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Message } from '../../../src/features/threads/threads.schema.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { showToast } from '../../ui/toasts.ts';
import { openDraft } from './compose/answers.ts';
import { departureTime } from './mail-time.ts';
import { dropNote } from './outbox-notes.ts';

const t = mailTexts.waiting;

/** It is a draft again, and open. */
export async function takeBack(mailboxId: string, messageId: string, words = t.takenBack): Promise<void> {
  await act(mailboxId, messageId, async () => {
    await sendJson('DELETE', `/scheduled/${messageId}`);
    const draft = await getJson<Message>(`/mailboxes/${mailboxId}/drafts/${messageId}`);
    openDraft(mailboxId, draft, 'window');
    showToast(words);
  });
}

export async function sendNow(mailboxId: string, messageId: string): Promise<void> {
  await act(mailboxId, messageId, async () => {
    await sendJson('POST', `/scheduled/${messageId}/send-now`);
    showToast(t.sent);
  });
}

export async function reschedule(mailboxId: string, messageId: string, at: Date): Promise<void> {
  await act(mailboxId, messageId, async () => {
    await sendJson('PATCH', `/scheduled/${messageId}`, { send_at: at.toISOString() });
    showToast(t.moved(departureTime(at)));
  });
}

async function act(mailboxId: string, messageId: string, run: () => Promise<void>): Promise<void> {
  dropNote(messageId);
  try {
    await run();
  } catch (error) {
    const isLate = error instanceof ApiError && error.code === 'already_sent';
    showToast(isLate ? t.tooLate : describeError(error), { tone: 'bad' });
  }
  await queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
}
