import { Archive, ArrowLeft, Inbox, MailOpen, OctagonAlert, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes.schema.ts';
import type { Thread } from '../../../src/features/threads/threads.schema.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { changeThreads, deleteThreads, moveThreads } from './thread-changes.ts';

const t = mailTexts.actions;

interface ThreadToolbarProps {
  mailbox: Mailbox;
  thread: Thread;
  goBack(): void;
}

export function ThreadToolbar({ mailbox, thread, goBack }: ThreadToolbarProps) {
  const { messages: _, ...bare } = thread as Thread & { messages?: unknown };
  return (
    <div className="sticky top-0 z-10 flex h-12 shrink-0 items-center gap-0.5 border-b border-line bg-paper px-2 sm:px-4 print:hidden">
      <IconButton icon={ArrowLeft} label={mailTexts.list.back} className="md:hidden" onClick={goBack} />
      <ThreadActions
        mailboxId={mailbox.id}
        threads={[bare]}
        then={(left) => {
          if (left) goBack();
        }}
      />
    </div>
  );
}

interface ThreadActionsProps {
  mailboxId: string;
  threads: readonly Thread[];
  /** Whether they left the place where they were. */
  then(left: boolean): void;
}

/** For one that is open, or for all that are selected. */
export function ThreadActions({ mailboxId, threads, then }: ThreadActionsProps) {
  const [deleting, setDeleting] = useState(false);
  const isIn = (folder: Thread['folder']) => threads.every((thread) => thread.folder === folder);
  const move = (folder: 'inbox' | 'archive' | 'trash' | 'spam') => {
    void moveThreads(mailboxId, threads, folder);
    then(true);
  };
  const anyUnread = threads.some(({ unread }) => unread);
  return (
    <>
      {(isIn('archive') || isIn('trash')) && (
        <IconButton icon={Inbox} label={t.inbox} onClick={() => move('inbox')} />
      )}
      {isIn('spam') && <IconButton icon={Inbox} label={t.notSpam} onClick={() => move('inbox')} />}
      {!isIn('archive') && <IconButton icon={Archive} label={t.archive} onClick={() => move('archive')} />}
      {!isIn('spam') && <IconButton icon={OctagonAlert} label={t.spam} onClick={() => move('spam')} />}
      {isIn('trash') ? (
        <IconButton icon={Trash2} label={t.deleteForever} onClick={() => setDeleting(true)} />
      ) : (
        <IconButton icon={Trash2} label={t.trash} onClick={() => move('trash')} />
      )}
      <IconButton
        icon={MailOpen}
        label={anyUnread ? t.read : t.unread}
        onClick={() => {
          void changeThreads(mailboxId, threads, { read: anyUnread });
          then(!anyUnread);
        }}
      />
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(threads.length)}
          action={t.deleteForever}
          onClose={() => setDeleting(false)}
          run={async () => {
            then(true);
            await deleteThreads(mailboxId, threads);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
