/** Shows a rate on a scale with the limits of the large providers. */
import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { Card } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';

const t = overviewTexts;

interface RatePanelProps {
  name: string;
  explanation: string;
  rate: number | undefined;
  count: number | undefined;
  total: number | undefined;
  /** The rate needs attention from this percentage on. */
  watchAt: number;
  /** The rate harms delivery from this percentage on. */
  limitAt: number;
  scaleTo: number;
}

export function RatePanel({
  name,
  explanation,
  rate,
  count,
  total,
  watchAt,
  limitAt,
  scaleTo,
}: RatePanelProps) {
  const at = (value: number) => `${Math.min(100, (100 * value) / scaleTo)}%`;
  const judgement = !total ? 'none' : rate! >= limitAt ? 'bad' : rate! >= watchAt ? 'warn' : 'good';
  const fill = judgement === 'bad' ? 'bg-bad' : judgement === 'warn' ? 'bg-warn' : 'bg-good';
  return (
    <Card>
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-medium">{name}</h3>
        {rate !== undefined && (
          <Badge tone={judgement === 'none' ? 'neutral' : judgement}>{t.judgement[judgement]}</Badge>
        )}
      </div>
      {rate === undefined ? (
        <Skeleton className="my-2 h-6 w-20" />
      ) : (
        <p className="mt-1 text-2xl font-semibold tabular-nums">
          {texts.common.percent(rate)}
          <span className="ml-2 text-sm font-normal text-soft">
            {t.of(texts.common.number(count!), texts.common.number(total!))}
          </span>
        </p>
      )}
      <div aria-hidden className="relative mt-3 mb-6 h-2 rounded-full bg-hover">
        <div className={classes('h-full rounded-full', fill)} style={{ width: at(rate ?? 0) }} />
        {[watchAt, limitAt].map((limit) => (
          <div key={limit} className="absolute -top-1 h-4 w-px bg-ink" style={{ left: at(limit) }}>
            <span className="absolute top-4 -translate-x-1/2 text-[0.6875rem] whitespace-nowrap text-soft">
              {texts.common.percent(limit)}
            </span>
          </div>
        ))}
      </div>
      <p className="text-[0.8125rem] text-soft">{explanation}</p>
    </Card>
  );
}
