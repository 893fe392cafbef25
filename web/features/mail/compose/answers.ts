/** Opens replies, and drafts to continue. */
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type {
  Message,
  ThreadWithMessages,
} from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { describeError } from '../../../api/describe-error.ts';
import type { SignInSession } from '../../../../src/features/identity/people/people.schema.ts';
import { queryClient, SESSION_KEY } from '../../../api/query-client.ts';
import { showToast } from '../../../ui/toasts.ts';
import { addressesQuery } from '../arrival/arrival-api.ts';
import { messageQuery, threadQuery } from '../live/mail-api.ts';
import { keyOf } from '../parts/people.ts';
import {
  forwardedHtml,
  peopleToAnswer,
  quotedHtml,
  splitQuoted,
  textToHtml,
  withMark,
} from './answer-content.ts';
import { compose } from './compositions.ts';

export type AnswerKind = 'reply' | 'replyAll' | 'forward';

export async function answer(mailbox: Mailbox, message: Message, kind: AnswerKind): Promise<void> {
  if (message.body_omitted) {
    try {
      const whole = await queryClient.fetchQuery(messageQuery(message.id));
      await answer(mailbox, whole, kind);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    return;
  }
  const isForward = kind === 'forward';
  const { to, cc } = isForward
    ? { to: [], cc: [] }
    : peopleToAnswer(mailbox, message, kind === 'replyAll', await furtherAddresses(mailbox.id));
  const begun = isForward ? undefined : findDraft(mailbox.id, message.thread_id);
  if (begun) {
    // A reply that was already started is continued; "reply to all" adds the missing people.
    const isIn = new Set([...begun.to, ...begun.cc, ...begun.bcc].map(keyOf));
    const more = kind === 'replyAll' ? [...to, ...cc].filter((person) => !isIn.has(keyOf(person))) : [];
    openDraft(mailbox.id, { ...begun, cc: [...begun.cc, ...more] }, 'thread');
    return;
  }
  compose(mailbox.id, {
    to,
    cc,
    subject: withMark(message.subject, isForward ? 'Fwd' : 'Re'),
    quoted: isForward ? forwardedHtml(message) : quotedHtml(message),
    place: isForward ? 'window' : 'thread',
    threadId: isForward ? null : message.thread_id,
    forwards: isForward && message.attachments.length > 0 ? message : null,
  });
}

export function openDraft(mailboxId: string, draft: Message, place: 'window' | 'thread'): void {
  compose(mailboxId, {
    ...draft,
    ...splitQuoted(draft.html ?? textToHtml(draft.text ?? '')),
    place,
    threadId: place === 'thread' ? draft.thread_id : null,
    draftId: draft.id,
    savedAt: draft.created_at,
  });
}

/** A reply to all does not go to ourselves, under any address. */
async function furtherAddresses(mailboxId: string): Promise<string[]> {
  const all = await queryClient.ensureQueryData(addressesQuery(mailboxId)).catch(() => []);
  return all.map(({ address }) => address);
}

function findDraft(mailboxId: string, threadId: string): Message | undefined {
  const thread = queryClient.getQueryData<ThreadWithMessages>(threadQuery(mailboxId, threadId).queryKey);
  const me = queryClient.getQueryData<SignInSession>(SESSION_KEY)?.user.id;
  // Nobody types into the draft of someone else.
  return thread?.messages.findLast(
    ({ status, author }) => status === 'draft' && (author === null || author.user_id === me),
  );
}
