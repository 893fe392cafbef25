/** The three panes: navigation, list and reader. On a phone each is shown alone. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { SkipLink } from '../../shell/skip-link.tsx';
import { mailTexts } from '../../texts/en/mail.ts';
import { useAskedToCreate } from '../../ui/lists/asked-to-create.ts';
import { useTitle } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { compose } from './compose/compositions.ts';
import { LEFT_BEHIND_MS, recoverUnsaved } from './compose/unsaved.ts';
import { rememberMailbox } from '../../shell/last-mailbox.ts';
import { ListPane } from './list/list-pane.tsx';
import { useLiveMailbox } from './live/live.ts';
import {
  foldersQuery,
  isListed,
  mailboxesQuery,
  threadQuery,
  threadsQuery,
  useFolderName,
} from './live/mail-api.ts';
import { openMailDialog, useMailDialog } from './parts/mail-dialogs.ts';
import { MailboxNav } from './list/mailbox-nav.tsx';
import { NewFolderDialog } from './list/folder-dialogs.tsx';
import { MailboxSettingsDialog, NewMailboxDialog } from './mailbox-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { ThreadView } from './reader/thread-view.tsx';
import { useMailKeys } from './mail-keys.ts';
import { useSelection } from './list/selection.ts';
import { usePicker } from './team/team-picker.ts';
import { useUnreadIcon } from './parts/unread-icon.ts';
import { REST_MS } from './list/thread-row.tsx';
import { placeOf, type Row } from './live/thread-rows.ts';

const NO_ROWS: readonly Row[] = [];

const AutomaticReplyDialog = lazy(async () => ({
  default: (await import('./automatic-reply-dialog.tsx')).AutomaticReplyDialog,
}));
const RulesDialog = lazy(async () => ({
  default: (await import('./arrival/rules-dialog.tsx')).RulesDialog,
}));
const AddressesDialog = lazy(async () => ({
  default: (await import('./arrival/addresses-dialog.tsx')).AddressesDialog,
}));
const EmailAppsDialog = lazy(async () => ({
  default: (await import('./email-apps/email-apps-dialog.tsx')).EmailAppsDialog,
}));
const ManageLabelsDialog = lazy(async () => ({
  default: (await import('./team/labels-dialog.tsx')).ManageLabelsDialog,
}));
const NotificationsDialog = lazy(async () => ({
  default: (await import('./notifications/notifications-dialog.tsx')).NotificationsDialog,
}));
const TeamPickerDialog = lazy(async () => ({
  default: (await import('./team/picker-dialog.tsx')).TeamPickerDialog,
}));
const SavedRepliesDialog = lazy(async () => ({
  default: (await import('./compose/saved-replies/saved-replies-dialog.tsx')).SavedRepliesDialog,
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
  if (!mailbox) return <Navigate to="/mail" replace />;
  if (isListed(folder)) return <Panes key={mailbox.id} mailbox={mailbox} folder={folder} />;
  return <OwnFolder key={mailbox.id} mailbox={mailbox} folder={folder} />;
}

/** A folder that someone created, unless it has been deleted since. */
function OwnFolder({ mailbox, folder }: { mailbox: Mailbox; folder: string }) {
  const { data, isPending } = useQuery(foldersQuery(mailbox.id));
  if (isPending) return null;
  if (!data?.some(({ id }) => id === folder)) return <Navigate to="/mail" replace />;
  return <Panes mailbox={mailbox} folder={folder} />;
}

function Panes({ mailbox, folder }: { mailbox: Mailbox; folder: string }) {
  const { threadId } = useParams({ strict: false });
  const { q = '' } = useSearch({ from: '/mail/mail/$mailboxId/$folder' });
  const { open, goBack, goTo, searchFor } = useMailNavigation(mailbox.id, folder, q);
  const isLive = useLiveMailbox(mailbox.id);
  const threads = useQuery(threadsQuery(mailbox.id, { folder, q }));
  const items = threads.data?.rows ?? NO_ROWS;
  const selection = useSelection(items);
  useTitle(`${useUnread(mailbox.id)}${useFolderName(mailbox.id, folder)} · ${mailbox.address}`);
  useRescuedDrafts(mailbox.id);
  useAskedToCreate(() => compose(mailbox.id));
  const { cursorId, searchField } = useMailKeys({
    mailbox,
    items,
    threadId,
    selection,
    open,
    goBack,
    goTo,
  });
  useFetchedNeighbours(mailbox.id, items, threadId);
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
      <OpenDialog mailbox={mailbox} />
      <OpenPicker />
    </div>
  );
}

/** The unread conversations of the inbox, before the title and on the icon of the installed app. */
function useUnread(mailboxId: string): string {
  const { data } = useQuery(foldersQuery(mailboxId));
  const unread = data?.find(({ folder }) => folder === 'inbox')?.unread ?? 0;
  useUnreadIcon(unread);
  return unread > 0 ? `(${unread}) ` : '';
}

function useMailNavigation(mailboxId: string, folder: string, q: string) {
  const navigate = useNavigate();
  const to = '/mail/$mailboxId/$folder';
  const params = { mailboxId, folder };
  const search = q === '' ? {} : { q };
  const searchFor = useCallback(
    (text: string) =>
      void navigate({
        to,
        params: { mailboxId, folder },
        search: text === '' ? {} : { q: text },
        replace: true,
      }),
    [navigate, mailboxId, folder],
  );
  return {
    open: (id: string, replace = false) =>
      void navigate({ to: `${to}/$threadId`, params: { ...params, threadId: id }, search, replace }),
    goBack: () => void navigate({ to, params, search }),
    goTo: (place: string) => void navigate({ to, params: { mailboxId, folder: place } }),
    searchFor,
  };
}

/** Turns text that an earlier tab could not save into a draft. */
function useRescuedDrafts(mailboxId: string): void {
  useEffect(() => {
    rememberMailbox(mailboxId);
    const rescue = async () => {
      const hasRescued = await recoverUnsaved(mailboxId);
      if (hasRescued) await refresh('mail', mailboxId);
    };
    void rescue();
    // Try again once it is certain that a broken tab will not save it itself.
    const again = window.setTimeout(() => void rescue(), LEFT_BEHIND_MS);
    return () => window.clearTimeout(again);
  }, [mailboxId]);
}

/** Prefetches the conversations before and after the open one, so that they open without a delay. */
function useFetchedNeighbours(mailboxId: string, items: readonly Row[], threadId: string | undefined): void {
  const at = placeOf(items, threadId);
  const neighbours = [items[at + 1]?.id, at > 0 ? items[at - 1]?.id : undefined].join(' ');
  useEffect(() => {
    if (threadId === undefined) return undefined;
    // Holding a key down passes many conversations. The next ones are fetched only where the user pauses.
    const timer = window.setTimeout(() => {
      for (const id of neighbours.split(' ').filter(Boolean))
        void queryClient.prefetchQuery(threadQuery(mailboxId, id));
    }, REST_MS);
    return () => window.clearTimeout(timer);
  }, [neighbours, threadId, mailboxId]);
}

function OpenDialog({ mailbox }: { mailbox: Mailbox }) {
  switch (useMailDialog()) {
    case 'shortcuts':
      return <ShortcutsDialog onClose={close} />;
    case 'settings':
      return <MailboxSettingsDialog mailbox={mailbox} onClose={close} />;
    case 'new-folder':
      return <NewFolderDialog mailboxId={mailbox.id} onClose={close} />;
    case 'new-mailbox':
      return <NewMailboxDialog onClose={close} />;
    case 'saved-replies':
      return (
        <Suspense>
          <SavedRepliesDialog mailboxId={mailbox.id} onClose={close} />
        </Suspense>
      );
    case 'automatic-reply':
      return (
        <Suspense>
          <AutomaticReplyDialog mailbox={mailbox} onClose={close} />
        </Suspense>
      );
    case 'rules':
      return (
        <Suspense>
          <RulesDialog mailboxId={mailbox.id} onClose={close} />
        </Suspense>
      );
    case 'labels':
      return (
        <Suspense>
          <ManageLabelsDialog mailboxId={mailbox.id} onClose={close} />
        </Suspense>
      );
    case 'notifications':
      return (
        <Suspense>
          <NotificationsDialog onClose={close} />
        </Suspense>
      );
    case 'addresses':
      return (
        <Suspense>
          <AddressesDialog mailbox={mailbox} onClose={close} />
        </Suspense>
      );
    case 'mail-programs':
      return (
        <Suspense>
          <EmailAppsDialog mailbox={mailbox} onClose={close} />
        </Suspense>
      );
    default:
      return null;
  }
}

/** Loaded when it is first needed. */
function OpenPicker() {
  return usePicker() ? (
    <Suspense>
      <TeamPickerDialog />
    </Suspense>
  ) : null;
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
