import { useInfiniteQuery } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import { useState } from 'react';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { topicTexts } from '../../texts/en/audience.ts';
import { Button } from '../../ui/button.tsx';
import { actionColumn, type Column } from '../../ui/lists/columns.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { TopicDialog } from './topic-dialog.tsx';

const t = topicTexts;

export function TopicsPage() {
  const topics = useInfiniteQuery(cursorList<Topic>(['topics'], '/topics'));
  const [edited, setEdited] = useState<Topic | null>(null);
  const [deleted, setDeleted] = useState<Topic | null>(null);
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      create={{ label: t.create, dialog: (close) => <TopicDialog topic={null} onClose={close} /> }}
    >
      <CursorTable
        label={t.title}
        query={topics}
        columns={columnsOf(setEdited, setDeleted)}
        empty={
          <EmptyState
            icon={Tags}
            title={t.emptyTitle}
            text={t.emptyText}
            action={<CreateFirst>{t.first}</CreateFirst>}
          />
        }
      />
      {edited && <TopicDialog topic={edited} onClose={() => setEdited(null)} />}
      {deleted && (
        <ConfirmDialog
          title={t.deleteTitle(deleted.name)}
          text={t.deleteText}
          action={t.delete}
          run={() => deleteAndRefresh(`/topics/${deleted.id}`, 'topics')}
          done={t.deleted}
          onClose={() => setDeleted(null)}
        />
      )}
    </ListPage>
  );
}

function columnsOf(edit: (topic: Topic) => void, remove: (topic: Topic) => void): Column<Topic>[] {
  return [
    {
      name: t.name,
      width: 2,
      cell: (topic) => <TextButton onClick={() => edit(topic)}>{topic.name}</TextButton>,
    },
    {
      name: t.description,
      width: 2,
      wideOnly: true,
      cell: ({ description }) => <span className="text-soft">{description}</span>,
    },
    {
      name: t.defaultSubscription,
      width: 2,
      wideOnly: true,
      cell: ({ defaultSubscription }) => t.defaults[defaultSubscription],
    },
    actionColumn('5rem', (topic) => (
      <Button size="small" look="quiet" onClick={() => remove(topic)}>
        {texts.common.delete}
      </Button>
    )),
  ];
}
