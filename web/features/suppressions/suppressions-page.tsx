import { useInfiniteQuery } from '@tanstack/react-query';
import { Ban, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Suppression } from '../../../src/features/sending/suppressions/suppressions.schema.ts';
import { sendJson } from '../../api/client.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { cursorList } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { suppressionTexts } from '../../texts/en/suppressions.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { actionColumn, timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = suppressionTexts;

export function SuppressionsPage() {
  const [removed, setRemoved] = useState<Suppression | null>(null);
  const [email, setEmail] = useState<string>();
  const list = useInfiniteQuery(cursorList<Suppression>(['suppressions'], '/suppressions', { email }));
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      create={{ label: t.add, dialog: (close) => <AddDialog onClose={close} /> }}
    >
      <ListFilters>
        <SearchField label={t.find} value={email} onSearch={setEmail} />
      </ListFilters>
      <CursorTable
        label={t.title}
        query={list}
        columns={columnsOf(setRemoved)}
        empty={
          email === undefined ? (
            <EmptyState
              icon={Ban}
              title={t.emptyTitle}
              text={t.emptyText}
              action={<CreateFirst>{t.first}</CreateFirst>}
            />
          ) : (
            <NothingFound
              icon={Ban}
              title={t.notFoundTitle}
              text={t.notFoundText(email)}
              clear={() => setEmail(undefined)}
            />
          )
        }
      />
      {removed && (
        <ConfirmDialog
          title={t.removeTitle(removed.email)}
          text={t.removeText}
          action={t.remove}
          run={() => deleteAndRefresh(`/suppressions/${removed.id}`, 'suppressions')}
          done={t.removed(removed.email)}
          onClose={() => setRemoved(null)}
        />
      )}
    </ListPage>
  );
}

function columnsOf(remove: (item: Suppression) => void): Column<Suppression>[] {
  return [
    {
      name: texts.common.email,
      width: 3,
      cell: ({ email, reason }) => (
        <>
          {email}
          <div className="text-xs text-soft sm:hidden">{t.reasons[reason]}</div>
        </>
      ),
    },
    {
      name: t.reason,
      width: 1,
      wideOnly: true,
      cell: ({ reason }) => <Badge tone={toneOf(reason)}>{t.reasons[reason]}</Badge>,
    },
    timeColumn(texts.common.created, ({ createdAt }) => createdAt, { width: 1 }),
    actionColumn(
      '8.5rem',
      (item) => (
        <Button size="small" look="quiet" title={t.remove} onClick={() => remove(item)}>
          <Undo2 aria-hidden className="size-4 sm:hidden" />
          <span className="max-sm:sr-only">{t.remove}</span>
        </Button>
      ),
      '2.5rem',
    ),
  ];
}

function toneOf(reason: Suppression['reason']): Tone {
  if (reason === 'MANUAL' || reason === 'ERASED') return 'neutral';
  return reason === 'COMPLAINT' ? 'bad' : 'warn';
}

function AddDialog({ onClose }: { onClose(): void }) {
  const form = useForm({ email: '' }, async (values) => {
    const email = values.email.trim();
    await sendJson('POST', '/suppressions', { email });
    await refresh('suppressions');
    showToast(t.added(email));
    onClose();
  });
  return (
    <FormDialog title={t.add} description={t.addText} form={form} action={t.addAction} onClose={onClose}>
      <TextField label={texts.common.email} type="email" {...form.text('email')} autoFocus required />
    </FormDialog>
  );
}
