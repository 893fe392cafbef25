import type { UseQueryResult } from '@tanstack/react-query';
import { CheckCheck, Menu as MenuIcon, PenLine, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState, type RefObject } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes.schema.ts';
import type { FolderOrView } from '../../../src/features/threads/threads.schema.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { compose } from './compose/compositions.ts';
import { DraftList } from './draft-list.tsx';
import { EmptyTrash } from './empty-trash.tsx';
import { MailboxNav } from './mailbox-nav.tsx';
import { SearchBox } from './search-box.tsx';
import type { Selection } from './selection.ts';
import { ThreadList } from './thread-list.tsx';
import type { ThreadRows } from './thread-rows.ts';
import { ThreadActions } from './thread-toolbar.tsx';
import { WaitingList } from './waiting-list.tsx';

const t = mailTexts.list;

interface ListPaneProps {
  isAlone: boolean;
  mailbox: Mailbox;
  folder: FolderOrView;
  q: string;
  query: UseQueryResult<ThreadRows>;
  openId: string | undefined;
  cursorId: string | undefined;
  selection: Selection;
  searchField: RefObject<HTMLInputElement | null>;
  searchFor(q: string): void;
  isLive: boolean;
}

export function ListPane(props: ListPaneProps) {
  const { isAlone, mailbox, folder, q, query, openId, cursorId, selection } = props;
  return (
    <section
      aria-label={mailTexts.folders[folder]}
      className={classes(
        'w-full shrink-0 flex-col border-line md:flex md:w-80 md:border-r xl:w-96',
        isAlone ? 'flex' : 'hidden print:hidden',
      )}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 lg:px-3">
        <NavDrawer mailbox={mailbox} />
        <SearchBox q={q} field={props.searchField} search={props.searchFor} />
        <IconButton
          icon={PenLine}
          label={mailTexts.nav.compose}
          className="lg:hidden"
          onClick={() => compose(mailbox.id)}
        />
      </div>
      {selection.threads.length > 0 ? (
        <div
          role="toolbar"
          aria-label={t.selected(selection.threads.length)}
          className="flex h-10 shrink-0 items-center gap-0.5 border-b border-line bg-panel px-2"
        >
          <IconButton icon={X} label={t.clear} onClick={selection.clear} />
          <span className="mr-auto px-1 whitespace-nowrap">{t.selected(selection.threads.length)}</span>
          <IconButton icon={CheckCheck} label={t.selectAll} onClick={selection.selectAll} />
          <ThreadActions mailboxId={mailbox.id} threads={selection.threads} then={selection.clear} />
        </div>
      ) : (
        <div className="flex h-10 shrink-0 items-center justify-between border-b border-line px-4">
          <h2 className="truncate font-semibold">{q === '' ? mailTexts.folders[folder] : q}</h2>
          {q === '' && folder === 'trash' && <EmptyTrash mailboxId={mailbox.id} />}
        </div>
      )}
      {!props.isLive && (
        <p role="status" className="bg-warn-tint px-4 py-1.5 text-[0.8125rem] text-warn">
          {mailTexts.live.lost}
        </p>
      )}
      {q === '' && folder === 'scheduled' ? (
        <WaitingList mailboxId={mailbox.id} />
      ) : q === '' && folder === 'drafts' ? (
        <DraftList mailboxId={mailbox.id} />
      ) : (
        <ThreadList
          key={`${folder} ${q}`}
          query={query}
          mailboxId={mailbox.id}
          folder={folder}
          q={q}
          openId={openId}
          cursorId={cursorId}
          selected={selection.ids}
          select={selection.select}
        />
      )}
    </section>
  );
}

/** Where the first pane has no room. */
function NavDrawer({ mailbox }: { mailbox: Mailbox }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <IconButton icon={MenuIcon} label={mailTexts.nav.open} className="lg:hidden" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-[#0008]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] animate-slide-in border-r border-line bg-panel"
        >
          <Dialog.Title className="sr-only">{mailTexts.nav.label}</Dialog.Title>
          <MailboxNav mailbox={mailbox} onNavigate={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
