/** What can be done with the selected contacts. */
import { useQuery } from '@tanstack/react-query';
import { Tag, Trash2, UserMinus } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { sendJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import type { Selection } from './selection.tsx';

const t = texts.contacts;

export function BulkBar({ book, selection }: { book: ContactBook; selection: Selection }) {
  const [asking, setAsking] = useState<'unsubscribe' | 'delete' | null>(null);
  const { ids } = selection;
  const path = `/contactBooks/${book.id}/contacts/bulk`;
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
          <span className="mr-auto font-medium">{t.selected(ids.length)}</span>
          <TopicMenu
            onChoose={(topic) =>
              void act(
                async () => {
                  const topics = [{ id: topic.id, subscribed: true }];
                  await sendJson('PATCH', path, { contactIds: ids, topics });
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
          run={async () => {
            await sendJson('DELETE', path, { contactIds: ids });
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
            await sendJson('PATCH', path, { contactIds: ids, subscribed: false });
            await finish();
          }}
          done={t.unsubscribedMany(ids.length)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
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
