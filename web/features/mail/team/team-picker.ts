/** Which of assign, snooze and label is being chosen, and for which conversations. Keys, menus and swipes open it. */
import { useSyncExternalStore } from 'react';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';

export interface PickerState {
  kind: 'assign' | 'snooze' | 'label';
  mailboxId: string;
  threads: readonly Thread[];
  /** Runs when something was chosen. */
  onDone?: (() => void) | undefined;
}

let open: PickerState | null = null;
const listeners = new Set<() => void>();

export function openPicker(picker: PickerState | null): void {
  open = picker;
  for (const listener of listeners) listener();
}

export function usePicker(): PickerState | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
