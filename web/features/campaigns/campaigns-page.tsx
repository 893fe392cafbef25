import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { CampaignListItem } from '../../../src/features/campaigns/campaigns.schema.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, CreateButton, ListFilters, SearchField } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { Row, RowName, Rows } from '../../ui/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { ToBooks } from '../contact-books/to-books.tsx';
import { CAMPAIGN_STATUSES, CAMPAIGN_TONES, campaignsQuery } from './campaigns-api.ts';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';

const t = texts.campaigns;

export function CampaignsPage() {
  const { page = 1, status, search } = useSearch({ from: '/app/campaigns' });
  const navigate = useNavigate({ from: '/campaigns' });
  const campaigns = useQuery(campaignsQuery({ page, status, search }));
  const { data: books } = useQuery(contactBooksQuery);
  const [creating, setCreating] = useState(false);
  const find = useCallback(
    (text: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, search: text, page: undefined }), replace: true }),
    [navigate],
  );
  const pages = campaigns.data?.totalPage ?? 1;
  const turnTo = (to: number) => {
    if (to < 1 || to > pages) return;
    void navigate({ search: (before) => ({ ...before, page: to }) });
  };
  useEffect(() => {
    // What stood on it was deleted.
    if (page > Math.max(pages, 1) && campaigns.isSuccess && !campaigns.isPlaceholderData)
      void navigate({ search: (before) => ({ ...before, page: pages }), replace: true });
  }, [page, pages, campaigns.isSuccess, campaigns.isPlaceholderData, navigate]);
  const hasNoBook = books?.length === 0;
  const isFiltered = status !== undefined || search !== undefined;
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={
        <CreateButton disabled={!books || hasNoBook} onClick={() => setCreating(true)}>
          {t.create}
        </CreateButton>
      }
    >
      <ListFilters>
        <SearchField label={t.search} value={search} onSearch={find} />
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
      <Rows
        label={t.title}
        query={campaigns}
        items={(data) => data.campaigns}
        empty={
          <EmptyState
            icon={Megaphone}
            title={isFiltered ? t.filteredTitle : t.emptyTitle}
            action={hasNoBook && !isFiltered && <ToBooks />}
          >
            {isFiltered ? t.filteredText : hasNoBook ? t.needsBook : t.emptyText}
          </EmptyState>
        }
      >
        {(data) => data.campaigns.map((campaign) => <CampaignRow key={campaign.id} campaign={campaign} />)}
      </Rows>
      {pages > 1 && (
        <nav aria-label={t.page(page, pages)} className="mt-4 flex items-center justify-center gap-3">
          <Button size="small" aria-disabled={page <= 1 || undefined} onClick={() => turnTo(page - 1)}>
            {t.previous}
          </Button>
          <span className="text-soft">{t.page(page, pages)}</span>
          <Button size="small" aria-disabled={page >= pages || undefined} onClick={() => turnTo(page + 1)}>
            {t.next}
          </Button>
        </nav>
      )}
      {creating && books && <CreateCampaignDialog books={books} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function CampaignRow({ campaign }: { campaign: CampaignListItem }) {
  const { id, name, subject, status, sent, total, scheduledAt, updatedAt } = campaign;
  return (
    <Row>
      <RowName
        name={
          <Link to="/campaigns/$campaignId" params={{ campaignId: id }} className="rounded hover:underline">
            {name}
          </Link>
        }
        note={subject}
      />
      {total > 0 && <span className="text-soft tabular-nums max-sm:hidden">{t.sentOf(sent, total)}</span>}
      <span className="w-24 text-right text-soft max-sm:hidden">
        <Time at={status === 'SCHEDULED' && scheduledAt ? scheduledAt : updatedAt} />
      </span>
      <span className="text-right sm:w-20">
        <Badge tone={CAMPAIGN_TONES[status]}>{t.statuses[status]}</Badge>
      </span>
    </Row>
  );
}
