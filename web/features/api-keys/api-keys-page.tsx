import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { actionColumn, timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { FirstRequestBox } from './first-request-box.tsx';
import { KeyDialog } from './key-dialog.tsx';

const t = apiKeyTexts;

export function ApiKeysPage() {
  return (
    <AdminsOnly title={t.title} icon={KeyRound} texts={t}>
      <ApiKeys />
    </AdminsOnly>
  );
}

function ApiKeys() {
  const keys = useInfiniteQuery(cursorList<ApiKey>(['api-keys'], '/api-keys'));
  const { data: domains = [] } = useQuery(domainsQuery);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  return (
    <ListPage
      title={t.title}
      guide="guides/first-email"
      description={t.lead}
      create={{ label: t.create, dialog: (close) => <KeyDialog onClose={close} /> }}
    >
      <CursorTable
        label={t.title}
        query={keys}
        columns={columnsOf(domains, setRevoked)}
        empty={
          <EmptyState
            icon={KeyRound}
            title={t.emptyTitle}
            text={t.emptyText}
            action={<CreateFirst>{t.first}</CreateFirst>}
          />
        }
      />
      <div className="mt-8">
        <Section title={t.firstRequest} description={t.firstRequestLead}>
          <FirstRequestBox />
        </Section>
      </div>
      {revoked && (
        <ConfirmDialog
          title={t.revokeTitle(revoked.name)}
          text={t.revokeText}
          action={t.revoke}
          run={() => deleteAndRefresh(`/api-keys/${revoked.id}`, 'api-keys')}
          done={t.revoked}
          onClose={() => setRevoked(null)}
        />
      )}
    </ListPage>
  );
}

function columnsOf(domains: readonly Domain[], revoke: (key: ApiKey) => void): Column<ApiKey>[] {
  return [
    {
      name: t.name,
      width: 2,
      cell: ({ name, keyStart, permission }) => (
        <>
          <span className="flex items-baseline gap-2">
            <span className="truncate font-medium">{name}</span>
            <code className="shrink-0 text-xs text-soft max-sm:hidden">{keyStart}…</code>
          </span>
          <div className="text-xs text-soft sm:hidden">{t.permissions[permission ?? 'scoped']}</div>
        </>
      ),
    },
    {
      name: t.permission,
      width: 1.8,
      wideOnly: true,
      cell: ({ permission, domainId }) => (
        <>
          <Badge tone={permission === 'full' ? 'warn' : 'info'}>
            {t.permissions[permission ?? 'scoped']}
          </Badge>
          {domainId !== null && (
            <span className="ml-2 text-soft">{domains.find(({ id }) => id === domainId)?.name ?? ''}</span>
          )}
        </>
      ),
    },
    timeColumn(t.lastUsed, ({ lastUsedAt }) => lastUsedAt, { width: 1, none: t.neverUsed }),
    timeColumn(t.expires, ({ expiresAt }) => expiresAt, { width: 1, none: texts.common.never }),
    actionColumn('5rem', (key) => (
      <Button size="small" look="quiet" onClick={() => revoke(key)}>
        {t.revoke}
      </Button>
    )),
  ];
}
