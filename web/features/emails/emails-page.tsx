import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { AtSign, Download, Send } from 'lucide-react';
import { useState } from 'react';
import type { EmailListItem, EmailStatus } from '../../../src/features/sending/emails/emails.schema.ts';
import { apiUrl } from '../../api/client.ts';
import { cursorList, whileShort } from '../../api/pages.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClasses } from '../../ui/button.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { timesOf } from '../../ui/dates/days.ts';
import { optionsOf } from '../../ui/field.tsx';
import { DayRange } from '../../ui/lists/day-range.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { SandboxNotice } from '../../shell/sandbox-notice.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { TestEmailDialog, ToDomains, useVerifiedDomain } from '../domains/test-email.tsx';
import { LiveButton, useFresh } from './live-tail.tsx';
import { EMAIL_STATUSES, toneOf } from './email-statuses.ts';

const t = emailTexts;
const NEWS_EVERY_MS = 5_000;
const LIVE_EVERY_MS = 1_000;

const COLUMNS: Column<EmailListItem>[] = [
  {
    name: t.to,
    width: 2,
    cell: ({ id, to, bcc, subject }) => (
      <>
        <TextLink to="/emails/$emailId" params={{ emailId: id }}>
          {to[0] ?? bcc[0] ?? ''}
          {to.length > 1 && <span className="ml-1.5 text-soft">{t.more(to.length - 1)}</span>}
        </TextLink>
        <div className="truncate text-xs text-soft sm:hidden">{subject || t.noSubject}</div>
      </>
    ),
  },
  {
    name: t.status,
    width: '7rem',
    narrowWidth: '5.75rem',
    cell: (email) => (
      <>
        <Badge tone={toneOf(email.status)}>{t.statuses[email.status]}</Badge>
        <div className="text-xs text-soft sm:hidden">
          <Time at={timeOf(email)} />
        </div>
      </>
    ),
  },
  {
    name: t.subject,
    width: 3,
    wideOnly: true,
    cell: ({ subject }) => subject || <span className="text-soft">{t.noSubject}</span>,
  },
  timeColumn(t.when, timeOf, { width: '6.5rem' }),
];

export function EmailsPage() {
  const chosen = useSearch({ from: '/app/emails' });
  const query = { ...queryOf(chosen), ...withoutUndone(chosen) };
  const [isLive, setLive] = useState(false);
  const emails = useInfiniteQuery({
    ...cursorList<EmailListItem>(['emails', 'list'], '/emails', query),
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(isLive ? LIVE_EVERY_MS : NEWS_EVERY_MS),
  });
  const fresh = useFresh(isLive ? emails.data?.pages[0]?.items : undefined);
  const isFiltered = Object.values(chosen).some((value) => value !== undefined);
  const domain = useVerifiedDomain();
  return (
    <ListPage
      title={t.title}
      guide="guides/first-email"
      description={t.lead}
      wide
      actions={
        <>
          <LiveButton isLive={isLive} onChange={setLive} />
          <a className={buttonClasses()} href={apiUrl('/emails/export', query)} download>
            <Download aria-hidden className="size-4" />
            {t.exportCsv}
          </a>
        </>
      }
      create={{
        label: t.testAction,
        icon: Send,
        disabled: !domain,
        title: domain === null ? t.testNeedsDomain : undefined,
        dialog: (close) => domain && <TestEmailDialog domain={domain} onClose={close} />,
      }}
    >
      <SandboxNotice className="mb-4">{t.sandboxLog}</SandboxNotice>
      <EmailFilters />
      <CursorTable
        label={t.title}
        query={emails}
        columns={COLUMNS}
        fresh={fresh}
        empty={isFiltered ? <NoMatch /> : <NoEmails />}
      />
    </ListPage>
  );
}

interface Chosen {
  status?: EmailStatus;
  domainId?: number;
  search?: string;
  /** Days in the time zone of the browser; both are included. */
  since?: string;
  until?: string;
}

function queryOf({ since, until, ...rest }: Chosen) {
  return { ...rest, ...timesOf({ since, until }) };
}

/** A message whose sending was undone is a draft again, so it is hidden unless the user filters for cancelled email. */
function withoutUndone({ status }: Chosen): { undone?: false } {
  return status === 'CANCELLED' ? {} : { undone: false };
}

function EmailFilters() {
  const { status, domainId, search, since, until } = useSearch({ from: '/app/emails' });
  const navigate = useNavigate({ from: '/emails' });
  const { data: domains = [] } = useQuery(domainsQuery);
  return (
    <ListFilters>
      <SearchField
        label={t.search}
        value={search}
        onSearch={(found) =>
          void navigate({ search: (before) => ({ ...before, search: found }), replace: true })
        }
      />
      <ChoiceField
        label={t.status}
        all={t.allStatuses}
        choices={EMAIL_STATUSES.map((each) => [each, t.statuses[each]])}
        value={status}
        onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, status: chosen }) })}
      />
      <ChoiceField
        label={t.domain}
        all={t.allDomains}
        choices={optionsOf(domains)}
        value={domainId === undefined ? undefined : String(domainId)}
        onChoose={(chosen) => {
          const chosenId = chosen === undefined ? undefined : Number(chosen);
          void navigate({ search: (before) => ({ ...before, domainId: chosenId }) });
        }}
      />
      <DayRange
        days={{ since, until }}
        labels={t}
        placeholders={t.bounds}
        onChange={(days) => void navigate({ search: (before) => ({ ...before, ...days }) })}
      />
    </ListFilters>
  );
}

function NoMatch() {
  const navigate = useNavigate({ from: '/emails' });
  return (
    <NothingFound
      icon={AtSign}
      title={t.filteredTitle}
      text={t.filteredText}
      clear={() => void navigate({ search: {} })}
    />
  );
}

function NoEmails() {
  const domain = useVerifiedDomain();
  const documentation = (
    <a className={buttonClasses()} href="/api/docs#sendEmail" target="_blank" rel="noopener">
      {t.emptyAction}
    </a>
  );
  return (
    <EmptyState
      icon={AtSign}
      title={t.emptyTitle}
      text={t.emptyText}
      action={
        <>
          {domain === null ? <ToDomains /> : <CreateFirst icon={Send}>{t.firstTest}</CreateFirst>}
          {documentation}
        </>
      }
    />
  );
}

/** Returns the time at which it is or was sent. A cancelled email has none, so its creation time is used. */
function timeOf({ status, scheduledAt, createdAt }: EmailListItem): string {
  return status === 'CANCELLED' ? createdAt : (scheduledAt ?? createdAt);
}
