import { useQuery } from '@tanstack/react-query';
import { Settings2 } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { SavedReply } from '../../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { mailTexts } from '../../../../texts/en/mail.ts';
import { Menu, MenuItem, MenuSeparator } from '../../../../ui/menu.tsx';
import { savedRepliesQuery } from '../../live/mail-api.ts';
import { openMailDialog } from '../../parts/mail-dialogs.ts';

const t = mailTexts.replies;

interface SavedReplyMenuProps {
  mailboxId: string;
  trigger: ReactNode;
  choose(reply: SavedReply): void;
}

export function SavedReplyMenu({ mailboxId, trigger, choose }: SavedReplyMenuProps) {
  const { data: replies = [] } = useQuery(savedRepliesQuery(mailboxId));
  return (
    <Menu align="start" trigger={trigger}>
      <div className="max-h-72 max-w-72 overflow-y-auto">
        {byFolder(replies).map(([folder, own]) => (
          <Fragment key={folder}>
            {folder !== '' && <p className="truncate px-2.5 pt-1.5 text-xs text-soft">{folder}</p>}
            {own.map((reply) => (
              <MenuItem key={reply.id} onSelect={() => choose(reply)}>
                <span className="truncate">{reply.name}</span>
              </MenuItem>
            ))}
          </Fragment>
        ))}
        {replies.length === 0 && <p className="px-2.5 py-1.5 text-soft">{t.none}</p>}
      </div>
      <MenuSeparator />
      <MenuItem icon={Settings2} onSelect={() => openMailDialog('saved-replies')}>
        {t.manage}
      </MenuItem>
    </Menu>
  );
}

/** Those without a folder come first. */
function byFolder(replies: readonly SavedReply[]): [string, SavedReply[]][] {
  const groups = new Map<string, SavedReply[]>([['', []]]);
  for (const reply of replies) {
    const folder = reply.folder ?? '';
    groups.set(folder, [...(groups.get(folder) ?? []), reply]);
  }
  return [...groups].toSorted(([one], [other]) => one.localeCompare(other));
}
