/** The days of a warm-up: what was sent as bars, and the limit of the day as a line above them. */
import type { WayOut } from '../../../src/features/sending/egress/egress.schema.ts';
import { egressTexts as t } from '../../texts/en/egress.ts';

type Curve = NonNullable<WayOut['warmup']>['providers'][number]['curve'];

const HEIGHT = 56;
const STEP = 6;
const GAP = 1.5;

export function WarmUpCurve({ label, curve }: { label: string; curve: Curve }) {
  if (curve.length === 0) return null;
  const highest = Math.max(1, ...curve.map(({ cap, sent }) => Math.max(cap ?? 0, sent)));
  const y = (value: number) => HEIGHT - (value / highest) * HEIGHT;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${curve.length * STEP} ${HEIGHT + 2}`}
      preserveAspectRatio="xMinYMax"
      className="h-14 max-w-full shrink-0"
      style={{ width: curve.length * STEP }}
    >
      {curve.map(({ day, cap, sent }, at) => (
        <g key={day}>
          <title>{t.day(day, sent, cap)}</title>
          <rect
            x={at * STEP + GAP / 2}
            y={y(sent)}
            width={STEP - GAP}
            height={HEIGHT - y(sent)}
            className="fill-brass"
          />
          {cap !== null && (
            <line
              x1={at * STEP}
              x2={(at + 1) * STEP}
              y1={y(cap)}
              y2={y(cap)}
              className="stroke-soft"
              strokeWidth={1.5}
            />
          )}
        </g>
      ))}
    </svg>
  );
}
