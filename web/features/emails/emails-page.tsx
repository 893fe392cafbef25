import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { AtSign } from 'lucide-react';
import type { EmailListItem, EmailStatus } from '../../../src/features/emails/emails.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { EMAIL_STATUSES, toneOf } from './email-statuses.ts';

const t = texts.emails;
const NEWS_EVERY_MS = 5_000;

export function EmailsPage() {
  const { status, domainId } = useSearch({ from: '/app/emails' });
  const navigate = useNavigate({ from: '/emails' });
  const { data: domains = [] } = useQuery(domainsQuery);
  const emails = useInfiniteQuery({
    ...cursorList<EmailListItem>(['emails', 'list'], '/emails', { status, domainId }),
    // Only while the first page alone is there: refetching a long list would cost more than it tells.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : NEWS_EVERY_MS),
  });
  const isFiltered = status !== undefined || domainId !== undefined;
  return (
    <Page title={t.title} description={t.lead} wide>
      <div className="mb-4 flex flex-wrap gap-2">
        <SelectField
          bare
          label={t.status}
          value={status ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: (search) => ({
                ...search,
                status: (target.value || undefined) as EmailStatus | undefined,
              }),
            })
          }
        >
          <option value="">{t.allStatuses}</option>
          {EMAIL_STATUSES.map((each) => (
            <option key={each} value={each}>
              {t.statuses[each]}
            </option>
          ))}
        </SelectField>
        <SelectField
          bare
          label={t.domain}
          value={domainId ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: (search) => ({ ...search, domainId: Number(target.value) || undefined }),
            })
          }
        >
          <option value="">{t.allDomains}</option>
          {domains.map((domain) => (
            <option key={domain.id} value={domain.id}>
              {domain.name}
            </option>
          ))}
        </SelectField>
      </div>
      <CursorTable
        label={t.title}
        query={emails}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.to,
            width: 'minmax(0, 2fr)',
            cell: (email) => (
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
            ),
          },
          {
            name: t.status,
            width: '7rem',
            cell: (email) => <Badge tone={toneOf(email.status)}>{t.statuses[email.status]}</Badge>,
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
                <Time at={email.scheduledAt ?? email.createdAt} />
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
