/** What the keys of webmail do where the person is: in the list, or in a conversation. */
import { useRef, useState } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes.schema.ts';
import type { FolderOrView, Thread } from '../../../src/features/threads/threads.schema.ts';
import { queryClient } from '../../api/query-client.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { takeUpToast } from '../../ui/toasts.ts';
import { answer, type AnswerKind } from './compose/answers.ts';
import { compose } from './compose/compositions.ts';
import { threadQuery } from './mail-api.ts';
import { openMailDialog } from './mail-dialogs.ts';
import { lastNote } from './outbox-notes.ts';
import type { Selection } from './selection.ts';
import { holdShortcuts, useShortcuts } from './shortcuts.ts';
import { changeThreads, moveThreads } from './thread-changes.ts';
import { lastToAnswer } from './thread-order.ts';
import { placeOf, type Row } from './thread-rows.ts';
import { takeBack } from './waiting.ts';

interface MailKeys {
  mailbox: Mailbox;
  items: readonly Row[];
  threadId: string | undefined;
  selection: Selection;
  open(threadId: string, replace?: boolean): void;
  goBack(): void;
  goTo(folder: FolderOrView): void;
}

export function useMailKeys({ mailbox, items, threadId, selection, open, goBack, goTo }: MailKeys) {
  const [cursorId, setCursorId] = useState<string>();
  const searchField = useRef<HTMLInputElement>(null);
  const hereId = threadId ?? cursorId;
  const here = items[placeOf(items, hereId)];

  function step(by: 1 | -1): void {
    const at = placeOf(items, hereId);
    const next = items[at < 0 ? 0 : at + by];
    if (!next) return;
    setCursorId(next.id);
    if (threadId !== undefined) open(next.id, true);
  }

  /** With what is ticked, else with the one where we are; a conversation that is open gives way to the next. */
  function act(run: (threads: readonly Thread[]) => void, leaves: boolean): void {
    const ticked = selection.ids;
    if (ticked.size === 0 && !here) return;
    const at = placeOf(items, hereId);
    const stays = (row: Row) => row !== undefined && !ticked.has(row.id);
    const next = items.slice(at + 1).find(stays) ?? items.slice(0, Math.max(at, 0)).findLast(stays);
    run(ticked.size > 0 ? selection.threads : [here!]);
    selection.clear();
    const isGone = ticked.size === 0 || (hereId !== undefined && ticked.has(hereId));
    if (!leaves || !isGone) return;
    setCursorId(next?.id);
    if (threadId === undefined) return;
    if (next) open(next.id, true);
    else goBack();
  }

  async function answerHere(kind: AnswerKind): Promise<void> {
    if (!hereId) return;
    if (threadId === undefined) open(hereId);
    // The pane of the conversation tells where it does not come.
    const thread = await queryClient.ensureQueryData(threadQuery(mailbox.id, hereId)).catch(() => null);
    const last = thread && lastToAnswer(thread.messages);
    if (last) await answer(mailbox, last, kind);
  }

  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    o: () => hereId && open(hereId),
    u: () => {
      setCursorId(threadId);
      goBack();
    },
    x: () => here && selection.select(here.id, false),
    e: () => act((threads) => void moveThreads(mailbox.id, threads, 'archive'), true),
    '#': () => act((threads) => void moveThreads(mailbox.id, threads, 'trash'), true),
    '!': () => act((threads) => void moveThreads(mailbox.id, threads, 'spam'), true),
    U: () =>
      act(
        (threads) => void changeThreads(mailbox.id, threads, { read: threads.some(({ unread }) => unread) }),
        false,
      ),
    z: undo,
    r: () => void holdShortcuts(answerHere('reply')),
    a: () => void holdShortcuts(answerHere('replyAll')),
    f: () => void holdShortcuts(answerHere('forward')),
    c: () => compose(mailbox.id),
    '/': () => {
      searchField.current?.focus();
      searchField.current?.select();
    },
    '?': () => openMailDialog('shortcuts'),
    'g i': () => goTo('inbox'),
    'g s': () => goTo('sent'),
    'g d': () => goTo('drafts'),
    'g l': () => goTo('scheduled'),
  });
  return { cursorId, searchField };
}

function undo(): void {
  if (takeUpToast()) return;
  const sent = lastNote();
  if (sent) void takeBack(sent.mailboxId, sent.messageId, mailTexts.outbox.undone);
}
