import { texts } from '../../texts/en.ts';
import { Skeleton } from '../../ui/states.tsx';
import { COUNTED, type Counts, type Tracked } from './analytics-api.ts';

const t = texts.overview;

interface TotalCountsProps {
  counts: Counts | undefined;
  tracked: Tracked;
}

/** Each rate names its base. Opens and clicks are compared only with tracked emails. */
export function TotalCounts({ counts, tracked }: TotalCountsProps) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      {COUNTED.map((name) => (
        <div key={name} className="bg-raised px-4 py-3.5">
          <dt className="text-soft">{t.counts[name]}</dt>
          <dd className="mt-0.5 text-xl font-semibold tabular-nums">
            {counts ? texts.common.number(counts[name]) : <Skeleton className="my-1.5 h-4 w-12" />}
          </dd>
          <dd className="min-h-4 text-xs text-soft">{counts && rateOf(name, counts, tracked)}</dd>
        </div>
      ))}
    </dl>
  );
}

function rateOf(name: (typeof COUNTED)[number], counts: Counts, tracked: Tracked): string {
  switch (name) {
    case 'sent':
      return '';
    case 'opened':
    case 'clicked': {
      const [part = 0, whole = 0] =
        name === 'opened'
          ? [tracked?.opens.opened, tracked?.opens.emails]
          : [tracked?.clicks.clicked, tracked?.clicks.emails];
      if (counts.delivered === 0) return '';
      return whole === 0 ? t.untracked : t.ofTracked(percent(part / whole), texts.common.number(whole));
    }
    case 'complained':
      return counts.delivered === 0 ? '' : t.ofDelivered(percent(counts.complained / counts.delivered));
    default:
      return counts.sent === 0 ? '' : t.ofSent(percent(counts[name] / counts.sent));
  }
}

function percent(share: number): string {
  return texts.common.percent(100 * Math.min(1, share));
}
