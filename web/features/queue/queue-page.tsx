import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, Ellipsis, Hourglass } from 'lucide-react';
import { useState } from 'react';
import type { QueuedDelivery } from '../../../src/features/delivery/queue/queue.schema.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { queueTexts } from '../../texts/en/queue.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClasses, IconButton } from '../../ui/button.tsx';
import { actionColumn, timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { optionsOf } from '../../ui/field.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { campaignsQuery } from '../campaigns/campaigns-api.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { queueCountsQuery, queueQuery, STATE_TONES } from './queue-api.ts';
import { QueueMenu, runAction, type QueueTarget } from './queue-menu.tsx';

const t = queueTexts;

export function QueuePage() {
  return (
    <AdminsOnly title={t.title} icon={Hourglass} texts={t}>
      <Queue />
    </AdminsOnly>
  );
}

interface Drop {
  title: string;
  target: QueueTarget;
}

function Queue() {
  const filter = useSearch({ from: '/app/queue' });
  const [drop, setDrop] = useState<Drop | null>(null);
  const { data: counts = { total: 0, held: 0 } } = useQuery(queueCountsQuery(filter));
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const all = { ...filter, all: true as const };
  return (
    <Page
      title={t.title}
      description={t.lead}
      wide
      actions={
        <>
          <Link to="/egress" className={buttonClasses()}>
            {t.waysOut}
          </Link>
          {counts.total > 0 && (
            <QueueMenu
              trigger={
                <Button>
                  {t.actOnAll}
                  <ChevronDown aria-hidden className="size-4" />
                </Button>
              }
              target={all}
              actions={['retry', 'hold', 'release']}
              onDrop={() => setDrop({ title: t.dropAllTitle(counts.total), target: all })}
            />
          )}
        </>
      }
    >
      <QueueFilters />
      {counts.total > 0 && (
        <p className="mb-2 text-soft" role="status">
          {t.counts(counts.total, counts.held)}
        </p>
      )}
      <CursorTable
        label={t.title}
        query={useInfiniteQuery(queueQuery(filter))}
        columns={columnsOf(setDrop)}
        empty={
          isFiltered ? <NoMatch /> : <EmptyState icon={Hourglass} title={t.emptyTitle} text={t.emptyText} />
        }
      />
      {drop && (
        <ConfirmDialog
          title={drop.title}
          text={t.dropText}
          action={t.dropAction}
          run={() => runAction('drop', drop.target)}
          onClose={() => setDrop(null)}
        />
      )}
    </Page>
  );
}

function columnsOf(setDrop: (drop: Drop) => void): Column<QueuedDelivery>[] {
  return [
    {
      name: t.recipient,
      width: 3,
      cell: ({ emailId, recipient, subject, state, lastError }) => (
        <>
          <TextLink to="/emails/$emailId" params={{ emailId }}>
            {recipient}
          </TextLink>
          <div className="truncate text-xs text-soft max-sm:hidden">{subject || emailTexts.noSubject}</div>
          <div className="flex h-5 items-center gap-2 text-xs text-soft sm:hidden">
            <span className="shrink-0">
              <Badge tone={STATE_TONES[state]}>{t.states[state]}</Badge>
            </span>
            <span className="min-w-0 truncate">{lastError ?? t.noAttempt}</span>
          </div>
        </>
      ),
    },
    {
      name: t.state,
      width: '8.5rem',
      wideOnly: true,
      cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{t.states[state]}</Badge>,
    },
    { name: t.attempts, width: '5rem', wideOnly: true, cell: ({ attempts }) => attempts },
    {
      name: t.lastError,
      width: 3,
      wideOnly: true,
      cell: ({ lastError }) => (
        <span className="text-soft" title={lastError ?? undefined}>
          {lastError ?? t.noAttempt}
        </span>
      ),
    },
    timeColumn(t.nextAttempt, ({ nextAttemptAt }) => nextAttemptAt, { width: '7rem', none: '–' }),
    actionColumn('2.5rem', ({ id, recipient, state }) => {
      const target = { deliveryIds: [id] };
      return (
        <QueueMenu
          trigger={<IconButton icon={Ellipsis} label={t.actOn(recipient)} />}
          target={target}
          actions={state === 'held' ? ['release'] : ['retry', 'hold']}
          onDrop={() => setDrop({ title: t.dropTitle(recipient), target })}
        />
      );
    }),
  ];
}

function QueueFilters() {
  const { domain, campaignId, held } = useSearch({ from: '/app/queue' });
  const navigate = useNavigate({ from: '/queue' });
  const { data } = useQuery(campaignsQuery({ page: 1 }));
  return (
    <ListFilters>
      <SearchField
        label={t.findDomain}
        value={domain}
        onSearch={(found) =>
          void navigate({ search: (before) => ({ ...before, domain: found }), replace: true })
        }
      />
      <ChoiceField
        label={t.campaign}
        all={t.allCampaigns}
        choices={optionsOf(data?.campaigns)}
        value={campaignId}
        onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, campaignId: chosen }) })}
      />
      <ChoiceField
        label={t.held}
        all={t.heldAny}
        choices={[
          ['true', t.heldOnly],
          ['false', t.notHeld],
        ]}
        value={held === undefined ? undefined : held ? 'true' : 'false'}
        onChoose={(chosen) => {
          const chosenHeld = chosen === undefined ? undefined : chosen === 'true';
          void navigate({ search: (before) => ({ ...before, held: chosenHeld }) });
        }}
      />
    </ListFilters>
  );
}

function NoMatch() {
  const navigate = useNavigate({ from: '/queue' });
  return (
    <NothingFound
      icon={Hourglass}
      title={t.filteredTitle}
      text={t.filteredText}
      clear={() => void navigate({ search: {} })}
    />
  );
}
