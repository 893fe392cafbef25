import { describeError } from '../api/describe-error.ts';
import { refresh } from '../api/query-client.ts';
import { showToast } from './toasts.ts';

interface Outcome {
  /** Shown after success. */
  done?: string;
  /** The key of the queries to refetch afterwards. */
  refreshes?: readonly unknown[];
}

/** Runs the action of a button or switch, and shows its success or error in a toast. */
export async function act(run: () => Promise<unknown>, { done, refreshes }: Outcome = {}): Promise<void> {
  try {
    await run();
    if (done !== undefined) showToast(done);
  } catch (error) {
    showToast(describeError(error), { tone: 'bad' });
  }
  if (refreshes) await refresh(...refreshes);
}
