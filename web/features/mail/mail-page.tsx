/** The three panes: mailboxes and folders, the list, and what is read. On a phone each stands alone. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes.schema.ts';
import type { FolderOrView } from '../../../src/features/threads/threads.schema.ts';
import { queryClient } from '../../api/query-client.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { SkipLink } from '../../shell/skip-link.tsx';
import { mailTexts } from '../../texts/en/mail.ts';
import { useTitle } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { LEFT_BEHIND_MS, rescueUnsaved } from './compose/unsaved.ts';
import { rememberMailbox } from './last-mailbox.ts';
import { ListPane } from './list-pane.tsx';
import { useLiveMailbox } from './live.ts';
import { FOLDERS, mailboxesQuery, threadQuery, threadsQuery } from './mail-api.ts';
import { openMailDialog, useMailDialog } from './mail-dialogs.ts';
import { MailboxNav } from './mailbox-nav.tsx';
import { MailboxSettingsDialog, NewMailboxDialog } from './mailbox-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { ThreadView } from './thread-view.tsx';
import { useMailKeys } from './mail-keys.ts';
import { useSelection } from './selection.ts';
import { REST_MS } from './thread-row.tsx';
import { placeOf, type Row } from './thread-rows.ts';

const NO_ROWS: readonly Row[] = [];

const SavedRepliesDialog = lazy(async () => ({
  default: (await import('./compose/saved-replies-dialog.tsx')).SavedRepliesDialog,
}));

export function MailPage() {
  const { mailboxId, folder } = useParams({ from: '/mail/mail/$mailboxId/$folder' });
  const mailboxes = useQuery(mailboxesQuery);
  if (hasFailed(mailboxes))
    return (
      <div
        className="p-6"
        children={<ErrorState error={mailboxes.error} retry={() => void mailboxes.refetch()} />}
      />
    );
  if (mailboxes.isPending) return null;
  const mailbox = mailboxes.data.find(({ id }) => id === mailboxId);
  const place = FOLDERS.find((each) => each === folder);
  if (!mailbox || !place) return <Navigate to="/mail" replace />;
  return <Panes key={mailbox.id} mailbox={mailbox} folder={place} />;
}

function Panes({ mailbox, folder }: { mailbox: Mailbox; folder: FolderOrView }) {
  const { threadId } = useParams({ strict: false });
  const { q = '' } = useSearch({ from: '/mail/mail/$mailboxId/$folder' });
  const navigate = useNavigate();
  const isLive = useLiveMailbox(mailbox.id);
  const threads = useQuery(threadsQuery(mailbox.id, { folder, q }));
  const items = threads.data?.rows ?? NO_ROWS;
  const selection = useSelection(items);
  const dialog = useMailDialog();
  useTitle(`${mailTexts.folders[folder]} · ${mailbox.address}`);
  useEffect(() => {
    rememberMailbox(mailbox.id);
    const rescue = async () => {
      const hasRescued = await rescueUnsaved(mailbox.id);
      if (hasRescued) await queryClient.invalidateQueries({ queryKey: ['mail', mailbox.id] });
    };
    void rescue();
    // Once more when it is certain that nobody else saves what a tab left behind that broke.
    const again = window.setTimeout(() => void rescue(), LEFT_BEHIND_MS);
    return () => window.clearTimeout(again);
  }, [mailbox.id]);

  const params = { mailboxId: mailbox.id, folder };
  const search = q === '' ? {} : { q };
  const goBack = () => void navigate({ to: '/mail/$mailboxId/$folder', params, search });
  const open = (id: string, replace = false) =>
    void navigate({
      to: '/mail/$mailboxId/$folder/$threadId',
      params: { ...params, threadId: id },
      search,
      replace,
    });
  const searchFor = useCallback(
    (text: string) =>
      void navigate({
        to: '/mail/$mailboxId/$folder',
        params: { mailboxId: mailbox.id, folder },
        search: text === '' ? {} : { q: text },
        replace: true,
      }),
    [navigate, mailbox.id, folder],
  );
  const { cursorId, searchField } = useMailKeys({
    mailbox,
    items,
    threadId,
    selection,
    open,
    goBack,
    goTo: (place) =>
      void navigate({ to: '/mail/$mailboxId/$folder', params: { mailboxId: mailbox.id, folder: place } }),
  });

  const at = placeOf(items, threadId);
  const neighbours = [items[at + 1]?.id, at > 0 ? items[at - 1]?.id : undefined].join(' ');
  useEffect(() => {
    if (threadId === undefined) return undefined;
    // Who holds a key down passes many by: only where somebody rests are the next ones fetched.
    const timer = window.setTimeout(() => {
      for (const id of neighbours.split(' ').filter(Boolean))
        void queryClient.prefetchQuery(threadQuery(mailbox.id, id));
    }, REST_MS);
    return () => window.clearTimeout(timer);
  }, [neighbours, threadId, mailbox.id]);

  return (
    <div className="flex h-dvh overflow-hidden print:block print:h-auto print:overflow-visible">
      <SkipLink />
      <aside className="hidden w-56 shrink-0 border-r border-line bg-panel lg:block print:hidden">
        <MailboxNav mailbox={mailbox} />
      </aside>
      <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 outline-none print:block">
        <h1 className="sr-only">{mailTexts.title}</h1>
        <ListPane
          isAlone={threadId === undefined}
          mailbox={mailbox}
          folder={folder}
          q={q}
          query={threads}
          openId={threadId}
          cursorId={cursorId}
          selection={selection}
          searchField={searchField}
          searchFor={searchFor}
          isLive={isLive}
        />
        <div
          className={`min-w-0 flex-1 overflow-y-auto overscroll-contain print:overflow-visible ${threadId === undefined ? 'hidden md:block' : ''}`}
        >
          {threadId === undefined ? (
            <NothingOpen />
          ) : (
            <ThreadView key={threadId} mailbox={mailbox} threadId={threadId} goBack={goBack} />
          )}
        </div>
      </main>
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {dialog === 'settings' && <MailboxSettingsDialog mailbox={mailbox} onClose={close} />}
      {dialog === 'new-mailbox' && <NewMailboxDialog onClose={close} />}
      {dialog === 'saved-replies' && (
        <Suspense>
          <SavedRepliesDialog mailboxId={mailbox.id} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

function close(): void {
  openMailDialog(null);
}

function NothingOpen() {
  return (
    <div className="flex h-full flex-col items-center justify-center px-8 text-center text-soft">
      <Mail aria-hidden className="mb-3 size-8" strokeWidth={1.25} />
      <p className="font-medium text-ink">{mailTexts.thread.none}</p>
      <p>{mailTexts.thread.noneText}</p>
    </div>
  );
}
