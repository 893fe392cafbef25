/**
 * The actions on a message that waits to be sent. If the message is sent at the same moment, exactly one side wins,
 * and the user is told.
 */
import { ApiError, getJson, sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { refresh } from '../../../api/query-client.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { openDraft } from './answers.ts';
import { departureTime } from '../parts/mail-time.ts';
import { dropNote } from '../live/outbox-notes.ts';

const t = mailTexts.waiting;

/** Turns the message into a draft again and opens it. */
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
  await refresh('mail', mailboxId);
}
