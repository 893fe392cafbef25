import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import { useState } from 'react';
import type { Topic } from '../../../src/features/topics/topics.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';
import { TopicDialog } from './topic-dialog.tsx';

const t = texts.topics;

export function TopicsPage() {
  const queryClient = useQueryClient();
  const topics = useInfiniteQuery(cursorList<Topic>(['topics'], '/topics'));
  const [edited, setEdited] = useState<Topic | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Topic | null>(null);
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={<CreateButton onClick={() => setEdited('new')}>{t.create}</CreateButton>}
    >
      <CursorTable
        label={t.title}
        query={topics}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.name,
            width: 'minmax(0, 2fr)',
            cell: (topic) => (
              <button
                type="button"
                className="max-w-full truncate rounded font-medium hover:underline"
                onClick={() => setEdited(topic)}
              >
                {topic.name}
              </button>
            ),
          },
          {
            name: t.description,
            width: 'minmax(0, 2fr)',
            wideOnly: true,
            cell: (topic) => <span className="text-soft">{topic.description}</span>,
          },
          {
            name: t.defaultSubscription,
            width: 'minmax(0, 2fr)',
            wideOnly: true,
            cell: (topic) => t.defaults[topic.defaultSubscription],
          },
          {
            name: texts.common.more,
            forActions: true,
            width: '5rem',
            cell: (topic) => (
              <Button size="small" look="quiet" onClick={() => setDeleting(topic)}>
                {texts.common.delete}
              </Button>
            ),
          },
        ]}
        empty={
          <EmptyState icon={Tags} title={t.emptyTitle}>
            {t.emptyText}
          </EmptyState>
        }
      />
      {edited && <TopicDialog topic={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(deleting.name)}
          action={t.delete}
          onClose={() => setDeleting(null)}
          run={async () => {
            await sendJson('DELETE', `/topics/${deleting.id}`);
            await queryClient.invalidateQueries({ queryKey: ['topics'] });
            showToast(t.deleted);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
