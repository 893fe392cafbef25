import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { useEffect } from 'react';
import type { CampaignListItem } from '../../../src/features/campaigns/campaigns.schema.ts';
import { texts } from '../../texts/en.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Row, RowName, Rows } from '../../ui/lists/rows.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { ToBooks } from '../contact-books/to-books.tsx';
import { CAMPAIGN_STATUSES, CAMPAIGN_TONES, campaignsQuery, type CampaignList } from './campaigns-api.ts';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';

const t = campaignTexts;

export function CampaignsPage() {
  const { page = 1, status, search } = useSearch({ from: '/app/campaigns' });
  const navigate = useNavigate({ from: '/campaigns' });
  const campaigns = useQuery(campaignsQuery({ page, status, search }));
  const { data: books } = useQuery(contactBooksQuery);
  const hasNoBook = books?.length === 0;
  return (
    <ListPage
      title={t.title}
      guide="guides/campaigns"
      description={t.lead}
      create={{
        label: t.create,
        disabled: !books || hasNoBook,
        dialog: (close) => books && <CreateCampaignDialog books={books} onClose={close} />,
      }}
    >
      <CampaignFilters />
      <Rows
        label={t.title}
        query={campaigns}
        items={(data) => data.campaigns}
        empty={
          status !== undefined || search !== undefined ? (
            <NothingFound
              icon={Megaphone}
              title={t.filteredTitle}
              text={t.filteredText}
              clear={() => void navigate({ search: {} })}
            />
          ) : (
            <EmptyState
              icon={Megaphone}
              title={t.emptyTitle}
              text={hasNoBook ? t.needsBook : t.emptyText}
              action={hasNoBook ? <ToBooks /> : <CreateFirst>{t.first}</CreateFirst>}
            />
          )
        }
      >
        {(campaign) => <CampaignRow key={campaign.id} campaign={campaign} />}
      </Rows>
      <PageTurner page={page} campaigns={campaigns} />
    </ListPage>
  );
}

function CampaignFilters() {
  const { status, search } = useSearch({ from: '/app/campaigns' });
  const navigate = useNavigate({ from: '/campaigns' });
  return (
    <ListFilters>
      <SearchField
        label={t.search}
        value={search}
        onSearch={(found) =>
          void navigate({
            search: (before) => ({ ...before, search: found, page: undefined }),
            replace: true,
          })
        }
      />
      <ChoiceField
        label={texts.common.status}
        all={t.allStatuses}
        choices={CAMPAIGN_STATUSES.map((each) => [each, t.statuses[each]])}
        value={status}
        onChoose={(chosen) =>
          void navigate({ search: (before) => ({ ...before, status: chosen, page: undefined }) })
        }
      />
    </ListFilters>
  );
}

function PageTurner({ page, campaigns }: { page: number; campaigns: UseQueryResult<CampaignList> }) {
  const navigate = useNavigate({ from: '/campaigns' });
  const pages = campaigns.data?.totalPage ?? 1;
  const turnTo = (to: number) => {
    if (to >= 1 && to <= pages) void navigate({ search: (before) => ({ ...before, page: to }) });
  };
  useEffect(() => {
    // The campaigns of the last page were deleted.
    if (page > Math.max(pages, 1) && campaigns.isSuccess && !campaigns.isPlaceholderData)
      void navigate({ search: (before) => ({ ...before, page: pages }), replace: true });
  }, [page, pages, campaigns.isSuccess, campaigns.isPlaceholderData, navigate]);
  if (pages <= 1) return null;
  return (
    <nav aria-label={t.page(page, pages)} className="mt-4 flex items-center justify-center gap-3">
      <Button size="small" aria-disabled={page <= 1 || undefined} onClick={() => turnTo(page - 1)}>
        {t.previous}
      </Button>
      <span className="text-soft">{t.page(page, pages)}</span>
      <Button size="small" aria-disabled={page >= pages || undefined} onClick={() => turnTo(page + 1)}>
        {t.next}
      </Button>
    </nav>
  );
}

function CampaignRow({ campaign }: { campaign: CampaignListItem }) {
  const { id, name, subject, status, sent, total, scheduledAt, updatedAt, rates, tracked } = campaign;
  return (
    <Row>
      <RowName
        name={
          <TextLink to="/campaigns/$campaignId" params={{ campaignId: id }}>
            {name}
          </TextLink>
        }
        note={subject}
      />
      {total > 0 && (
        <dl className="flex gap-x-5 text-right tabular-nums max-sm:flex-1">
          <Rate name={reportTexts.rates.openRate} rate={tracked.opens ? rates.openRate : null} />
          <Rate name={reportTexts.rates.clickRate} rate={tracked.clicks ? rates.clickRate : null} />
          <div className="w-32 max-md:hidden">
            <dt className="text-[0.8125rem] text-soft">{t.counts.sent}</dt>
            <dd>{t.sentOf(sent, total)}</dd>
          </div>
        </dl>
      )}
      <span className="w-24 text-right text-soft max-sm:hidden">
        <Time at={status === 'SCHEDULED' && scheduledAt ? scheduledAt : updatedAt} />
      </span>
      <span className="text-right sm:w-20">
        <Badge tone={CAMPAIGN_TONES[status]}>{t.statuses[status]}</Badge>
      </span>
    </Row>
  );
}

/** A rate of null was not tracked. */
function Rate({ name, rate }: { name: string; rate: number | null }) {
  return (
    <div className={classes('sm:w-16', rate === null ? 'max-sm:hidden' : 'max-sm:flex max-sm:gap-1.5')}>
      <dt className="text-[0.8125rem] text-soft">{name}</dt>
      <dd title={rate === null ? reportTexts.notTracked : undefined}>
        {rate === null ? '–' : texts.common.percent(rate)}
      </dd>
    </div>
  );
}
