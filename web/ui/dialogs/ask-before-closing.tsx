/** Asks before a dialog with typed text is closed by Escape, a button or the cross. */
import { useState, type ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const t = texts.common;

interface AskedClosing {
  /** Closes the dialog, after the question if it is needed. */
  close(): void;
  question: ReactNode;
}

export function useAskBeforeClosing(isUnsaved: boolean, onClose: () => void): AskedClosing {
  const [isAsking, setIsAsking] = useState(false);
  return {
    close: () => (isUnsaved ? setIsAsking(true) : onClose()),
    question: isAsking && (
      <ConfirmDialog
        title={t.leaveTitle}
        text={t.leaveText}
        action={t.leave}
        run={async () => onClose()}
        onClose={() => setIsAsking(false)}
      />
    ),
  };
}
