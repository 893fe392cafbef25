/** Which of assign, snooze and label is being chosen, and for which conversations. Keys, menus and swipes open it. */
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sharedValue } from '../../../api/shared-value.ts';

export interface PickerState {
  kind: 'assign' | 'snooze' | 'label';
  mailboxId: string;
  threads: readonly Thread[];
  /** Runs when something was chosen. */
  onDone?: (() => void) | undefined;
}

const picker = sharedValue<PickerState | null>(null);

export const openPicker = picker.set;
export const usePicker = picker.use;
