/** The actions on the selected contacts. */
import { useQuery } from '@tanstack/react-query';
import { Tag, Trash2, UserMinus } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { getAll, type CursorPage } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import type { Selection } from './selection.tsx';

const t = contactTexts;

/** The most that one request takes. */
const MAX_IN_REQUEST = 10_000;

interface BulkBarProps {
  book: ContactBook;
  selection: Selection;
  /** What the list shows if it has more contacts than were loaded, and how many it has if that is known. */
  more: false | { search: string | undefined; subscribed: boolean | undefined; count: number | null };
}

export function BulkBar({ book, selection, more }: BulkBarProps) {
  const [asking, setAsking] = useState<'unsubscribe' | 'delete' | null>(null);
  const { ids } = selection;
  const path = `/contactBooks/${book.id}/contacts`;
  const finish = async () => {
    selection.clear();
    await Promise.all([refresh('contacts'), refresh('contact-books'), refresh('topics', 'of')]);
  };
  return (
    <>
      <p role="status" className="sr-only">
        {ids.length > 0 ? t.selected(ids.length) : ''}
      </p>
      {ids.length > 0 && (
        <div
          role="group"
          aria-label={t.bulk}
          className="sticky top-14 z-10 mb-3 flex flex-wrap items-center gap-2 rounded-xl border border-line bg-raised px-4 py-2 shadow-float lg:top-2"
        >
          <span className="font-medium">{t.selected(ids.length)}</span>
          <span className="mr-auto">
            {more && selection.isAll && !selection.isBeyond && (
              <SelectMatching path={path} more={more} onSelect={selection.selectMany} />
            )}
          </span>
          <TopicMenu
            onChoose={(topic) =>
              void act(
                async () => {
                  const topics = [{ id: topic.id, subscribed: true }];
                  await inRequests(ids, 'PATCH', path, { topics });
                  await finish();
                },
                { done: t.addedToTopic(ids.length, topic.name), refreshes: ['topics', 'of'] },
              )
            }
          />
          <Button size="small" icon={UserMinus} onClick={() => setAsking('unsubscribe')}>
            {t.unsubscribe}
          </Button>
          <Button size="small" look="quietDanger" icon={Trash2} onClick={() => setAsking('delete')}>
            {texts.common.delete}
          </Button>
          <Button size="small" look="quiet" onClick={selection.clear}>
            {t.clearSelection}
          </Button>
        </div>
      )}
      {asking === 'delete' && (
        <ConfirmDialog
          title={t.deleteManyTitle(ids.length)}
          text={t.deleteManyText}
          action={texts.common.delete}
          {...(selection.isBeyond ? { typed: String(ids.length) } : {})}
          run={async () => {
            await inRequests(ids, 'DELETE', path);
            await finish();
          }}
          done={t.deletedMany(ids.length)}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'unsubscribe' && (
        <ConfirmDialog
          title={t.unsubscribeManyTitle(ids.length)}
          text={t.unsubscribeManyText}
          action={t.unsubscribe}
          run={async () => {
            await inRequests(ids, 'PATCH', path, { subscribed: false });
            await finish();
          }}
          done={t.unsubscribedMany(ids.length)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

/** Each request is all or nothing. */
async function inRequests(
  ids: readonly string[],
  method: 'PATCH' | 'DELETE',
  path: string,
  change: object = {},
): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_IN_REQUEST) {
    const contactIds = ids.slice(at, at + MAX_IN_REQUEST);
    await sendJson(method, `${path}/bulk`, { contactIds, ...change });
  }
}

interface SelectMatchingProps {
  path: string;
  more: Exclude<BulkBarProps['more'], false>;
  onSelect(ids: string[]): void;
}

/** Selects everything that the list shows. Contacts that are added later are not selected. */
function SelectMatching({ path, more: { count, ...filter }, onSelect }: SelectMatchingProps) {
  const [isBusy, setIsBusy] = useState(false);
  async function select(): Promise<void> {
    setIsBusy(true);
    await act(async () => {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const page: CursorPage<string> = await getJson(`${path}/ids`, { ...filter, cursor });
        ids.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      onSelect(ids);
    });
    setIsBusy(false);
  }
  return (
    <Button size="small" look="quiet" busy={isBusy} onClick={() => void select()}>
      {count === null ? t.selectMatching : t.selectEveryone(count)}
    </Button>
  );
}

function TopicMenu({ onChoose }: { onChoose(topic: Topic): void }) {
  const { data: topics = [] } = useQuery({
    queryKey: ['topics', 'all'],
    queryFn: () => getAll<Topic>('/topics'),
  });
  if (topics.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button size="small" icon={Tag}>
          {t.addToTopic}
        </Button>
      }
    >
      {topics.map((topic) => (
        <MenuItem key={topic.id} onSelect={() => onChoose(topic)}>
          {topic.name}
        </MenuItem>
      ))}
    </Menu>
  );
}
