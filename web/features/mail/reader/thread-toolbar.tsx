import { useQuery } from '@tanstack/react-query';
import {
  Archive,
  ArrowLeft,
  Folder,
  FolderInput,
  Inbox,
  MailOpen,
  OctagonAlert,
  Star,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { PageActions } from '../../../ui/page-actions.tsx';
import { Toolbar, ToolbarButton } from '../../../ui/toolbar.tsx';
import { foldersQuery } from '../live/mail-api.ts';
import { STARRED } from '../parts/star.ts';
import { changeThreads, deleteThreads, moveThreads } from '../live/thread-changes.ts';

const t = mailTexts.actions;
/** Threads in these folders have no button that moves them to the inbox, or one with another name. */
const STAYS = ['inbox', 'spam', 'sent', 'drafts'];

interface ThreadToolbarProps {
  mailbox: Mailbox;
  thread: Thread;
  goBack(): void;
}

export function ThreadToolbar({ mailbox, thread, goBack }: ThreadToolbarProps) {
  const { messages: _, ...bare } = thread as Thread & { messages?: unknown };
  return (
    <Toolbar
      label={t.ofThread}
      className="sticky top-0 z-10 flex h-12 shrink-0 items-center gap-0.5 border-b border-line bg-paper px-2 sm:px-4 print:hidden"
    >
      <ToolbarButton icon={ArrowLeft} label={mailTexts.list.back} className="md:hidden" onClick={goBack} />
      <PageActions className="contents">
        <ThreadActions
          mailboxId={mailbox.id}
          threads={[bare]}
          then={(left) => {
            if (left) goBack();
          }}
        />
      </PageActions>
    </Toolbar>
  );
}

interface ThreadActionsProps {
  mailboxId: string;
  threads: readonly Thread[];
  /** `left` tells whether the threads left the current folder. */
  then(left: boolean): void;
}

/** The actions for the open thread, or for all selected ones. They must be inside a `Toolbar`. */
export function ThreadActions({ mailboxId, threads, then }: ThreadActionsProps) {
  const [deleting, setDeleting] = useState(false);
  const isIn = (folder: Thread['folder']) => threads.every((thread) => thread.folder === folder);
  const { data: folders = [] } = useQuery(foldersQuery(mailboxId));
  const own = folders.filter(({ role, id }) => role === null && !isIn(id));
  const move = (folder: string, name?: string) => {
    void moveThreads(mailboxId, threads, folder, name);
    then(true);
  };
  const anyUnread = threads.some(({ unread }) => unread);
  const anyStarred = threads.some(({ starred }) => starred);
  return (
    <>
      {threads.every(({ folder }) => !STAYS.includes(folder)) && (
        <ToolbarButton icon={Inbox} label={t.inbox} onClick={() => move('inbox')} />
      )}
      {isIn('spam') && <ToolbarButton icon={Inbox} label={t.notSpam} onClick={() => move('inbox')} />}
      {!isIn('archive') && <ToolbarButton icon={Archive} label={t.archive} onClick={() => move('archive')} />}
      {!isIn('spam') && <ToolbarButton icon={OctagonAlert} label={t.spam} onClick={() => move('spam')} />}
      {isIn('trash') ? (
        <ToolbarButton icon={Trash2} label={t.deleteForever} onClick={() => setDeleting(true)} />
      ) : (
        <ToolbarButton icon={Trash2} label={t.trash} onClick={() => move('trash')} />
      )}
      <ToolbarButton
        icon={MailOpen}
        label={anyUnread ? t.read : t.unread}
        onClick={() => {
          void changeThreads(mailboxId, threads, { read: anyUnread });
          then(!anyUnread);
        }}
      />
      <ToolbarButton
        icon={Star}
        label={anyStarred ? t.unstar : t.star}
        className={anyStarred ? STARRED : undefined}
        onClick={() => void changeThreads(mailboxId, threads, { starred: !anyStarred })}
      />
      {own.length > 0 && (
        <Menu trigger={<ToolbarButton icon={FolderInput} label={t.moveTo} />}>
          <div className="max-h-80 overflow-y-auto">
            {own.map(({ id, name }) => (
              <MenuItem key={id} icon={Folder} onSelect={() => move(id, name)}>
                <span className="max-w-64 truncate">{name}</span>
              </MenuItem>
            ))}
          </div>
        </Menu>
      )}
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(threads.length)}
          action={t.deleteForever}
          onClose={() => setDeleting(false)}
          run={async () => {
            then(true);
            await deleteThreads(mailboxId, threads);
          }}
          text={t.deleteText}
        />
      )}
    </>
  );
}
