/**
 * Asks before a page is left with changes that are not saved; when the tab is closed, the browser asks.
 * Who leaves on purpose, as after deleting what is shown, navigates with `ignoreBlocker`.
 */
import { useBlocker } from '@tanstack/react-router';
import { texts } from '../texts/en.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const t = texts.common;

export function AskBeforeLeaving({ isUnsaved }: { isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <ConfirmDialog title={t.leaveTitle} action={t.leave} run={async () => proceed()} onClose={reset}>
      <p>{t.leaveText}</p>
    </ConfirmDialog>
  );
}
