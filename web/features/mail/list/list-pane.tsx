import type { UseQueryResult } from '@tanstack/react-query';
import { CheckCheck, PenLine, X } from 'lucide-react';
import type { RefObject } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Drawer } from '../../../ui/dialogs/drawer.tsx';
import { Toolbar, ToolbarButton } from '../../../ui/toolbar.tsx';
import { compose } from '../compose/compositions.ts';
import { ABOUT_TO_WRITE } from '../compose/late-composer.tsx';
import { DraftList } from './draft-list.tsx';
import { FolderMenu } from './folder-dialogs.tsx';
import { isListed, useFolderName } from '../live/mail-api.ts';
import { EmptyTrash } from './empty-trash.tsx';
import { MailboxNav } from './mailbox-nav.tsx';
import { SearchBox } from './search-box.tsx';
import type { Selection } from './selection.ts';
import { ThreadList } from './thread-list.tsx';
import type { ThreadRows } from '../live/thread-rows.ts';
import { ThreadActions } from '../reader/thread-toolbar.tsx';
import { TeamMenu } from './team-menu.tsx';
import { WaitingList } from './waiting-list.tsx';

const t = mailTexts.list;

interface ListPaneProps {
  isAlone: boolean;
  mailbox: Mailbox;
  folder: string;
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
  const name = useFolderName(mailbox.id, folder);
  return (
    <section
      aria-label={name}
      className={classes(
        'w-full shrink-0 flex-col border-line md:flex md:w-80 md:border-r xl:w-96',
        isAlone ? 'flex' : 'hidden print:hidden',
      )}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 lg:px-3">
        <Drawer title={mailTexts.nav.label} label={mailTexts.nav.open} className="lg:hidden">
          {(close) => <MailboxNav mailbox={mailbox} onNavigate={close} />}
        </Drawer>
        <SearchBox q={q} field={props.searchField} search={props.searchFor} />
        <IconButton
          icon={PenLine}
          label={mailTexts.nav.compose}
          className="lg:hidden"
          {...ABOUT_TO_WRITE}
          onClick={() => compose(mailbox.id)}
        />
      </div>
      {selection.threads.length > 0 ? (
        <Toolbar
          label={t.selected(selection.threads.length)}
          className="flex h-10 shrink-0 items-center gap-0.5 border-b border-line bg-panel px-2"
        >
          <ToolbarButton icon={X} label={t.clear} onClick={selection.clear} />
          <span className="mr-auto px-1 whitespace-nowrap">{t.selected(selection.threads.length)}</span>
          <ToolbarButton icon={CheckCheck} label={t.selectAll} onClick={selection.selectAll} />
          <ThreadActions mailboxId={mailbox.id} threads={selection.threads} then={selection.clear} />
          <TeamMenu mailboxId={mailbox.id} selection={selection} />
        </Toolbar>
      ) : (
        <div className="flex h-10 shrink-0 items-center justify-between border-b border-line px-4">
          <h2 className="truncate font-semibold">{q === '' ? name : q}</h2>
          {q === '' && folder === 'trash' && <EmptyTrash mailboxId={mailbox.id} />}
          {q === '' && !isListed(folder) && <FolderMenu mailboxId={mailbox.id} folder={folder} name={name} />}
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
