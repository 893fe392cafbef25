import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, History } from 'lucide-react';
import { useState } from 'react';
import type { AuditEntry } from '../../../src/features/audit/audit.schema.ts';
import { apiUrl } from '../../api/client.ts';
import { membersQuery } from '../../api/members.ts';
import { cursorList } from '../../api/pages.ts';
import { auditTexts } from '../../texts/en/audit.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { DayRange } from '../../ui/lists/day-range.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { AdminsOnly } from '../people/admins-only.tsx';
import { AUDIT_AREAS } from './audit-areas.ts';
import { ACTOR_KINDS, toAuditQuery } from './audit-filter.ts';
import { EntryDialog } from './entry-dialog.tsx';

const t = auditTexts;

export function AuditPage() {
  return (
    <AdminsOnly title={t.title} icon={History} texts={t}>
      <AuditLog />
    </AdminsOnly>
  );
}

function AuditLog() {
  const filter = useSearch({ from: '/app/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const query = toAuditQuery(filter);
  const entries = useInfiniteQuery({
    ...cursorList<AuditEntry>(['audit', 'list'], '/audit', query),
    placeholderData: keepPreviousData,
  });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page
      title={t.title}
      description={t.lead}
      wide
      actions={(
        [
          ['/audit/export.csv', t.exportCsv],
          ['/audit/export', t.exportJson],
        ] as const
      ).map(([path, name]) => (
        <a key={path} className={buttonClasses()} href={apiUrl(path, query)} title={t.exportTitle} download>
          <Download aria-hidden className="size-4" />
          {name}
        </a>
      ))}
    >
      <Filters />
      <CursorTable
        label={t.title}
        query={entries}
        columns={columnsOf(setShown)}
        empty={
          isFiltered ? (
            <NothingFound
              icon={History}
              title={t.filteredTitle}
              text={t.filteredText}
              clear={() => void navigate({ search: {} })}
            />
          ) : (
            <EmptyState icon={History} title={t.emptyTitle} text={t.emptyText} />
          )
        }
      />
      {shown && <EntryDialog entry={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

function Filters() {
  const filter = useSearch({ from: '/app/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const { data: members = [] } = useQuery(membersQuery);
  const actors = [
    ...ACTOR_KINDS.map((kind) => [kind, t.kinds[kind]] as const),
    ...members.map(({ id, name }) => [id, name] as const),
  ];
  return (
    <ListFilters>
      <ChoiceField
        label={t.who}
        all={t.allActors}
        choices={actors}
        value={filter.actor}
        onChoose={(actor) => void navigate({ search: (before) => ({ ...before, actor }) })}
      />
      <ChoiceField
        label={t.what}
        all={t.allActions}
        choices={AUDIT_AREAS.map((area) => [area, t.areas[area]])}
        value={filter.area}
        onChoose={(area) => void navigate({ search: (before) => ({ ...before, area }) })}
      />
      <SearchField
        label={t.findTarget}
        value={filter.target}
        onSearch={(target) => void navigate({ search: (before) => ({ ...before, target }), replace: true })}
      />
      <DayRange
        days={filter}
        labels={t}
        placeholders={{ since: t.sinceShort, until: t.untilShort }}
        onChange={(days) => void navigate({ search: (before) => ({ ...before, ...days }) })}
      />
    </ListFilters>
  );
}

function columnsOf(show: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    {
      name: t.what,
      width: 2,
      cell: (entry) => (
        <>
          <TextButton className="block" onClick={() => show(entry)}>
            {t.action(entry.action)}
          </TextButton>
          <div className="truncate text-xs text-soft sm:hidden">
            {actorOf(entry)} · <Time at={entry.at} />
          </div>
        </>
      ),
    },
    {
      name: t.target,
      width: 2,
      wideOnly: true,
      cell: ({ target }) => target !== null && <code className="text-xs text-soft">{target}</code>,
    },
    { name: t.who, width: 1.5, wideOnly: true, cell: actorOf },
    timeColumn(t.when, ({ at }) => at, { width: '6.5rem' }),
  ];
}

/** The name, or what kind of actor it was. */
function actorOf({ actor: { kind, name, id } }: AuditEntry): string {
  return name ?? id ?? t.kinds[kind];
}
