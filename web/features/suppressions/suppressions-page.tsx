import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Suppression } from '../../../src/features/suppressions/suppressions.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CreateButton, ListFilters, SearchField } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = texts.suppressions;
const KEY = ['suppressions'];

export function SuppressionsPage() {
  const queryClient = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Suppression | null>(null);
  const [email, setEmail] = useState<string>();
  const list = useInfiniteQuery(cursorList<Suppression>(KEY, '/suppressions', { email }));
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={<CreateButton onClick={() => setAdding(true)}>{t.add}</CreateButton>}
    >
      <ListFilters>
        <SearchField label={t.find} value={email} onSearch={setEmail} />
      </ListFilters>
      <CursorTable
        label={t.title}
        query={list}
        keyOf={({ id }) => id}
        columns={[
          {
            name: texts.common.email,
            width: 'minmax(0, 3fr)',
            cell: (item) => (
              <>
                {item.email}
                <div className="text-xs text-soft sm:hidden">{t.reasons[item.reason]}</div>
              </>
            ),
          },
          {
            name: t.reason,
            width: 'minmax(0, 1fr)',
            wideOnly: true,
            cell: (item) => (
              <Badge
                tone={item.reason === 'MANUAL' ? 'neutral' : item.reason === 'COMPLAINT' ? 'bad' : 'warn'}
              >
                {t.reasons[item.reason]}
              </Badge>
            ),
          },
          {
            name: texts.common.created,
            width: 'minmax(0, 1fr)',
            wideOnly: true,
            cell: (item) => (
              <span className="text-soft">
                <Time at={item.createdAt} />
              </span>
            ),
          },
          {
            name: texts.common.more,
            forActions: true,
            width: '8.5rem',
            narrowWidth: '2.5rem',
            cell: (item) => (
              <Button size="small" look="quiet" title={t.remove} onClick={() => setRemoving(item)}>
                <Undo2 aria-hidden className="size-4 sm:hidden" />
                <span className="max-sm:sr-only">{t.remove}</span>
              </Button>
            ),
          },
        ]}
        empty={
          email === undefined ? (
            <EmptyState icon={Ban} title={t.emptyTitle}>
              {t.emptyText}
            </EmptyState>
          ) : (
            <EmptyState icon={Ban} title={t.notFoundTitle}>
              {t.notFoundText(email)}
            </EmptyState>
          )
        }
      />
      {adding && <AddDialog onClose={() => setAdding(false)} />}
      {removing && (
        <ConfirmDialog
          title={t.removeTitle(removing.email)}
          action={t.remove}
          onClose={() => setRemoving(null)}
          run={async () => {
            await sendJson('DELETE', `/suppressions/${removing.id}`);
            await queryClient.invalidateQueries({ queryKey: KEY });
            showToast(t.removed(removing.email));
          }}
        >
          <p>{t.removeText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function AddDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const form = useSubmission(async () => {
    await sendJson('POST', '/suppressions', { email: email.trim() });
    await queryClient.invalidateQueries({ queryKey: KEY });
    showToast(t.added(email.trim()));
    onClose();
  });
  return (
    <FormDialog title={t.add} description={t.addText} form={form} action={t.addAction} onClose={onClose}>
      <TextField
        label={texts.common.email}
        type="email"
        value={email}
        autoFocus
        required
        error={form.errorOf('email')}
        onChange={(event) => setEmail(event.target.value)}
      />
    </FormDialog>
  );
}
