/**
 * Assigns, snoozes and labels conversations, one or many. A toast offers to take it back, which `z` does as well. Each
 * conversation is changed by a request of its own, because each can be refused: someone else may have been faster.
 */
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { changeThreads } from '../live/thread-changes.ts';
import { departureTime } from '../parts/mail-time.ts';
import type { Colleague } from '../live/team-api.ts';

type Threads = readonly Thread[];

/** Requests that are in progress at a time. */
const AT_ONCE = 5;

/** Someone who was faster wins: the server compares the assignee with the one that is shown. */
export function assignThreads(threads: Threads, to: Colleague | null): Promise<void> {
  const userId = to?.user_id ?? null;
  const concerned = threads.filter((thread) => assigneeOf(thread) !== userId);
  return change(concerned, {
    words: (count) => (to ? t.assigned(count, to.name) : t.unassigned(count)),
    run: (thread) => putAssignee(thread, userId, assigneeOf(thread)),
    undo: (thread) => putAssignee(thread, assigneeOf(thread), userId),
  });
}

export function snoozeThreads(threads: Threads, until: Date, whom: 'all' | 'me' = 'all'): Promise<void> {
  return change(threads, {
    words: (count) => t.snoozed(count, departureTime(until)),
    run: ({ id }) => sendJson('PUT', `/threads/${id}/snooze`, { until: until.toISOString(), for: whom }),
    undo: ({ id, snoozed_until: before }) =>
      before === null
        ? sendJson('DELETE', `/threads/${id}/snooze`)
        : sendJson('PUT', `/threads/${id}/snooze`, { until: before, for: whom }),
    // A conversation comes back unread, which it was not before.
    afterUndo: async (undone) => {
      const read = undone.filter(({ unread }) => !unread);
      if (read.length > 0) await changeThreads(read[0]!.mailbox_id, read, { read: true });
    },
  });
}

export function endSnoozes(threads: Threads): Promise<void> {
  const snoozed = threads.filter(({ snoozed_until: until }) => until !== null);
  return change(snoozed, {
    words: () => t.snoozeEnded,
    run: ({ id }) => sendJson('DELETE', `/threads/${id}/snooze`),
    undo: ({ id, snoozed_until: until }) => sendJson('PUT', `/threads/${id}/snooze`, { until }),
  });
}

/** Mutes them, or, if all are muted, lets their new messages reach the inbox again. */
export function toggleMuted(threads: Threads): Promise<void> {
  const loud = threads.filter(({ muted }) => !muted);
  if (loud.length === 0)
    return change(threads, {
      words: t.unmuted,
      run: ({ id }) => sendJson('DELETE', `/threads/${id}/mute`),
      undo: ({ id }) => sendJson('PUT', `/threads/${id}/mute`),
    });
  return change(loud, {
    words: t.muted,
    run: ({ id }) => sendJson('PUT', `/threads/${id}/mute`),
    undo: ({ id }) => sendJson('DELETE', `/threads/${id}/mute`),
    afterUndo: async (undone) => {
      const shown = undone.filter(({ folder }) => folder === 'inbox');
      if (shown.length > 0) await changeThreads(shown[0]!.mailbox_id, shown, { folder: 'inbox' });
      for (const { id, snoozed_until: until } of undone.filter(({ folder }) => folder === 'snoozed'))
        await sendJson('PUT', `/threads/${id}/snooze`, { until });
    },
  });
}

/** `labels` are keywords. */
export function labelThreads(
  threads: Threads,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  const next = ({ labels }: Thread) => [
    ...new Set([...labels.filter((label) => !remove.includes(label)), ...add]),
  ];
  const isChanged = (thread: Thread) =>
    add.some((label) => !thread.labels.includes(label)) ||
    remove.some((label) => thread.labels.includes(label));
  return change(threads.filter(isChanged), {
    words: () => t.labelled,
    run: (thread) => putLabels(thread, next(thread)),
    undo: (thread) => putLabels(thread, thread.labels),
  });
}

function assigneeOf({ assignee }: Thread): string | null {
  return assignee?.user_id ?? null;
}

function putAssignee({ id }: Thread, next: string | null, before: string | null): Promise<unknown> {
  return sendJson('PUT', `/threads/${id}/assignee`, { user_id: next, if_assignee: before });
}

function putLabels({ id }: Thread, labels: readonly string[]): Promise<unknown> {
  return sendJson('PUT', `/threads/${id}/labels`, { labels });
}

interface Change {
  words(count: number): string;
  run(thread: Thread): Promise<unknown>;
  undo(thread: Thread): Promise<unknown>;
  afterUndo?(undone: Threads): Promise<void>;
}

async function change(threads: Threads, { words, run, undo, afterUndo }: Change): Promise<void> {
  const mailboxId = threads[0]?.mailbox_id;
  if (mailboxId === undefined) return;
  const done = await runEach(threads, run);
  const takeBack = async () => {
    const undone = await runEach(done, undo);
    await afterUndo?.(undone);
    await refresh('mail', mailboxId);
  };
  if (done.length > 0)
    showToast(words(done.length), {
      action: {
        label: mailTexts.actions.undo,
        run: () => void takeBack(),
      },
    });
  await refresh('mail', mailboxId);
}

/** Returns the threads for which it worked, and tells of the others. */
async function runEach(threads: Threads, run: (thread: Thread) => Promise<unknown>): Promise<Thread[]> {
  const waiting = [...threads];
  const done: Thread[] = [];
  let failure: unknown = null;
  const work = async () => {
    for (let thread = waiting.shift(); thread; thread = waiting.shift())
      try {
        await run(thread);
        done.push(thread);
      } catch (error) {
        failure = error;
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const failed = threads.length - done.length;
  if (failed > 0) showToast(t.failed(failed, describeError(failure)), { tone: 'bad' });
  return done;
}
