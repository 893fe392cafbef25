import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Growth } from '../../../src/features/audience/growth/growth.schema.ts';
import { getJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { growthTexts } from '../../texts/en/growth.ts';
import { SelectField } from '../../ui/field.tsx';
import { OWN_ZONE } from '../../ui/dates/time-zone.ts';

const t = growthTexts;
const { number } = texts.common;
const WIDTH = 600;
const HEIGHT = 120;
const MOST_SOURCES = 5;
const DAY_MS = 86_400_000;

type RangeName = keyof typeof t.ranges;
type Item = Growth['items'][number];

/** How the subscribers of a book have changed, and where they came from. */
export function BookGrowth({ bookId }: { bookId: string }) {
  const [range, setRange] = useState<RangeName>('days');
  const { data } = useQuery({
    queryKey: ['contact-books', bookId, 'growth', range],
    queryFn: () => getJson<Growth>(`/contactBooks/${bookId}/growth`, queryOf(range)),
    placeholderData: keepPreviousData,
  });
  const sumOf = (name: 'joined' | 'confirmed' | 'returned' | 'left') =>
    data?.items.reduce((sum, item) => sum + item[name], 0) ?? 0;
  const last = data?.items.at(-1);
  return (
    <section aria-labelledby="growth" className="mb-6 min-h-72 rounded-lg border border-line p-4">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id="growth" className="text-sm font-medium text-soft">
            {t.subscribers}
          </h2>
          <p className="text-3xl font-semibold tabular-nums">{last ? number(last.total) : '–'}</p>
        </div>
        <SelectField
          label={t.range}
          value={range}
          onChange={({ target }) => setRange(target.value as RangeName)}
          options={Object.entries(t.ranges)}
        />
      </div>
      <div className="grid gap-6 md:grid-cols-[2fr_1fr]">
        <div>
          {data && <TotalLine items={data.items} />}
          <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-sm">
            <Count name={t.joined} count={sumOf('joined')} />
            <Count name={t.confirmed} count={sumOf('confirmed')} />
            {sumOf('returned') > 0 && <Count name={t.returned} count={sumOf('returned')} />}
            <Count name={t.left} count={sumOf('left')} />
            <Count name={t.pending} count={last?.pending ?? 0} />
          </dl>
        </div>
        {data && <Sources sources={data.sources} />}
      </div>
    </section>
  );
}

function dayOf(ms: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: OWN_ZONE }).format(ms);
}

function queryOf(range: RangeName): Record<string, string> {
  const days = range === 'days' ? 29 : 364;
  const now = Date.now();
  return {
    from: dayOf(now - days * DAY_MS),
    to: dayOf(now),
    interval: range === 'days' ? 'day' : 'week',
    timezone: OWN_ZONE,
  };
}

function Count({ name, count }: { name: string; count: number }) {
  return (
    <div>
      <dt className="text-soft">{name}</dt>
      <dd className="font-medium tabular-nums">{number(count)}</dd>
    </div>
  );
}

/** The axis begins near the smallest number, so that small changes of large books can be seen. */
function TotalLine({ items }: { items: Item[] }) {
  const totals = items.map(({ total }) => total);
  const most = Math.max(...totals, 1);
  const least = Math.min(...totals);
  const floor = most - least < most / 4 ? Math.max(0, least - (most - least)) : 0;
  const x = (at: number) => (at / Math.max(1, items.length - 1)) * WIDTH;
  const y = (total: number) => HEIGHT - ((total - floor) / Math.max(1, most - floor)) * (HEIGHT - 8) - 2;
  const line = totals.map((total, at) => `${x(at).toFixed(1)},${y(total).toFixed(1)}`).join(' ');
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-32 w-full overflow-visible"
      role="img"
      aria-label={t.chart(totals[0] ?? 0, totals.at(-1) ?? 0)}
    >
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} fill="var(--brass)" opacity="0.12" />
      <polyline
        points={line}
        fill="none"
        stroke="var(--brass)"
        strokeWidth="2"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      {items.map(({ date, total }, at) => (
        <rect key={date} x={x(at) - 4} y="0" width="8" height={HEIGHT} fill="transparent">
          <title>{t.point(date, total)}</title>
        </rect>
      ))}
    </svg>
  );
}

function Sources({ sources }: Pick<Growth, 'sources'>) {
  const most = sources[0]?.joined ?? 1;
  return (
    <div>
      <h3 className="mb-2 text-sm font-medium text-soft">{t.sources}</h3>
      {sources.length === 0 && <p className="text-sm text-soft">{t.noSources}</p>}
      <ul className="grid gap-2 text-sm">
        {sources.slice(0, MOST_SOURCES).map(({ source, id, name, joined }) => (
          <li key={`${source} ${id}`}>
            <div className="flex justify-between gap-3">
              <span className="truncate">
                {name === null ? t.source[source] : `${t.source[source]}: ${name}`}
              </span>
              <span className="tabular-nums">{number(joined)}</span>
            </div>
            <div className="mt-1 h-1 rounded bg-hover">
              <div
                className="h-1 rounded"
                style={{ width: `${(joined / most) * 100}%`, background: 'var(--brass)' }}
              />
            </div>
          </li>
        ))}
      </ul>
      {sources.length > MOST_SOURCES && (
        <p className="mt-2 text-sm text-soft">{t.more(sources.length - MOST_SOURCES)}</p>
      )}
    </div>
  );
}
