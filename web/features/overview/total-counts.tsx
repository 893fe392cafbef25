import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { Skeleton } from '../../ui/states.tsx';
import { COUNTED, type Counts, type Tracked } from './analytics-api.ts';

const t = overviewTexts;

interface TotalCountsProps {
  counts: Counts | undefined;
  tracked: Tracked;
}

const SHOWN = COUNTED.filter((name) => name !== 'sent');

/** Each rate names its base. Opens and clicks are compared only with tracked emails. */
export function TotalCounts({ counts, tracked }: TotalCountsProps) {
  return (
    <dl className="mt-2 grid grid-cols-2 gap-x-6 gap-y-3 border-y border-line py-4 sm:grid-cols-3 lg:grid-cols-5">
      {SHOWN.map((name) => (
        <div key={name}>
          <dt className="text-note text-soft">{t.counts[name]}</dt>
          <dd className="mt-0.5 text-lg font-semibold tabular-nums">
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
