/**
 * Asks before leaving a page with unsaved changes. When the tab is closed, the browser asks. To leave without a
 * question, for example after deleting the item, navigate with `ignoreBlocker`.
 */
import { useBlocker } from '@tanstack/react-router';
import { texts } from '../../texts/en.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const t = texts.common;

/** How long leaving waits for a server that does not respond. */
const SAVE_WITHIN_MS = 3_000;

interface AskBeforeLeavingProps {
  isUnsaved: boolean;
  /** Explains the loss. */
  text?: string;
  /** Called first, for a page that saves itself. The question appears only if it throws. */
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
    <ConfirmDialog
      title={t.leaveTitle}
      text={text}
      action={t.leave}
      run={async () => proceed()}
      onClose={reset}
    />
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
