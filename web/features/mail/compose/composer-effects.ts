/** Runs the effects that `composer-state.ts` decides: saving, filling in tags, sending and discarding. */
import type {
  Message,
  ThreadWithMessages,
} from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import type { MessageAccepted } from '../../../../src/features/mailboxes/writing/sending.schema.ts';
import { ApiError, getJson, sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { queryClient, refresh } from '../../../api/query-client.ts';
import { isBlankHtml } from '../../../editor/blank.ts';
import { findTags } from '../../../editor/merge-tags.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { threadQuery } from '../live/mail-api.ts';
import { noteSent } from '../live/outbox-notes.ts';
import { moveThreads } from '../live/thread-changes.ts';
import { openDraft } from './answers.ts';
import { randomKey } from '../../../api/random-key.ts';
import { toBody, type ComposerEdge } from './composer-edge.ts';
import type { ComposerEffect } from './composer-state.ts';
import { endComposition } from './compositions.ts';
import { listFiles, removeFile, uploadAttachment } from './file-effects.ts';
import { unusedImages } from './file-state.ts';
import { tagsIn } from './editor/tag-filling.ts';

type EffectOf<Type extends ComposerEffect['type']> = Extract<ComposerEffect, { type: Type }>;

export function runEffect(edge: ComposerEdge, effect: ComposerEffect): void {
  switch (effect.type) {
    case 'save':
      // The composition keeps the content too, so that a reopened composer shows it.
      Object.assign(edge.composition, effect.content);
      return edge.saver.change(toBody(effect.content));
    case 'fill-tags':
      return void edge.tags.fill(effect.to);
    case 'prepare':
      return void prepare(edge);
    case 'store':
      return void store(edge);
    case 'post':
      return void post(edge, effect);
    case 'finish-sent':
      noteSent(edge.composition.mailboxId, effect.accepted, effect.isLater);
      end(edge);
      if (effect.archives) archiveThread(edge.composition);
      return refreshMail(edge);
    case 'discard':
      return void discard(edge, effect);
    case 'load-theirs':
      return void loadTheirs(edge, effect);
    case 'overwrite':
      return void edge.saver.overwrite(toBody(effect.content));
    case 'upload':
      return void uploadAttachment(edge, effect);
    case 'list-files':
      return void listFiles(edge);
    case 'complain':
      return void showToast(effect.text, { tone: 'bad' });
  }
}

async function prepare({ tags, stateNow, dispatch }: ComposerEdge): Promise<void> {
  // Leaving an address field makes its text a recipient.
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
  await Promise.resolve();
  await tags.fill(stateNow().content.to);
  // Quoted text was written by others, so its tags do not count.
  const { subject, html } = stateNow().content;
  const inSubject = findTags(subject).map(({ name }) => name);
  dispatch({ type: 'prepared', tags: [...new Set([...inSubject, ...tagsIn(html)])] });
}

async function store(edge: ComposerEdge): Promise<void> {
  const { composition, saver, stateNow, dispatch } = edge;
  const { files, content } = stateNow();
  for (const file of unusedImages(files, toBody(content).html)) await removeFile(edge, file);
  await saver.flush();
  dispatch({ type: 'stored', freshKey: `send-${composition.key}-${randomKey()}` });
}

async function post(
  edge: ComposerEdge,
  { content, draftId, plan, sendKey }: EffectOf<'post'>,
): Promise<void> {
  const { mailboxId, threadId } = edge.composition;
  const body = toBody(content);
  try {
    const accepted = await sendJson<MessageAccepted>(
      'POST',
      `/mailboxes/${mailboxId}/messages`,
      {
        ...body,
        html: isBlankHtml(body.html) ? '<p></p>' : body.html,
        draft_id: draftId,
        thread_id: threadId,
        send_at: plan.at?.toISOString() ?? null,
        cancel_if_replied: plan.cancelIfReplied,
        remind_at: remindAt(plan.at, edge.options.remindDays),
        from: edge.options.from,
        signature: edge.options.signature,
        saved_reply_id: edge.options.savedReplyId,
        seen_message_id: edge.seenMessageId,
      },
      { 'idempotency-key': sendKey },
    );
    edge.dispatch({ type: 'accepted', accepted });
  } catch (thrown) {
    const unseen = thrown instanceof ApiError ? thrown.details.newMessages : undefined;
    if (unseen) {
      edge.seenMessageId = unseen.at(-1) ?? null;
      edge.dispatch({ type: 'thread-changed', count: unseen.length });
      return refreshMail(edge);
    }
    const status = thrown instanceof ApiError ? thrown.status : 0;
    edge.dispatch({ type: 'refused', status, text: describeError(thrown) });
  }
}

async function discard(edge: ComposerEdge, { draftId, isNoted }: EffectOf<'discard'>): Promise<void> {
  end(edge);
  try {
    if (draftId) await sendJson('DELETE', `/mailboxes/${edge.composition.mailboxId}/drafts/${draftId}`);
    if (isNoted) showToast(mailTexts.compose.discarded);
  } catch (thrown) {
    // The composer is closed, so it cannot show the error.
    showToast(describeError(thrown), { tone: 'bad' });
  }
  refreshMail(edge);
}

async function loadTheirs(edge: ComposerEdge, { draftId }: EffectOf<'load-theirs'>): Promise<void> {
  const { mailboxId, place } = edge.composition;
  const draft = await getJson<Message>(`/mailboxes/${mailboxId}/drafts/${draftId}`);
  edge.dispatch({ type: 'theirs-loaded' });
  end(edge);
  openDraft(mailboxId, draft, place);
}

const MORNING = 8;

/** In the morning, so that sending again after an error is the same request. */
function remindAt(leavesAt: Date | null, days: number | null): string | null {
  if (days === null) return null;
  const at = new Date(leavesAt ?? Date.now());
  at.setDate(at.getDate() + days);
  at.setHours(MORNING, 0, 0, 0);
  return at.toISOString();
}

function archiveThread({ mailboxId, threadId }: ComposerEdge['composition']): void {
  const { queryKey } = threadQuery(mailboxId, threadId ?? '');
  const thread = queryClient.getQueryData<ThreadWithMessages>(queryKey);
  if (thread) void moveThreads(mailboxId, [thread], 'archive');
}

function end({ saver, composition }: ComposerEdge): void {
  saver.end();
  endComposition(composition.key);
}

function refreshMail({ composition }: ComposerEdge): void {
  void refresh('mail', composition.mailboxId);
}
