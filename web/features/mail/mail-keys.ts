/** The keyboard shortcuts of webmail, for the list or the open thread. */
import { useRef, useState } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Thread } from '../../../src/features/mailboxes/reading/threads.schema.ts';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import { queryClient, SESSION_KEY } from '../../api/query-client.ts';
import { teamTexts } from '../../texts/en/mail-team.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { runToastAction } from '../../ui/toasts.ts';
import { answer, type AnswerKind } from './compose/answers.ts';
import { compose } from './compose/compositions.ts';
import { threadQuery } from './live/mail-api.ts';
import { openMailDialog } from './parts/mail-dialogs.ts';
import { lastNote } from './live/outbox-notes.ts';
import type { Selection } from './list/selection.ts';
import { holdShortcuts, useShortcuts } from './parts/shortcuts.ts';
import { changeThreads, moveThreads } from './live/thread-changes.ts';
import { lastToAnswer } from './reader/thread-order.ts';
import { placeOf, type Row } from './live/thread-rows.ts';
import { takeBack } from './compose/waiting.ts';
import { assignThreads } from './team/team-actions.ts';
import type { Colleague } from './team/team-api.ts';
import { openPicker, type PickerState } from './team/team-picker.ts';
import { useMailPalette } from './mail-palette.ts';

interface MailKeys {
  mailbox: Mailbox;
  items: readonly Row[];
  threadId: string | undefined;
  selection: Selection;
  open(threadId: string, replace?: boolean): void;
  goBack(): void;
  goTo(folder: string): void;
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

  /**
   * Acts on the selected threads, otherwise on the current one. If the open thread leaves the list, the next one
   * opens.
   */
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
    await answerThread(mailbox, hereId, kind);
  }

  /** The selected threads, otherwise the current one. */
  function pick(kind: PickerState['kind'] | 'take'): void {
    const threads = selection.ids.size > 0 ? selection.threads : here ? [here] : [];
    if (threads.length === 0) return;
    if (kind === 'take') return void assignThreads(threads, me());
    // A snoozed conversation leaves its list, so that the next one opens.
    const then = kind === 'snooze' ? () => act(() => {}, true) : undefined;
    openPicker({ kind, mailboxId: mailbox.id, threads, then });
  }

  function archiveAndStep(by: 1 | -1): void {
    const next = items[placeOf(items, hereId) + by];
    act((threads) => void moveThreads(mailbox.id, threads, 'archive'), next === undefined);
    if (!next) return;
    setCursorId(next.id);
    if (threadId !== undefined) open(next.id, true);
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
    U: () => act((threads) => toggleRead(mailbox, threads), false),
    s: () => act((threads) => toggleStar(mailbox, threads), false),
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
    b: () => pick('snooze'),
    h: () => pick('snooze'),
    l: () => pick('label'),
    T: () => pick('assign'),
    t: () => pick('take'),
    N: () => openNote(),
    I: () => act((threads) => void markRead(mailbox, threads), false),
    '[': () => archiveAndStep(-1),
    ']': () => archiveAndStep(1),
    'g i': () => goTo('inbox'),
    'g s': () => goTo('sent'),
    'g d': () => goTo('drafts'),
    'g *': () => goTo('starred'),
    'g l': () => goTo('scheduled'),
    'g b': () => goTo('snoozed'),
    'g t': () => goTo('trash'),
    'g a': () => goTo('archive'),
    'g m': () => goTo('mine'),
  });
  useMailPalette({ mailbox, hasThreads: selection.ids.size > 0 || here !== undefined, pick, goTo });
  return { cursorId, searchField };
}

async function answerThread(mailbox: Mailbox, threadId: string, kind: AnswerKind): Promise<void> {
  // If it cannot be loaded, the reading pane shows the error.
  const thread = await queryClient.ensureQueryData(threadQuery(mailbox.id, threadId)).catch(() => null);
  const last = thread && lastToAnswer(thread.messages);
  if (last) await answer(mailbox, last, kind);
}

function toggleRead({ id }: Mailbox, threads: readonly Thread[]): void {
  void changeThreads(id, threads, { read: threads.some(({ unread }) => unread) });
}

function toggleStar({ id }: Mailbox, threads: readonly Thread[]): void {
  void changeThreads(id, threads, { starred: !threads.some(({ starred }) => starred) });
}

function markRead({ id }: Mailbox, threads: readonly Thread[]): void {
  void changeThreads(id, threads, { read: true });
}

function me(): Colleague {
  const user = queryClient.getQueryData<SignInSession>(SESSION_KEY)!.user;
  return { user_id: user.id, name: teamTexts.toMe };
}

/** Opens the field for a note below the open conversation. */
function openNote(): void {
  document.querySelector<HTMLElement>('[data-write-note]')?.click();
}

function undo(): void {
  if (runToastAction()) return;
  const sent = lastNote();
  if (sent) void takeBack(sent.mailboxId, sent.messageId, mailTexts.outbox.undone);
}
