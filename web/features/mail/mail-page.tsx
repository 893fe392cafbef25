/** The three panes: navigation, list and reader. On a phone each is shown alone. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { useAskedToCreate } from '../../ui/asked-to-create.ts';
import { useTitle } from '../../ui/page.tsx';
import { compose } from './compose/compositions.ts';
import { LEFT_BEHIND_MS, recoverUnsaved } from './compose/unsaved.ts';
import { rememberMailbox } from '../../shell/last-mailbox.ts';
import { ListPane } from './list/list-pane.tsx';
import { useLiveMailbox } from './live/live.ts';
import { foldersQuery, isListed, threadQuery, threadsQuery, useFolderName } from './live/mail-api.ts';
import { ThreadView } from './reader/thread-view.tsx';
import { MailFrame, NothingOpen, WithMailbox } from './mail-frame.tsx';
import { useMailKeys } from './mail-keys.ts';
import { useSelection } from './list/selection.ts';
import { useUnreadIcon } from './parts/unread-icon.ts';
import { REST_MS } from './list/thread-row.tsx';
import { placeOf, type Row } from './live/thread-rows.ts';

const NO_ROWS: readonly Row[] = [];

export function MailPage() {
  const { mailboxId, folder } = useParams({ from: '/mail/mail/$mailboxId/$folder' });
  return (
    <WithMailbox id={mailboxId}>
      {(mailbox) =>
        isListed(folder) ? (
          <Panes key={mailbox.id} mailbox={mailbox} folder={folder} />
        ) : (
          <OwnFolder key={mailbox.id} mailbox={mailbox} folder={folder} />
        )
      }
    </WithMailbox>
  );
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
    <MailFrame
      mailbox={mailbox}
      title={mailTexts.title}
      list={
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
      }
      reader={
        threadId !== undefined && (
          <ThreadView key={threadId} mailbox={mailbox} threadId={threadId} goBack={goBack} />
        )
      }
      noneOpen={
        <NothingOpen icon={Mail}>
          <p className="font-medium text-ink">{mailTexts.thread.none}</p>
          <p>{mailTexts.thread.noneText}</p>
        </NothingOpen>
      }
    />
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
