import { Pause, Play, RefreshCw, Rss, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Feed } from '../../../src/features/campaigns/feeds/feeds.schema.ts';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { feedTexts } from '../../texts/en/feeds.ts';
import { act } from '../../ui/act.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { actionColumn, timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { showToast } from '../../ui/toasts.ts';
import { bookColumn, ListOfBooks } from '../contact-books/list-of-books.tsx';
import { FeedDialog } from './feed-dialog.tsx';

const t = feedTexts;

interface Actions {
  edit(feed: Feed): void;
  remove(feed: Feed): void;
}

export function FeedsPage() {
  const [edited, setEdited] = useState<Feed | null>(null);
  const [deleted, setDeleted] = useState<Feed | null>(null);
  return (
    <>
      <ListOfBooks<Feed>
        texts={t}
        list="feeds"
        icon={Rss}
        columnsOf={(books) => columnsOf(books, { edit: setEdited, remove: setDeleted })}
        dialog={(close) => <FeedDialog feed={null} onClose={close} />}
      />
      {edited && <FeedDialog feed={edited} onClose={() => setEdited(null)} />}
      {deleted && (
        <ConfirmDialog
          title={t.deleteTitle(nameOf(deleted))}
          text={t.deleteText}
          action={t.delete}
          run={() => deleteAndRefresh(`/feeds/${deleted.id}`, 'feeds')}
          done={t.deleted}
          onClose={() => setDeleted(null)}
        />
      )}
    </>
  );
}

function nameOf({ title, url }: Feed): string {
  return title ?? url;
}

function columnsOf(books: readonly ContactBook[], { edit, remove }: Actions): Column<Feed>[] {
  return [
    {
      name: t.feed,
      width: 3,
      cell: (feed) => (
        <div className="min-w-0">
          <TextButton onClick={() => edit(feed)}>{nameOf(feed)}</TextButton>
          {feed.error && <p className="text-sm text-bad">{feed.error}</p>}
          {feed.status === 'PAUSED' && <p className="text-sm text-soft">{t.paused}</p>}
        </div>
      ),
    },
    { ...bookColumn<Feed>(t.book, books), wideOnly: true },
    { name: t.mode, width: 2, wideOnly: true, cell: ({ mode }) => t.modes[mode] },
    {
      name: t.waiting,
      width: '5.5rem',
      wideOnly: true,
      cell: ({ waiting }) => <span className="tabular-nums">{texts.common.number(waiting)}</span>,
    },
    timeColumn(t.lastChecked, ({ lastCheckedAt }) => lastCheckedAt, { none: t.never }),
    actionColumn('3rem', (feed) => <FeedMenu feed={feed} remove={remove} />),
  ];
}

function FeedMenu({ feed, remove }: { feed: Feed } & Pick<Actions, 'remove'>) {
  const isPaused = feed.status === 'PAUSED';
  const check = async () => {
    const answer = await sendJson<{ newItems: number; campaignIds: string[]; feed: Feed }>(
      'POST',
      `/feeds/${feed.id}/check`,
    );
    await refresh('feeds');
    await refresh('campaigns');
    showToast(answer.feed.error ?? t.checked(answer.newItems, answer.campaignIds.length));
  };
  const turn = async () => {
    await sendJson('PATCH', `/feeds/${feed.id}`, { status: isPaused ? 'ACTIVE' : 'PAUSED' });
    await refresh('feeds');
  };
  return (
    <MoreMenu>
      <MenuItem icon={RefreshCw} onSelect={() => void act(check)}>
        {t.check}
      </MenuItem>
      <MenuItem icon={isPaused ? Play : Pause} onSelect={() => void act(turn)}>
        {isPaused ? t.resume : t.pause}
      </MenuItem>
      <MenuItem icon={Trash2} danger onSelect={() => remove(feed)}>
        {t.delete}
      </MenuItem>
    </MoreMenu>
  );
}
