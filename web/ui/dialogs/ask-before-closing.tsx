/** Asks before a dialog is closed in which somebody has written a text. Ways out are Escape, a button and the cross. */
import { useState, type ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const t = texts.common;

interface AskedClosing {
  /** Closes the dialog, after the question if there is one. */
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
