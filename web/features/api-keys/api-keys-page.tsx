import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../src/features/api-keys/api-keys.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { domainsQuery } from '../domains/domains-api.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { KeyDialog } from './key-dialog.tsx';

const t = texts.apiKeys;
const KEY = ['api-keys'];

export function ApiKeysPage() {
  return (
    <AdminsOnly title={t.title} icon={KeyRound} texts={t}>
      <ApiKeys />
    </AdminsOnly>
  );
}

function ApiKeys() {
  const queryClient = useQueryClient();
  const keys = useInfiniteQuery(cursorList<ApiKey>(KEY, '/api-keys'));
  const { data: domains = [] } = useQuery(domainsQuery);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={<CreateButton onClick={() => setCreating(true)}>{t.create}</CreateButton>}
    >
      <CursorTable
        label={t.title}
        query={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.name,
            width: 'minmax(0, 2fr)',
            cell: (key) => (
              <>
                <span className="font-medium">{key.name}</span>
                <code className="ml-2 text-xs text-soft max-sm:hidden">{key.keyStart}…</code>
                <div className="text-xs text-soft sm:hidden">{t.permissions[key.permission]}</div>
              </>
            ),
          },
          {
            name: t.permission,
            width: 'minmax(0, 1.8fr)',
            wideOnly: true,
            cell: (key) => (
              <>
                <Badge tone={key.permission === 'full' ? 'warn' : 'info'}>
                  {t.permissions[key.permission]}
                </Badge>
                {key.domainId !== null && (
                  <span className="ml-2 text-soft">
                    {domains.find(({ id }) => id === key.domainId)?.name ?? ''}
                  </span>
                )}
              </>
            ),
          },
          {
            name: t.lastUsed,
            width: 'minmax(0, 1fr)',
            wideOnly: true,
            cell: (key) =>
              key.lastUsedAt ? (
                <Time at={key.lastUsedAt} />
              ) : (
                <span className="text-soft">{t.neverUsed}</span>
              ),
          },
          {
            name: t.expires,
            width: 'minmax(0, 1fr)',
            wideOnly: true,
            cell: (key) =>
              key.expiresAt ? (
                <Time at={key.expiresAt} />
              ) : (
                <span className="text-soft">{texts.common.never}</span>
              ),
          },
          {
            name: texts.common.more,
            forActions: true,
            width: '5rem',
            cell: (key) => (
              <Button size="small" look="quiet" onClick={() => setRevoking(key)}>
                {t.revoke}
              </Button>
            ),
          },
        ]}
        empty={
          <EmptyState icon={KeyRound} title={t.emptyTitle}>
            {t.emptyText}
          </EmptyState>
        }
      />
      {creating && <KeyDialog onClose={() => setCreating(false)} />}
      {revoking && (
        <ConfirmDialog
          title={t.revokeTitle(revoking.name)}
          action={t.revoke}
          onClose={() => setRevoking(null)}
          run={async () => {
            await sendJson('DELETE', `/api-keys/${revoking.id}`);
            await queryClient.invalidateQueries({ queryKey: KEY });
            showToast(t.revoked);
          }}
        >
          <p>{t.revokeText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
