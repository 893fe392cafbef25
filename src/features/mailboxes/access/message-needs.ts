/** What changes of messages need, for email apps. Drafts may be changed by all who may write drafts. */
import type { MailboxNeed } from '../../api/mailbox-access.ts';
import type { FlagChange } from '../storage/change-flags.ts';

/** Adding, replacing or deleting messages in a folder. */
export function needInFolder(folder: string): MailboxNeed {
  return folder === 'drafts' ? 'draft' : 'reply';
}

/** Everyone who may read marks messages as read. Other flags and labels are for those who may reply. */
export function needOfFlags(folder: string, change: FlagChange): MailboxNeed {
  if ('set' in change) return needInFolder(folder);
  const sets = [change.add, change.remove];
  const onlyRead = sets.every(
    (set) => (set?.labels ?? []).length === 0 && (set?.flags ?? []).every((flag) => flag === 'read'),
  );
  return onlyRead ? 'read' : needInFolder(folder);
}
