/** Which dialog of webmail is open. Navigation, shortcuts and composer open the same ones. */
import { useSyncExternalStore } from 'react';

export type MailDialog =
  | 'shortcuts'
  | 'saved-replies'
  | 'settings'
  | 'new-mailbox'
  | 'new-folder'
  | 'mail-programs'
  | 'automatic-reply'
  | 'rules'
  | 'addresses'
  | 'labels'
  | 'notifications';

let open: MailDialog | null = null;
const listeners = new Set<() => void>();

export function openMailDialog(dialog: MailDialog | null): void {
  open = dialog;
  for (const listener of listeners) listener();
}

export function useMailDialog(): MailDialog | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
