import { describeError } from '../api/describe-error.ts';
import { refresh } from '../api/query-client.ts';
import { showToast } from './toasts.ts';

interface Outcome {
  /** Shown when it has worked. */
  done?: string;
  /** The key of the queries that show what it changes. */
  refreshes?: readonly unknown[];
}

/** Does at once what a button or switch asks for, and shows in a toast that it is done, or why it is not. */
export async function act(run: () => Promise<unknown>, { done, refreshes }: Outcome = {}): Promise<void> {
  try {
    await run();
    if (done !== undefined) showToast(done);
  } catch (error) {
    showToast(describeError(error), { tone: 'bad' });
  }
  if (refreshes) await refresh(...refreshes);
}
