import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ellipsis, KeyRound, KeySquare, Pencil, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { ApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { actionColumn, timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { FirstRequestBox } from './first-request-box.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

const t = apiKeyTexts;

export function ApiKeysPage() {
  return (
    <AdminsOnly title={t.title} icon={KeyRound} texts={t}>
      <ApiKeys />
    </AdminsOnly>
  );
}

/** What is done with a key. */
interface Task {
  kind: 'edit' | 'rotate' | 'revoke';
  key: ApiKey;
}

function ApiKeys() {
  const keys = useInfiniteQuery(cursorList<ApiKey>(['api-keys'], '/api-keys'));
  const { data: domains = [] } = useQuery(domainsQuery);
  const [task, setTask] = useState<Task | null>(null);
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
        columns={columnsOf(domains, setTask)}
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
      {task && <TaskDialog task={task} onClose={() => setTask(null)} />}
    </ListPage>
  );
}

function TaskDialog({ task: { kind, key }, onClose }: { task: Task; onClose(): void }) {
  if (kind === 'edit') return <KeyDialog apiKey={key} onClose={onClose} />;
  if (kind === 'rotate') return <RotateDialog apiKey={key} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={t.revokeTitle(key.name)}
      text={t.revokeText}
      action={t.revoke}
      run={() => deleteAndRefresh(`/api-keys/${key.id}`, 'api-keys')}
      done={t.revoked}
      onClose={onClose}
    />
  );
}

function columnsOf(domains: readonly Domain[], start: (task: Task) => void): Column<ApiKey>[] {
  return [
    {
      name: t.name,
      width: 2,
      cell: (key) => (
        <>
          <span className="flex items-baseline gap-2">
            <TextButton onClick={() => start({ kind: 'edit', key })}>{key.name}</TextButton>
            <code className="shrink-0 text-xs text-soft max-sm:hidden">{key.keyStart}…</code>
          </span>
          <div className="text-xs text-soft sm:hidden">{t.permissions[key.permission ?? 'scoped']}</div>
        </>
      ),
    },
    {
      name: t.permission,
      width: 1.8,
      wideOnly: true,
      cell: ({ permission, domainIds, kind }) => (
        <>
          <Badge tone={permission === 'full' ? 'warn' : 'info'}>
            {t.permissions[permission ?? 'scoped']}
          </Badge>
          {kind === 'agent' && <span className="ml-2 text-soft">{t.kinds.agent}</span>}
          {domainIds !== null && <span className="ml-2 text-soft">{namesOf(domainIds, domains)}</span>}
        </>
      ),
    },
    timeColumn(t.lastUsed, ({ lastUsedAt }) => lastUsedAt, { width: 1, none: t.neverUsed }),
    timeColumn(t.expires, ({ expiresAt }) => expiresAt, { width: 1, none: texts.common.never }),
    actionColumn('2.5rem', (key) => <KeyMenu apiKey={key} start={start} />),
  ];
}

function KeyMenu({ apiKey: key, start }: { apiKey: ApiKey; start(task: Task): void }) {
  const navigate = useNavigate();
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t.actions(key.name)} />}>
      <MenuItem icon={Pencil} onSelect={() => start({ kind: 'edit', key })}>
        {texts.common.edit}
      </MenuItem>
      <MenuItem icon={ScrollText} onSelect={() => void navigate({ to: '/logs', search: { keyId: key.id } })}>
        {t.log}
      </MenuItem>
      {key.client === null && (
        <MenuItem icon={KeySquare} onSelect={() => start({ kind: 'rotate', key })}>
          {t.rotate}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} onSelect={() => start({ kind: 'revoke', key })}>
        {t.revokeMenu}
      </MenuItem>
    </Menu>
  );
}

function namesOf(ids: readonly number[], domains: readonly Domain[]): string {
  return domains.flatMap(({ id, name }) => (ids.includes(id) ? name : [])).join(', ');
}
