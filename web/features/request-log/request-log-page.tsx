import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { ListedRequest } from '../../../src/features/activity/request-log/request-log.schema.ts';
import { cursorList, whileShort } from '../../api/pages.ts';
import { requestLogTexts } from '../../texts/en/request-log.ts';
import { Badge } from '../../ui/badge.tsx';
import { optionsOf } from '../../ui/field.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { allKeysQuery } from '../../api/all-keys.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { METHODS, STATUSES, toneOfStatus } from './request-filters.ts';
import { RequestDialog } from './request-dialog.tsx';

const t = requestLogTexts;
const NEWS_EVERY_MS = 5_000;

export function RequestLogPage() {
  return (
    <AdminsOnly title={t.title} icon={ScrollText} texts={t}>
      <RequestLog />
    </AdminsOnly>
  );
}

function RequestLog() {
  const filter = useSearch({ from: '/app/logs' });
  const navigate = useNavigate({ from: '/logs' });
  const { data: keys = [] } = useQuery(allKeysQuery);
  const [shown, setShown] = useState<ListedRequest | null>(null);
  const requests = useInfiniteQuery({
    ...cursorList<ListedRequest>(['logs', 'list'], '/logs', { ...filter }),
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(NEWS_EVERY_MS),
  });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const nameOf = (keyId: string) => keys.find(({ id }) => id === keyId)?.name ?? t.revoked;
  return (
    <Page title={t.title} description={t.lead} wide>
      <Filters />
      <CursorTable
        label={t.title}
        query={requests}
        columns={columnsOf(nameOf, setShown)}
        empty={
          isFiltered ? (
            <NothingFound
              icon={ScrollText}
              title={t.filteredTitle}
              text={t.filteredText}
              clear={() => void navigate({ search: {} })}
            />
          ) : (
            <EmptyState icon={ScrollText} title={t.emptyTitle} text={t.emptyText} />
          )
        }
      />
      {shown && (
        <RequestDialog request={shown} keyName={nameOf(shown.keyId)} onClose={() => setShown(null)} />
      )}
    </Page>
  );
}

function Filters() {
  const { status, method, path, keyId, requestId } = useSearch({ from: '/app/logs' });
  const navigate = useNavigate({ from: '/logs' });
  const { data: keys = [] } = useQuery(allKeysQuery);
  return (
    <ListFilters>
      <SearchField
        label={t.findPath}
        value={path}
        onSearch={(found) =>
          void navigate({ search: (before) => ({ ...before, path: found }), replace: true })
        }
      />
      <ChoiceField
        label={t.status}
        all={t.allStatuses}
        choices={STATUSES.map((each) => [each, t.statuses[each]])}
        value={status}
        onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, status: chosen }) })}
      />
      <ChoiceField
        label={t.method}
        all={t.allMethods}
        choices={METHODS.map((each) => [each, each])}
        value={method}
        onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, method: chosen }) })}
      />
      <ChoiceField
        label={t.key}
        all={t.allKeys}
        choices={optionsOf(keys)}
        value={keyId}
        onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, keyId: chosen }) })}
      />
      <SearchField
        label={t.findRequest}
        value={requestId}
        onSearch={(found) =>
          void navigate({ search: (before) => ({ ...before, requestId: found }), replace: true })
        }
      />
    </ListFilters>
  );
}

function columnsOf(
  nameOf: (keyId: string) => string,
  show: (request: ListedRequest) => void,
): Column<ListedRequest>[] {
  return [
    {
      name: t.request,
      width: 4,
      cell: (request) => (
        <>
          <TextButton className="block font-mono text-note" onClick={() => show(request)}>
            {request.method} {request.path}
          </TextButton>
          <div className="text-xs text-soft sm:hidden">
            <Time at={request.at} />
          </div>
        </>
      ),
    },
    {
      name: t.status,
      width: '4.5rem',
      cell: ({ status }) => <Badge tone={toneOfStatus(status)}>{status}</Badge>,
    },
    { name: t.key, width: 1.5, wideOnly: true, cell: ({ keyId }) => nameOf(keyId) },
    {
      name: t.took,
      width: '5rem',
      wideOnly: true,
      cell: ({ durationMs }) => <span className="text-soft tabular-nums">{t.ms(durationMs)}</span>,
    },
    timeColumn(t.when, ({ at }) => at, { width: '6.5rem' }),
  ];
}
