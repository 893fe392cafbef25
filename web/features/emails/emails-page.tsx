import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { AtSign } from 'lucide-react';
import { useCallback } from 'react';
import type { EmailListItem } from '../../../src/features/emails/emails.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { EMAIL_STATUSES, toneOf } from './email-statuses.ts';

const t = texts.emails;
const NEWS_EVERY_MS = 5_000;

export function EmailsPage() {
  const { status, domainId, search } = useSearch({ from: '/app/emails' });
  const navigate = useNavigate({ from: '/emails' });
  const { data: domains = [] } = useQuery(domainsQuery);
  const emails = useInfiniteQuery({
    ...cursorList<EmailListItem>(['emails', 'list'], '/emails', { status, domainId, search }),
    placeholderData: keepPreviousData,
    // Only while the first page alone is there: refetching a long list would cost more than it tells.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : NEWS_EVERY_MS),
  });
  const find = useCallback(
    (text: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, search: text }), replace: true }),
    [navigate],
  );
  const isFiltered = status !== undefined || domainId !== undefined || search !== undefined;
  return (
    <Page title={t.title} description={t.lead} wide>
      <ListFilters>
        <SearchField label={t.search} value={search} onSearch={find} />
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
          choices={domains.map(({ id, name }) => [String(id), name])}
          value={domainId === undefined ? undefined : String(domainId)}
          onChoose={(chosen) =>
            void navigate({
              search: (before) => ({
                ...before,
                domainId: chosen === undefined ? undefined : Number(chosen),
              }),
            })
          }
        />
      </ListFilters>
      <CursorTable
        label={t.title}
        query={emails}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.to,
            width: 'minmax(0, 2fr)',
            cell: (email) => (
              <>
                <Link
                  to="/emails/$emailId"
                  params={{ emailId: email.id }}
                  className="rounded font-medium hover:underline"
                >
                  {email.to[0] ?? email.bcc[0] ?? ''}
                  {email.to.length > 1 && (
                    <span className="ml-1.5 text-soft">{t.more(email.to.length - 1)}</span>
                  )}
                </Link>
                <div className="truncate text-xs text-soft sm:hidden">{email.subject || t.noSubject}</div>
              </>
            ),
          },
          {
            name: t.status,
            width: '7rem',
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
            width: 'minmax(0, 3fr)',
            wideOnly: true,
            cell: (email) => email.subject || <span className="text-soft">{t.noSubject}</span>,
          },
          {
            name: t.when,
            width: '6.5rem',
            wideOnly: true,
            cell: (email) => (
              <span className="text-soft">
                <Time at={timeOf(email)} />
              </span>
            ),
          },
        ]}
        empty={
          isFiltered ? (
            <EmptyState
              icon={AtSign}
              title={t.filteredTitle}
              action={<Button onClick={() => void navigate({ search: {} })}>{t.clearFilters}</Button>}
            >
              {t.filteredText}
            </EmptyState>
          ) : (
            <EmptyState
              icon={AtSign}
              title={t.emptyTitle}
              action={
                <a className={buttonClasses()} href="/api/docs#sendEmail" target="_blank" rel="noopener">
                  {t.emptyAction}
                </a>
              }
            >
              {t.emptyText}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

/** When it leaves or left; what was cancelled does neither. */
function timeOf({ status, scheduledAt, createdAt }: EmailListItem): string {
  return status === 'CANCELLED' ? createdAt : (scheduledAt ?? createdAt);
}
