/** How the audience grows: the subscribers of a contact book over time, who joined and left, and where from. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Growth } from '../../../src/features/audience/growth/growth.schema.ts';
import { getJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { optionsOf, SelectField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { entryNames } from './entry-name.ts';
import type { Range } from './overview-range.ts';

const t = overviewTexts;
const TrendChart = lazy(async () => ({ default: (await import('./trend-chart.tsx')).TrendChart }));

/** Shows nothing while there is no contact book. Begins with the largest. */
export function AudienceGrowth({ range }: { range: Range }) {
  const { data: books = [] } = useQuery(contactBooksQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const largest = books.toSorted((one, other) => other._count.contacts - one._count.contacts)[0];
  const book = books.find(({ id }) => id === chosen) ?? largest;
  if (!book) return null;
  return (
    <section aria-label={t.audience} className="mb-10">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-base font-semibold tracking-tight">{t.audience}</h2>
        {books.length > 1 ? (
          <div className="quiet-row">
            <SelectField
              label={campaignTexts.book}
              value={book.id}
              options={optionsOf(books)}
              onChange={({ target }) => setChosen(target.value)}
            />
          </div>
        ) : (
          <TextLink to="/contact-books/$bookId" params={{ bookId: book.id }}>
            {book.name}
          </TextLink>
        )}
      </div>
      <BookGrowth bookId={book.id} range={range} />
    </section>
  );
}

export function BookGrowth({ bookId, range }: { bookId: string; range: Range }) {
  const { from, to, timezone } = range;
  // The hours of one day say little about an audience.
  const interval = range.interval === 'hour' ? 'day' : range.interval;
  const query = { from, to, timezone, interval };
  const { data, isError } = useQuery({
    queryKey: ['contact-books', bookId, 'growth', query],
    queryFn: () => getJson<Growth>(`/contactBooks/${bookId}/growth`, query),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const names = useMemo(
    () => entryNames(data?.items.map(({ date }) => date) ?? [], { from, to, timezone, interval }),
    [data, from, to, timezone, interval],
  );
  const totals = useMemo(() => data?.items.map(({ total }) => total), [data]);
  if (isError) return null;
  const sum = (of: 'joined' | 'left') => data?.items.reduce((all, item) => all + item[of], 0);
  const last = data?.items.at(-1);
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-4 lg:grid-cols-[12rem_minmax(0,1fr)]">
      <dl className="flex flex-wrap gap-x-8 gap-y-2 lg:flex-col">
        <Fact name={t.growth.total} count={last?.total} isLarge />
        <Fact name={t.growth.joined} count={sum('joined')} />
        <Fact name={t.growth.left} count={sum('left')} />
        <Fact name={t.growth.pending} count={last?.pending} />
      </dl>
      <div className="min-w-0">
        <Suspense fallback={<Skeleton className="h-52" />}>
          {totals ? (
            <TrendChart
              label={t.growth.chart}
              name={t.growth.total}
              names={names}
              values={totals}
              fromZero={false}
            />
          ) : (
            <Skeleton className="h-52" />
          )}
        </Suspense>
        {data && data.sources.length > 0 && <Sources sources={data.sources} />}
      </div>
    </div>
  );
}

function Fact({ name, count, isLarge }: { name: string; count: number | undefined; isLarge?: boolean }) {
  return (
    <div>
      <dt className="text-note text-soft">{name}</dt>
      <dd className={isLarge ? 'text-title font-semibold tabular-nums' : 'font-medium tabular-nums'}>
        {count === undefined ? <Skeleton className="my-1 h-4 w-12" /> : texts.common.number(count)}
      </dd>
    </div>
  );
}

function Sources({ sources }: { sources: Growth['sources'] }) {
  return (
    <p className="mt-1 text-note text-soft">
      {t.growth.from}{' '}
      {sources.slice(0, 5).map(({ source, id, name, joined }, at) => (
        <span key={`${source} ${id}`}>
          {at > 0 && ' · '}
          <span className="text-ink">{name ?? t.growth.sources[source]}</span> {texts.common.number(joined)}
        </span>
      ))}
    </p>
  );
}
