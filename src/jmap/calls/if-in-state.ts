/** The condition `ifInState` of /set and /import calls (RFC 8620 section 5.3). */
import { asChangeAfter, ChangedMeanwhile } from '../../features/mailboxes/storage/change-numbers.ts';
import { readChangeNumber } from '../../features/mailboxes/storage/list-changes.ts';
import { MethodError, type MethodContext } from './tools.ts';

export interface Condition {
  oldState: string;
  /** Runs a change. Until a first change was made, it fails with StateMismatch if others have changed the state. */
  hold(work: () => Promise<void>): Promise<void>;
}

export class StateMismatch extends MethodError {
  constructor() {
    super('stateMismatch', 'The state has changed in the meantime.');
  }
}

/** `ifInState` must hold when the first object is changed, even if another client changes one at the same moment. */
export async function checkState(
  { tools, login }: MethodContext,
  readState: () => Promise<string>,
  ifInState: string | null | undefined,
): Promise<Condition> {
  // The change number is read first, so that later changes of the state have a higher one.
  let { modseq } = await readChangeNumber(tools.db, login);
  const oldState = await readState();
  if (ifInState === null || ifInState === undefined) return { oldState, hold: (work) => work() };
  if (ifInState !== oldState) throw new StateMismatch();
  let hasChanged = false;
  async function hold(work: () => Promise<void>): Promise<void> {
    while (!hasChanged) {
      try {
        await asChangeAfter(login, modseq, work);
        hasChanged = true;
        return;
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) throw error;
        ({ modseq } = await readChangeNumber(tools.db, login));
        if ((await readState()) !== ifInState) throw new StateMismatch();
      }
    }
    await work();
  }
  return { oldState, hold };
}
