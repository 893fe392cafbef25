import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { AutomationListItem } from '../../../src/features/automations/definition/automations.schema.ts';
import { texts } from '../../texts/en.ts';
import { automationTexts } from '../../texts/en/automations.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { ListPage } from '../../ui/lists/list-page.tsx';
import { Row, RowName } from '../../ui/lists/rows.tsx';
import { EmptyState, ErrorState, NothingFound, SkeletonRows } from '../../ui/states.tsx';
import { Button } from '../../ui/button.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { ToBooks } from '../contact-books/to-books.tsx';
import { AUTOMATION_STATUSES, AUTOMATION_TONES, automationsQuery } from './data/automations-api.ts';
import { describeTrigger, type Trigger } from './words/describe-step.ts';
import { RecipeCards } from './templates/recipe-cards.tsx';
import type { RecipeName } from './templates/recipe-names.ts';

const t = automationTexts;
// Emails of templates are documents of the editor.
const CreateDialog = lazy(async () => ({
  default: (await import('./templates/create-dialog.tsx')).CreateDialog,
}));

export function AutomationsPage() {
  const { data: books } = useQuery(contactBooksQuery);
  const hasNoBook = books?.length === 0;
  const [first, setFirst] = useState<RecipeName | null>(null);
  const dialog = (close: () => void, recipe: RecipeName = 'welcome') =>
    books && (
      <Suspense>
        <CreateDialog books={books} recipe={recipe} onClose={close} />
      </Suspense>
    );
  return (
    <ListPage
      title={t.title}
      guide="guides/welcome-series"
      description={t.lead}
      create={{ label: t.create, disabled: !books || hasNoBook, dialog: (close) => dialog(close) }}
    >
      <Filters />
      <List
        empty={
          hasNoBook ? (
            <EmptyState icon={Workflow} title={t.emptyTitle} text={t.needsBook} action={<ToBooks />} />
          ) : (
            <section aria-label={t.emptyTitle}>
              <h2 className="text-base font-semibold tracking-tight">{t.emptyTitle}</h2>
              <p className="mb-4 max-w-2xl text-soft">{t.emptyText}</p>
              <RecipeCards onChoose={setFirst} />
            </section>
          )
        }
      />
      {first !== null && dialog(() => setFirst(null), first)}
    </ListPage>
  );
}

function Filters() {
  const { status, search } = useSearch({ from: '/app/automations' });
  const navigate = useNavigate({ from: '/automations' });
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
        label={texts.common.status}
        all={t.allStatuses}
        choices={AUTOMATION_STATUSES.map((each) => [each, t.statuses[each]])}
        value={status}
        onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, status: chosen }) })}
      />
    </ListFilters>
  );
}

function List({ empty }: { empty: ReactNode }) {
  const { status, search } = useSearch({ from: '/app/automations' });
  const navigate = useNavigate({ from: '/automations' });
  const list = useInfiniteQuery(
    automationsQuery({ ...(status && { status }), ...(search !== undefined && { search }) }),
  );
  if (list.isPending) return <SkeletonRows count={4} />;
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (list.isError && items.length === 0)
    return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  if (items.length === 0)
    return status === undefined && search === undefined ? (
      empty
    ) : (
      <NothingFound
        icon={Workflow}
        title={t.filteredTitle}
        text={t.filteredText}
        clear={() => void navigate({ search: {} })}
      />
    );
  return (
    <>
      <ul aria-label={t.title} className="divide-y divide-line rounded-xl border border-line">
        {items.map((automation) => (
          <AutomationRow key={automation.id} automation={automation} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="mt-4 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t.showMore}
          </Button>
        </div>
      )}
    </>
  );
}

function AutomationRow({ automation }: { automation: AutomationListItem }) {
  const { id, name, status, counts, hasDraft } = automation;
  const wasLive = automation.version > 0;
  return (
    <Row>
      <RowName
        name={
          <TextLink to="/automations/$automationId" params={{ automationId: id }}>
            {name}
          </TextLink>
        }
        note={describeTrigger(automation.trigger as Trigger | null, new Map()).title}
      />
      {wasLive && (
        <dl className="flex gap-x-5 text-right tabular-nums max-sm:order-last max-sm:basis-full max-sm:gap-x-4 max-sm:text-left">
          <Count name={t.counts.active} count={counts.active} isStrong={counts.active > 0} />
          <Count name={t.counts.started} count={counts.started} />
          <Count name={t.counts.done} count={counts.done} />
          <Count name={t.counts.emails} count={counts.emails} />
        </dl>
      )}
      <span className="flex flex-col items-end gap-1 text-right sm:w-36">
        <Badge tone={AUTOMATION_TONES[status]}>{t.statuses[status]}</Badge>
        {hasDraft && <span className="text-xs text-soft max-sm:hidden">{t.unpublished}</span>}
      </span>
    </Row>
  );
}

function Count({ name, count, isStrong = false }: { name: string; count: number; isStrong?: boolean }) {
  return (
    <div className="sm:w-20">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className={classes(isStrong && 'font-medium')}>{texts.common.number(count)}</dd>
    </div>
  );
}
