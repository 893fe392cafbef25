/** What the command palette offers while webmail is open, besides the pages. */
import {
  AlarmClock,
  AtSign,
  Bell,
  BellOff,
  Keyboard,
  Merge,
  MessageSquareText,
  MonitorSmartphone,
  Plane,
  Tag,
  Tags,
  UserRound,
  UserRoundCheck,
  Workflow,
} from 'lucide-react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { usePageActions, type PageAction } from '../../ui/page-actions.tsx';
import { actionTexts } from '../../texts/en/mail-actions.ts';
import { arrivalTexts } from '../../texts/en/mail-arrival.ts';
import { notifyTexts } from '../../texts/en/mail-notify.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { FOLDERS } from './live/mail-api.ts';
import { openMailDialog } from './parts/mail-dialogs.ts';
import { FOLDER_ICONS } from './parts/folder-icons.ts';
import type { PickerState } from './team/team-picker.ts';

interface MailPalette {
  mailbox: Mailbox;
  /** Whether something is selected or open. */
  hasThreads: boolean;
  pick(kind: PickerState['kind'] | 'take'): void;
  mute(): void;
  /** Undefined while fewer than two conversations are selected. */
  merge: (() => void) | undefined;
  goTo(folder: string): void;
}

export function useMailPalette({ hasThreads, pick, mute, merge, goTo }: MailPalette): void {
  const t = mailTexts.nav;
  const ofThreads: PageAction[] = [
    { name: actionTexts.snooze, icon: AlarmClock, run: () => pick('snooze') },
    { name: actionTexts.label, icon: Tag, run: () => pick('label') },
    { name: actionTexts.assign, icon: UserRound, run: () => pick('assign') },
    { name: actionTexts.keys.take, icon: UserRoundCheck, run: () => pick('take') },
    { name: actionTexts.keys.mute, icon: BellOff, run: mute },
    ...(merge ? [{ name: actionTexts.merge, icon: Merge, run: merge }] : []),
  ];
  const dialogs: PageAction[] = [
    { name: actionTexts.manage, icon: Tags, run: () => openMailDialog('labels') },
    { name: notifyTexts.title, icon: Bell, run: () => openMailDialog('notifications') },
    { name: t.savedReplies, icon: MessageSquareText, run: () => openMailDialog('saved-replies') },
    { name: t.automaticReply, icon: Plane, run: () => openMailDialog('automatic-reply') },
    { name: arrivalTexts.rules.title, icon: Workflow, run: () => openMailDialog('rules') },
    { name: arrivalTexts.addresses.title, icon: AtSign, run: () => openMailDialog('addresses') },
    { name: t.mailPrograms, icon: MonitorSmartphone, run: () => openMailDialog('mail-programs') },
    { name: t.shortcuts, icon: Keyboard, run: () => openMailDialog('shortcuts') },
  ];
  const folders = FOLDERS.map((folder) => ({
    name: mailTexts.folders[folder],
    icon: FOLDER_ICONS[folder],
    run: () => goTo(folder),
  }));
  usePageActions([...(hasThreads ? ofThreads : []), ...dialogs, ...folders]);
}
