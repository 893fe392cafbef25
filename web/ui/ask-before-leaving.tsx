/**
 * Asks before a page is left with changes that are not saved; when the tab is closed, the browser asks.
 * Who leaves on purpose, as after deleting what is shown, navigates with `ignoreBlocker`.
 */
import { useBlocker } from '@tanstack/react-router';
import { texts } from '../texts/en.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const t = texts.common;

/** Longer nobody is kept waiting by a server that does not answer. */
const SAVE_WITHIN_MS = 3_000;

interface AskBeforeLeavingProps {
  isUnsaved: boolean;
  /** What would be lost. */
  text?: string;
  /** Tried first, by a page that saves itself; it is asked only where that throws. */
  save?(): Promise<void>;
}

export function AskBeforeLeaving({ isUnsaved, text = t.leaveText, save }: AskBeforeLeavingProps) {
  const { status, proceed, reset } = useBlocker({
    async shouldBlockFn({ current, next }) {
      if (!isUnsaved || current.pathname === next.pathname) return false;
      return save === undefined || !(await works(save));
    },
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <ConfirmDialog title={t.leaveTitle} action={t.leave} run={async () => proceed()} onClose={reset}>
      <p>{text}</p>
    </ConfirmDialog>
  );
}

async function works(save: () => Promise<void>): Promise<boolean> {
  const isTooLate = new Promise<false>((resolve) => {
    window.setTimeout(() => resolve(false), SAVE_WITHIN_MS);
  });
  const isSaved = save().then(
    () => true,
    () => false,
  );
  return Promise.race([isSaved, isTooLate]);
}
