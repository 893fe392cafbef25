/** Assigns, snoozes, labels, mutes and merges all selected conversations. */
import { AlarmClock, BellOff, Ellipsis, Merge, Tag, UserRound } from 'lucide-react';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { ToolbarButton } from '../../../ui/toolbar.tsx';
import type { Selection } from './selection.ts';
import { mergeThreads } from '../team/merge-actions.ts';
import { toggleMuted } from '../team/team-actions.ts';
import { openPicker, type PickerState } from '../team/team-picker.ts';

/** Must be inside a `Toolbar`. */
export function TeamMenu({ mailboxId, selection }: { mailboxId: string; selection: Selection }) {
  const pick = (kind: PickerState['kind']) =>
    // Labels are chosen one after the other, so the selection stays.
    openPicker({
      kind,
      mailboxId,
      threads: selection.threads,
      onDone: kind === 'label' ? undefined : selection.clear,
    });
  return (
    <Menu trigger={<ToolbarButton icon={Ellipsis} label={t.more} />}>
      <MenuItem icon={UserRound} onSelect={() => pick('assign')}>
        {t.assign}
      </MenuItem>
      <MenuItem icon={AlarmClock} onSelect={() => pick('snooze')}>
        {t.snooze}
      </MenuItem>
      <MenuItem icon={Tag} onSelect={() => pick('label')}>
        {t.label}
      </MenuItem>
      <MenuItem
        icon={BellOff}
        onSelect={() => {
          void toggleMuted(selection.threads);
          selection.clear();
        }}
      >
        {selection.threads.every(({ muted }) => muted) ? t.unmute : t.mute}
      </MenuItem>
      <MenuItem
        icon={Merge}
        disabled={selection.threads.length < 2}
        onSelect={() => {
          void mergeThreads(selection.threads);
          selection.clear();
        }}
      >
        {t.merge}
      </MenuItem>
    </Menu>
  );
}
