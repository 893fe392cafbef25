/** The keyboard shortcuts of webmail, for the list or the open thread. */
import { useRef, useState } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Thread, ThreadWithMessages } from '../../../src/features/mailboxes/reading/threads.schema.ts';
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
import { holdShortcuts, useShortcuts, type Shortcuts } from './parts/shortcuts.ts';
import { changeThreads, moveThreads } from './live/thread-changes.ts';
import { lastToAnswer } from './reader/thread-order.ts';
import { placeOf, type Row } from './live/thread-rows.ts';
import { takeBack } from './compose/waiting.ts';
import { mergeThreads } from './team/merge-actions.ts';
import { assignThreads, toggleMuted } from './team/team-actions.ts';
import type { Colleague } from './live/team-api.ts';
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
  const act: Act = (run, leaves) => {
    const ticked = selection.ids;
    if (ticked.size === 0 && !here) return;
    const threads = ticked.size > 0 ? selection.threads : [here!];
    const isLeaving = typeof leaves === 'boolean' ? leaves : leaves(threads);
    const next = nextOf(items, placeOf(items, hereId), ticked);
    run(threads);
    selection.clear();
    const isGone = ticked.size === 0 || (hereId !== undefined && ticked.has(hereId));
    if (!isLeaving || !isGone) return;
    setCursorId(next?.id);
    if (threadId === undefined) return;
    if (next) open(next.id, true);
    else goBack();
  };

  async function answerHere(kind: AnswerKind): Promise<void> {
    if (!hereId) return;
    if (threadId === undefined) open(hereId);
    await answerThread(mailbox, hereId, kind);
  }

  const pick: Pick = (kind) => {
    const current = here ?? openThread(mailbox.id, threadId);
    const threads = selection.ids.size > 0 ? selection.threads : current ? [current] : [];
    // A snoozed conversation leaves its list, so that the next one opens.
    choose(kind, mailbox.id, threads, () => act(() => {}, true));
  };

  function archiveAndStep(by: 1 | -1): void {
    const next = items[placeOf(items, hereId) + by];
    act((threads) => void moveThreads(mailbox.id, threads, 'archive'), next === undefined);
    if (!next) return;
    setCursorId(next.id);
    if (threadId !== undefined) open(next.id, true);
  }

  const keys = threadKeys(mailbox, act);
  useShortcuts({
    ...stepKeys(step),
    o: () => hereId && open(hereId),
    u: () => {
      setCursorId(threadId);
      goBack();
    },
    x: () => here && selection.select(here.id, false),
    ...keys,
    z: undo,
    ...answerKeys((kind) => void holdShortcuts(answerHere(kind))),
    c: () => compose(mailbox.id),
    '/': () => focusOn(searchField.current),
    '?': () => openMailDialog('shortcuts'),
    ...teamKeys(pick),
    '[': () => archiveAndStep(-1),
    ']': () => archiveAndStep(1),
    ...folderKeys(goTo),
  });
  const hasThreads = selection.ids.size > 0 || hereId !== undefined;
  useMailPalette({ mailbox, hasThreads, pick, mute: keys.m, merge: mergeOf(selection, act), goTo });
  return { cursorId, searchField };
}

function focusOn(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}

function mergeOf({ threads }: Selection, act: Act): (() => void) | undefined {
  if (threads.length < 2) return undefined;
  return () => act((chosen) => void mergeThreads(chosen), false);
}

/** The row that is shown when these leave the list. */
function nextOf(items: readonly Row[], at: number, leaving: ReadonlySet<string>): Row | undefined {
  const stays = (row: Row) => row !== undefined && !leaving.has(row.id);
  return items.slice(at + 1).find(stays) ?? items.slice(0, Math.max(at, 0)).findLast(stays);
}

type Pick = (kind: PickerState['kind'] | 'take') => void;

function choose(
  kind: PickerState['kind'] | 'take',
  mailboxId: string,
  threads: readonly Thread[],
  onSnoozed: () => void,
): void {
  if (threads.length === 0) return;
  if (kind === 'take') void assignThreads(threads, me());
  else openPicker({ kind, mailboxId, threads, onDone: kind === 'snooze' ? onSnoozed : undefined });
}

/** An open conversation may be in no list, such as that of a link. */
function openThread(mailboxId: string, threadId: string | undefined): Thread | undefined {
  return queryClient.getQueryData<ThreadWithMessages>(threadQuery(mailboxId, threadId ?? '').queryKey);
}

/** Acts on the selected threads, or the current one. `leaves`: whether they leave the list. */
type Act = (
  run: (threads: readonly Thread[]) => void,
  leaves: boolean | ((threads: readonly Thread[]) => boolean),
) => void;

function threadKeys(mailbox: Mailbox, act: Act) {
  const moveTo = (folder: string) => () =>
    act((threads) => void moveThreads(mailbox.id, threads, folder), true);
  return {
    e: moveTo('archive'),
    '#': moveTo('trash'),
    '!': moveTo('spam'),
    m: () => act((threads) => void toggleMuted(threads), leavesWhenMuted),
    U: () => act((threads) => toggleRead(mailbox, threads), false),
    I: () => act((threads) => markRead(mailbox, threads), false),
    s: () => act((threads) => toggleStar(mailbox, threads), false),
  };
}

/** Threads leave the inbox when they are muted. */
function leavesWhenMuted(threads: readonly Thread[]): boolean {
  return threads.every(({ folder, muted }) => !muted && (folder === 'inbox' || folder === 'snoozed'));
}

function stepKeys(step: (by: 1 | -1) => void): Shortcuts {
  const [down, up] = [() => step(1), () => step(-1)];
  return { j: down, k: up, ArrowDown: down, ArrowUp: up };
}

function answerKeys(answerHere: (kind: AnswerKind) => void): Shortcuts {
  return {
    r: () => answerHere('reply'),
    a: () => answerHere('replyAll'),
    f: () => answerHere('forward'),
  };
}

function teamKeys(pick: Pick): Shortcuts {
  return {
    b: () => pick('snooze'),
    h: () => pick('snooze'),
    l: () => pick('label'),
    T: () => pick('assign'),
    t: () => pick('take'),
    N: () => openNote(),
  };
}

const FOLDER_KEYS = {
  i: 'inbox',
  s: 'sent',
  d: 'drafts',
  '*': 'starred',
  l: 'scheduled',
  b: 'snoozed',
  t: 'trash',
  a: 'archive',
  m: 'mine',
};

function folderKeys(goTo: (folder: string) => void): Shortcuts {
  return Object.fromEntries(
    Object.entries(FOLDER_KEYS).map(([key, folder]) => [`g ${key}`, () => goTo(folder)]),
  );
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
