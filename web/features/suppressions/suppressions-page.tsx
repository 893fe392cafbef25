import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Plus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { Suppression } from '../../../src/features/suppressions/suppressions.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
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
  const [typed, setTyped] = useState('');
  const email = useDeferredValue(typed.trim());
  const list = useInfiniteQuery(cursorList<Suppression>(KEY, '/suppressions', email === '' ? {} : { email }));
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={
        <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      }
    >
      <TextField
        bare
        className="mb-4 max-w-sm"
        label={t.find}
        placeholder={t.findHint}
        type="search"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <CursorTable
        label={t.title}
        query={list}
        keyOf={({ id }) => id}
        columns={[
          { name: texts.common.email, width: 'minmax(0, 3fr)', cell: (item) => item.email },
          {
            name: t.reason,
            width: 'minmax(0, 1fr)',
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
            cell: (item) => (
              <Button size="small" look="quiet" onClick={() => setRemoving(item)}>
                {t.remove}
              </Button>
            ),
          },
        ]}
        empty={
          email === '' ? (
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
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    await sendJson('POST', '/suppressions', { email: email.trim() });
    await queryClient.invalidateQueries({ queryKey: KEY });
    showToast(t.added(email.trim()));
    onClose();
  });
  return (
    <Dialog title={t.add} description={t.addText} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <TextField
          label={texts.common.email}
          type="email"
          value={email}
          autoFocus
          required
          error={errorOf('email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <FormError error={errorBeside('email')} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {t.addAction}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
