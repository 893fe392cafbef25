import { describeError } from '../api/describe-error.ts';
import { refresh } from '../api/query-client.ts';
import { texts } from '../texts/en.ts';
import { showToast } from './toasts.ts';

interface Outcome {
  /** Shown after success. */
  done?: string;
  /** Takes it back. The toast offers it for as long as it is shown. */
  undo?: () => Promise<unknown>;
  /** The key of the queries to refetch afterwards. */
  refreshes?: readonly unknown[];
}

/** Runs the action of a button or switch, and shows its success or error in a toast. */
export async function act(
  run: () => Promise<unknown>,
  { done, undo, refreshes }: Outcome = {},
): Promise<void> {
  try {
    await run();
    if (done !== undefined) showToast(done, { action: undo ? undoAction(undo, refreshes) : null });
  } catch (error) {
    showToast(describeError(error), { tone: 'bad' });
  }
  if (refreshes) await refresh(...refreshes);
}

function undoAction(undo: () => Promise<unknown>, refreshes: readonly unknown[] | undefined) {
  return {
    label: texts.common.undo,
    run: () => void act(undo, { done: texts.common.undone, ...(refreshes ? { refreshes } : {}) }),
  };
}
